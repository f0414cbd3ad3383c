import Expectations
import Testing

@testable import Browser

@Suite struct DevToolsPipeTests {
  /// The messages of some pieces.
  private func messages(_ pieces: [String]) -> [String] {
    var framing = MessageFraming()
    var found: [String] = []
    for piece in pieces {
      Array(piece.utf8).withUnsafeBytes { bytes in
        framing.take(bytes) { found.append(String(decoding: $0, as: UTF8.self)) }
      }
    }
    return found
  }

  @Test("messages end with a zero byte, however they are cut")
  func framing() {
    expect(messages(["{}\0"]), equals: ["{}"])
    expect(messages(["{\"a\"", ":1", "}\0{}\0{\"b\""]), equals: ["{\"a\":1}", "{}"])
    expect(messages(["\0\0{}\0", "\0", "[]", "\0"]), equals: ["{}", "[]"])
    expect(messages(["{}"]), equals: [])
  }
}
