import Expectations
import Testing

@testable import Language

/// Secrets in stored text.
@Suite struct SecretsTests {
  private func secrets(_ texts: String...) -> Secrets {
    var secrets = Secrets()
    for text in texts { secrets.insert(text) }
    return secrets
  }

  @Test("stored text has no secret in it, and has them again in whatever order they are known")
  func sealed() throws {
    let text = Array(#"{"a":"hunter2-xyz","b":"x\"y/z-1","c":"hunter2-xyzhunter2-xyz"}"#.utf8)
    let sealed = secrets("hunter2-xyz", "x\"y/z-1").sealed(text)
    let shown = String(decoding: Secrets.shown(sealed: sealed), as: UTF8.self)
    expect(shown, equals: #"{"a":"***","b":"***","c":"******"}"#)
    expect(secrets("x\"y/z-1", "another", "hunter2-xyz").opened(sealed), equals: text)
    expectNil(secrets("hunter2-xyz").opened(sealed))
    expectNil(secrets("hunter2-xyy", "x\"y/z-1").opened(sealed))
  }

  @Test("of an address its password is hidden, and what is behind its host")
  func addresses() {
    func parts(_ value: String) -> [String] { Secrets.secretParts(of: value, named: "DATABASE_URL") }
    expect(parts("https://example.org/hook/xyz"), equals: ["/hook/xyz"])
    expect(parts("postgres://flow:hunter2-xyz@db:5432/shop"), equals: ["/shop", "hunter2-xyz"])
    #expect(parts("postgres://flow@db:5432/").isEmpty && parts("hunter2-xyz") == ["hunter2-xyz"])
  }

  @Test("text without secrets is stored as it is")
  func plain() {
    let text = Array(#"{"a":"***1a2b3c4d"}"#.utf8)
    #expect(secrets("hunter2-xyz").sealed(text) == text && secrets().opened(text) == text)
    expect(Secrets.shown(sealed: text), equals: text)
  }
}
