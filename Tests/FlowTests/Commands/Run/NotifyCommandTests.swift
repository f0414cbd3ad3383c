import Foundation
import Loopback
import Testing

@Suite("flow notify") struct NotifyCommandTests {
  private func flow(_ arguments: String...) throws -> Outcome {
    let place = try Workplace()
    try place.write("stdin", "")
    try place.write("config.yaml", "chat: telegram://123:verysecret/4?server=http://127.0.0.1:1\nnumber: 7\n")
    return try Running(["notify"] + arguments, in: place, input: .file(place["stdin"])).end()
  }

  @Test("a destination that cannot be reached is a failure, without its keys")
  func unreachable() throws {
    let outcome = try flow("$config.chat", "hello")
    #expect(outcome.status == 1 && outcome.output.isEmpty)
    #expect(
      outcome.errors.hasPrefix("flow notify: POST http://127.0.0.1:1/bot***/sendMessage: cannot connect"))
    #expect(!outcome.errors.contains("verysecret"))
  }

  @Test(
    "wrong use is reported with a hint",
    arguments: [
      (["$config.phone", "x"], "config.yaml has no text called “phone”"),
      (["ntyf://h/t", "x"], "did you mean ntfy:?"), (["ntfy://h/t"], "TEXT is missing"),
      (["ntfy://h/t", "x", "--link", "ftp://a"], "https:// or http://"),
    ])
  func wrong(_ arguments: [String], _ message: String) throws {
    let place = try Workplace()
    try place.write("stdin", "")
    let outcome = try Running(["notify"] + arguments, in: place, input: .file(place["stdin"])).end()
    #expect(outcome.status == 2 && outcome.errors.contains(message), "\(outcome.errors)")
  }

  @Test("an accepted message is confirmed; a server without TLS leads to +http")
  func sent() throws {
    let server = try LoopbackServer { _ in [.reply("{}")] }
    try server.serving {
      let address = server.url.replacing("http://", with: "") + "/alerts"
      let sent = try flow("ntfy+http://\(address)", "hello")
      #expect(sent.status == 0 && sent.output == "sent\n", "\(sent)")
      let plain = try flow("ntfy://\(address)", "hello")
      #expect(
        plain.status == 1 && plain.errors.contains("; a server without TLS is written ntfy+http://…"),
        "\(plain)")
    }
  }
}
