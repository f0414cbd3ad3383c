import Expectations
import Foundation
import Loopback
import Reactive
import TestSupport
import Testing

/// What pipelines that only show rows show while their services are away: the last good answers, and nothing is kept.
@Suite("Old answers", .timeLimit(.minutes(30))) struct OldAnswersTests {
  private let place: Workplace

  init() throws { place = try Workplace() }

  /// Runs `body` while the simulated services are there, and leaves them away.
  private func withSky(_ body: () throws -> Void) throws {
    let sky = try Running(["sky", "--seed", "7", "--speed", "0"], in: place, input: .open)
    try sky.waitForErrors("simulated")
    let url = try #require(sky.shown.split(separator: "\n").first)
    let service = "{ url: '\(url)' }"
    try place.write(
      "config.yaml", "defaults: { launch_library: \(service), spacex: \(service), apod: \(service) }\n")
    try body()
    _ = try sky.end(by: SIGINT)
  }

  /// The words of a table, but for the column that says how old they are, and pictures that are chosen at random.
  private func words(_ text: String) -> [String] {
    text.replacingOccurrences(of: "0 h ago", with: "").split { $0 == " " || $0 == "\n" }.map(String.init)
      .filter { !$0.contains("/pictures/photos/") }
  }

  @Test(
    "the pipelines that only show show what they showed before, say how old it is, and have failed",
    arguments: ["upcoming-launches", "spacex-rockets", "spacex-launches", "apod-album"])
  func shipped(name: String) throws {
    let path = "\(ShippedPipelinesTests.root)/pipelines/\(name).yaml"
    // The days that the simulated service has, whatever day it is here.
    let days = name == "apod-album" ? ["--set", "from=2025-12-01", "--set", "until=2025-12-20"] : []
    let arguments = days + ["--config", "config.yaml", path]
    var before = Outcome(status: -1, output: "", errors: "")
    try withSky { before = try place.flow(["run", "--once"] + arguments) }
    expect(before.status, equals: 0, before.errors)
    #expect(words(before.output).count > 20)

    let once = try place.flow(["run", "--once", "--refresh"] + arguments)
    expect(words(once.output), equals: words(before.output), once.errors)
    expect(once.status, equals: 1)
    #expect(once.errors.contains("shown: the answer of "), "\(once.errors)")

    // It goes on, or ends by itself where it polls once.
    let running = try Running(
      ["run", "--refresh"] + arguments, in: place, input: .open)
    try running.waitForErrors("shown: the answer of ")
    #expect(eventually { words(running.shown) == words(before.output) })
    _ = try running.end(by: SIGTERM)
  }

  @Test(
    "over a list the old answer of each entry that fails is shown once, with its age, until its first good poll"
  )
  func entries() throws {
    let isDown = Locked(false)
    let server = try LoopbackServer { request in
      let name = request.target.split(separator: "/").last ?? ""
      if isDown.withLock({ $0 }), name != "c" { return [.reply("", status: "404 Not Found")] }
      return [.reply(#"[{"price":\#(name == "c" && isDown.withLock { $0 } ? 9 : 5)}]"#)]
    }
    try server.serving {
      try place.write(
        "p.yaml",
        #"""
        name: shops
        sources:
          shops: { http: { url: '\#(server.url)/\(.)', each: [a, b, c] }, every: 200ms, retry: 0s }
        sinks: { screen: { console: '\($meta.each) \(.price)' } }
        """#)
      expect(Set(try place.run("--once").output.split(separator: "\n")), equals: ["a 5", "b 5", "c 5"])
      isDown.withLock { $0 = true }
      let once = try place.run("--once")
      expect(once.output.split(separator: "\n").sorted(), equals: ["a 5", "b 5", "c 9"], once.errors)
      expect(once.status, equals: 1)
      for shop in ["a", "b"] {
        #expect(once.errors.contains("shops[\(shop)]: warning: shown: the answer of "), "\(once.errors)")
      }
      #expect(!once.errors.contains("shops[c]"), "\(once.errors)")

      let run = try place.start()
      try run.waitForErrors("shops[b]: warning: shown: the answer of ")
      try run.waitForErrors("shops[a]: warning: shown: the answer of ")
      #expect(eventually { run.shown.contains("a 5") && run.shown.contains("b 5") })
      _ = try run.end(by: SIGTERM)
      expect(run.shown.split(separator: "\n").count { $0 == "a 5" || $0 == "b 5" }, equals: 2, run.errors)
    }
  }

  @Test("an old answer is shown, and not observed: a pipeline that compares or writes has nothing of it")
  func observing() throws {
    try withSky {
      try place.write(
        "p.yaml",
        """
        sources: { up: { launch_library: { list: upcoming, limit: 20, cache: 0s } } }
        steps: [{ map: '{ id, name }' }, { changes: { key: .id, first: emit } }]
        sinks: { log: { jsonl: log.jsonl }, screen: { console: .key } }
        """)
      expect(try place.run("--once").status, equals: 0)
    }
    let count = place.lines("log.jsonl").count
    let outcome = try place.run("--once")
    expect(outcome.status, equals: 1)
    expect(outcome.output, equals: "")
    expect(place.lines("log.jsonl").count, equals: count)
  }
}
