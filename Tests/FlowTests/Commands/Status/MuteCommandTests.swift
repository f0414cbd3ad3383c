import Expectations
import Foundation
import Testing

/// `flow mute`: no alerts of a pipeline while it is worked on.
@Suite("flow mute", .timeLimit(.minutes(30))) struct MuteCommandTests {
  private let trial: AlertTrial
  private let place: Workplace

  init() throws {
    trial = try AlertTrial()
    place = try Workplace(trial.pipeline)
    try place.write("config.yaml", trial.config())
  }

  @Test("a problem of a muted pipeline is no alert and stops no ping; what lasts is reported afterwards")
  func muted() throws {
    try trial.server.serving {
      let running = try place.start()
      try running.wait(for: "rows") { place.has("log.jsonl") }
      expect(try place.flow("mute").output, equals: "no pipeline is muted\n")
      let muted = try place.flow("mute", "p.yaml", "2h")
      #expect(muted.status == 0 && muted.output.hasPrefix("rows: muted until "), "\(muted)")
      expect(try place.flow("mute").output, equals: muted.output)
      trial.answer(with: "404 Not Found")
      try running.wait(for: "the failure") { running.errors.contains("404") }
      let pings = trial.pings
      try running.wait(for: "pings") { trial.pings > pings + 2 }
      let status = try place.flow("status", "rows")
      #expect(status.status == 1 && status.output.contains(", muted until "), "\(status)")
      #expect(try place.flow("status", "rows", "--json").output.contains("\"muted_until\":"))
      #expect(trial.titles.isEmpty)
      expect(try place.flow("mute", "rows", "--off").output, equals: "rows: alerts are sent again\n")
      try running.wait(for: "the alert") { trial.titles == ["rows/api failed"] }
      _ = try running.end(by: SIGTERM)
    }
    // Whether it runs makes no difference.
    expect(try place.flow("mute", "rows", "10m").status, equals: 0)
    #expect(try place.flow("status", "--all").output.contains("muted until"))
  }

  @Test(
    "wrong use is reported",
    arguments: [
      (["rows"], 2, "name a pipeline and a time, as in flow mute rows 2h"),
      (["rows", "soon"], 2, "soon"), (["rows", "--off", "2h"], 2, "--off takes no time"),
      (["rows", "--off"], 1, "rows is not muted"), (["row", "2h"], 2, "did you mean “rows”?"),
    ])
  func wrong(_ arguments: [String], _ status: Int32, _ message: String) throws {
    try trial.server.serving { _ = try place.run("--once") }
    let outcome = try place.flow(["mute"] + arguments)
    #expect(outcome.status == status && outcome.errors.contains(message), "\(outcome)")
  }
}
