import Expectations
import Foundation
import JSON
import Testing

/// Alerts of a run: what fails reaches a phone, and an address is called while nothing does.
@Suite("Alerts", .timeLimit(.minutes(30))) struct RunAlertsTests {
  private let trial: AlertTrial
  private let place: Workplace

  init() throws {
    trial = try AlertTrial()
    place = try Workplace(trial.pipeline)
    try place.write("config.yaml", trial.config())
  }

  @Test("an outage is sent when it begins and when it is over, and while it lasts no ping is")
  func outage() throws {
    try trial.server.serving {
      let running = try place.start()
      try running.wait(for: "pings") { trial.pings > 2 }
      trial.answer(with: "404 Not Found")
      try running.wait(for: "the alert") { trial.titles == ["rows/api failed"] }
      let pings = trial.pings
      let polls = trial.server.received.count
      try running.wait(for: "more polls") { trial.server.received.count > polls + 3 }
      // One may have been on its way.
      #expect(trial.pings <= pings + 1)
      trial.answer(with: "200 OK")
      try running.wait(for: "the end") { trial.titles == ["rows/api failed", "rows/api recovered"] }
      try running.wait(for: "pings again") { trial.pings > pings + 2 }
      let status = try place.flow("status", "--json", "alerts")
      #expect(status.status == 0 && status.output.contains("\"name\":\"alerts\""), "\(status)")
      _ = try running.end(by: SIGTERM)
    }
  }

  @Test("an alert that could not be sent is sent by the next run, also after a kill")
  func outbox() throws {
    try place.write("config.yaml", trial.config(to: "ntfy+http://127.0.0.1:1/me"))
    try trial.server.serving {
      trial.answer(with: "404 Not Found")
      let killed = try place.start()
      try killed.wait(for: "the alert in the outbox") {
        let status = try? place.flow("status", "--json", "alerts").output
        return status?.contains("\"queue\":1") == true
      }
      _ = try killed.end(by: SIGKILL)
      try place.write("config.yaml", trial.config())
      let running = try place.start()
      try running.wait(for: "the alert") { trial.titles == ["rows/api failed"] }
      trial.answer(with: "200 OK")
      try running.wait(for: "the pair of it") { trial.titles == ["rows/api failed", "rows/api recovered"] }
      _ = try running.end(by: SIGTERM)
    }
  }

  @Test("a pipeline that ends with an error is reported before the process ends")
  func ended() throws {
    try place.write(
      "p.yaml",
      """
      name: sums
      on_error: stop
      sources: { in: { file: in.jsonl } }
      steps: [map: .n + 1]
      sinks: { log: { jsonl: log.jsonl } }
      """)
    try place.write("in.jsonl", "{\"n\":\"a\"}\n")
    try trial.server.serving {
      expect(try place.run().status, equals: 1)
      #expect(trial.titles.contains("sums failed"), "\(trial.titles)")
    }
  }

  @Test("a pipeline that comes with a reload is among them")
  func reloaded() throws {
    try FileManager.default.createDirectory(atPath: place["pipes"], withIntermediateDirectories: true)
    try place.write("pipes/config.yaml", trial.config())
    try place.write("pipes/a.yaml", trial.pipeline)
    try trial.server.serving {
      let running = try Running(["run", "pipes"], in: place, input: .file("/dev/null"))
      try running.wait(for: "rows") { place.has("log.jsonl") }
      try place.write(
        "pipes/b.yaml",
        trial.pipeline.replacingOccurrences(of: "name: rows", with: "name: others")
          .replacingOccurrences(of: "log.jsonl", with: "others.jsonl"))
      running.send(SIGHUP)
      try running.wait(for: "the other rows") { place.has("others.jsonl") }
      trial.answer(with: "404 Not Found")
      try running.wait(for: "both alerts") { Set(trial.titles) == ["rows/api failed", "others/api failed"] }
      _ = try running.end(by: SIGTERM)
    }
  }

  @Test("a second process has an outbox of its own")
  func twice() throws {
    let other = try Workplace(trial.pipeline.replacingOccurrences(of: "name: rows", with: "name: others"))
    try other.write("config.yaml", trial.config())
    try trial.server.serving {
      let first = try place.start("--state", place["s"])
      try first.wait(for: "pings") { trial.pings > 1 }
      let second = try other.start("--state", place["s"])
      try second.wait(for: "rows") { other.has("log.jsonl") }
      trial.answer(with: "404 Not Found")
      try second.wait(for: "both alerts") { Set(trial.titles) == ["rows/api failed", "others/api failed"] }
      let names = try place.flow("status", "--state", place["s"], "alerts", "alerts-2")
      #expect(names.output.contains("alerts-2  running"), "\(names)")
      _ = try first.end(by: SIGTERM)
      _ = try second.end(by: SIGTERM)
    }
  }

  @Test(
    "none are sent of a run that polls once, or only shows what it would do",
    arguments: ["--once", "--dry-run"])
  func none(option: String) throws {
    trial.answer(with: "404 Not Found")
    try trial.server.serving {
      expect(try place.run("--once", "--no-state", option).status, equals: 1)
    }
    #expect(trial.titles == [] && trial.pings == 0)
  }
}
