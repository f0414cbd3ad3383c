import Expectations
import TestScale
import Reactive
import Testing

@testable import Fetch

@Suite struct RedactionTests {
  @Test("every way to write a secret is hidden, the longest first; what is too short is not looked for")
  func masked() {
    let redaction = Redaction(["hunter2", "hunter2-and-more", "a/b+c?", "abc"])
    expect(redaction.masked("hunter2 hunter2-and-more abc"), equals: "*** *** abc")
    expect(redaction.masked("a/b+c? a\\/b+c? a/b%2Bc%3F"), equals: "*** *** ***")
    expect(redaction.masked("nothing"), equals: "nothing")
    expect(Redaction(["a%20bcd"]).masked("a bcd, a%20bcd"), equals: "***, ***")
  }

  @Test("a body is kept without secrets and comes back whole")
  func hidden() throws {
    let redaction = Redaction(["hunter2", "hunter2-and-more"])
    let body = Array(#"{"next":"/?key=hunter2&x=hunter2-and-more","é":"hunter"}"#.utf8)
    let kept = try #require(redaction.stripped(body))
    #expect(!kept.contains(subsequence: "hunter2"))
    expect(redaction.restored(kept), equals: body)
    expect(redaction.restored(body), equals: body)
    expect(Redaction().stripped(body), equals: body)
  }

  @Test("the beginning of a secret at the end of a text is hidden too")
  func cut() {
    let redaction = Redaction(["hunter2-long"])
    expect(redaction.masked("a hunter2-lon"), equals: "a ***")
    expect(redaction.masked("a hunt"), equals: "a ***")
    expect(redaction.masked("a hun"), equals: "a hun")
    expect(redaction.masked("hunter2-long"), equals: "***")
    expect(redaction.masked("hunter"), equals: "***")
  }

  @Test("any body with any secrets comes back whole, and none of them lies in between")
  func property() throws {
    var dice = SplitMix64(seed: 3)
    let letters = Array("abc/%20 é\\")
    func text(_ count: Int) -> String { String((0..<count).map { _ in letters[dice.below(letters.count)] }) }
    for _ in 0..<TestScale.count(2000, atLeast: 100) {
      let secrets = (0..<dice.below(4)).map { _ in text(4 + dice.below(4)) }
      var body: [UInt8] = []
      for _ in 0..<dice.below(6) {
        body += Array(text(dice.below(8)).utf8)
        if let secret = secrets.randomElement(using: &dice) { body += Array(secret.utf8) }
      }
      let redaction = Redaction(secrets)
      let kept = try #require(redaction.stripped(body))
      expect(redaction.restored(kept), equals: body)
      for secret in secrets { #expect(!kept.contains(subsequence: secret)) }
      let shown = Array(redaction.masked(String(decoding: body, as: UTF8.self)).utf8)
      for secret in secrets { #expect(!shown.contains(subsequence: secret)) }
    }
  }

  @Test(
    "what is not text could be taken for hidden secrets and is not kept; a foreign redaction reveals nothing")
  func foreign() throws {
    expectNil(Redaction(["hunter2"]).stripped([0x20, 0xff, 0x00]))
    expect(Redaction().stripped([0xff, 0x00]), equals: [0xff, 0x00])
    let kept = try #require(Redaction(["hunter2", "secret-of-two"]).stripped(Array("hunter2".utf8)))
    expectNil(Redaction(["single"]).restored(kept))
  }

  @Test("a secret is masked in the forms that URLs and JSON give it")
  func forms() {
    let redaction = Redaction(["a/b+c \"d"])
    for form in ["a/b+c \"d", "a%2Fb%2Bc%20%22d", "a/b%2Bc%20%22d", #"a/b+c \"d"#, #"a\/b+c \"d"#] {
      expect(redaction.masked("<\(form)>"), equals: "<***>", "\(form)")
    }
  }
}

extension [UInt8] {
  func contains(subsequence text: String) -> Bool { firstRange(of: Array(text.utf8)) != nil }
}
