import Expectations
import Foundation
import JSON
import Loopback
import Reactive
import Testing

/// Recipes that notice when data stops, against servers that fail in each way that servers do.
@Suite("recipes against servers that fail", .timeLimit(.minutes(30))) struct FailingServerTests {
  enum Fault: String, CaseIterable, Sendable {
    case breaksOff, saysNothing, status500, status429, asksToWait, emptyBody, halfBody, loginPage, errorObject
    case otherColumns, hangs

    fileprivate var steps: [LoopbackServer.Step] {
      switch self {
      case .breaksOff: [.reset]
      case .saysNothing: [.close]
      case .status500: [.reply("{}", status: "500 Internal Server Error")]
      case .status429: [.reply("{}", status: "429 Too Many Requests")]
      case .asksToWait: [.reply("{}", status: "429 Too Many Requests", ["Retry-After: 1"])]
      case .emptyBody: [.reply("")]
      case .halfBody: [.text("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n[{\"id\": 1}, {\"i"), .close]
      case .loginPage:
        [.reply("<html><title>Sign in</title><input type=password></html>", ["Content-Type: text/html"])]
      case .errorObject: [.reply(#"{"error": "overloaded"}"#)]
      case .otherColumns: [.reply("code\n7\n")]
      case .hangs: [.pause(milliseconds: 4000), .close]
      }
    }
  }

  private final class Service: Sendable {
    let fault = Locked<Fault?>(nil)
  }

  private let service = Service()
  private let server: LoopbackServer
  private let place: Workplace

  init() throws {
    server = try LoopbackServer { [service] request in
      let good =
        request.target == "/table"
        ? "id,name\n1,a\n2,b\n" : #"[{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]"#
      return service.fault.withLock { $0 }?.steps ?? [.reply(good)]
    }
    place = try Workplace()
  }

  /// The sources and steps of a recipe, with these parts of it replaced, and other sinks.
  private func write(_ recipe: String, _ parts: [(String, String)], sinks: String) throws {
    let text = try String(contentsOfFile: "\(DocumentsTests.root)/docs/recipes.md", encoding: .utf8)
    let block = try #require(try CodeBlock.all(in: text).first { $0.words == [recipe] })
    var pipeline = try #require(block.text.components(separatedBy: "\nsinks:").first)
    for (part, other) in parts {
      #expect(pipeline.contains(part), "\(recipe) has no \(part)")
      pipeline = pipeline.replacingOccurrences(of: part, with: other)
    }
    try place.write("p.yaml", pipeline + "\nsinks:\n" + sinks)
  }

  /// Runs the pipeline; the last line of its output is `on` while the server fails, and `off` before and afterwards.
  private func tryOut(_ fault: Fault, isOn: (String) -> Bool, isOff: (String) -> Bool) throws {
    try server.serving {
      let running = try place.start("--no-state")
      try running.wait(for: "polls") { server.received.count > 3 }
      #expect(place.lines("out.jsonl").last.map(isOff) ?? true)
      service.fault.withLock { $0 = fault }
      try running.wait(for: "the alarm") { place.lines("out.jsonl").last.map(isOn) == true }
      service.fault.withLock { $0 = nil }
      try running.wait(for: "its end") { place.lines("out.jsonl").last.map(isOff) == true }
      _ = try running.end(by: SIGTERM)
    }
  }

  /// The source; columns are those of a table.
  private func source(_ fault: Fault) -> String {
    fault == .otherColumns
      ? "http: { url: '\(server.url)/table', decode: csv, timeout: 500ms }"
      : "http: { url: '\(server.url)/rows', timeout: 500ms }"
  }

  @Test("a dead man's switch reports each of them, and when it is over", arguments: Fault.allCases)
  func watchdog(fault: Fault) throws {
    try write(
      "watchdog.yaml",
      [
        ("http: 'https://example.org/orders.json'", source(fault)), ("every: 10m", "every: 300ms"),
        ("for: 1h", "for: 2s"),
      ], sinks: "  alarm: { jsonl: out.jsonl }\n")
    try tryOut(fault, isOn: { $0.contains("silent") }, isOff: { $0.contains("back") })
  }

  @Test("the sensor of Home Assistant is on for each of them, and off afterwards", arguments: Fault.allCases)
  func sensor(fault: Fault) throws {
    try write(
      "home-assistant.yaml",
      [
        ("launch_library: { limit: 1 }", source(fault)), ("launch_library: { limit: 50 }", source(fault)),
        ("every: 15m", "every: 300ms"), ("every: 1h", "every: 300ms"),
      ],
      sinks: """
          problem: { from: problems, jsonl: out.jsonl }
          others: { from: [next, news, count], 'null': {} }

        """)
    try tryOut(fault, isOn: { $0 == #""ON""# }, isOff: { $0 == #""OFF""# })
  }
}
