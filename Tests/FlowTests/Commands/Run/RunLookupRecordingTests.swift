import Expectations
import Foundation
import Testing

/// `flow run --record` and `--replay` of pipelines that ask for more: lookups, launches one by one.
@Suite(.timeLimit(.minutes(30))) struct RunLookupRecordingTests {
  private static let pipeline = """
    name: p
    sources: { in: { launch_library: { limit: 3, cache: 0s }, every: 6h } }
    steps:
      - enrich:
          url: 'https://ll.thespacedevs.com/2.3.0/launches/\\(.id)/'
          with: '{ id, at: $meta.at, net, updated: $answer.last_updated }'
          cache: 0s
    sinks: { log: { jsonl: log.jsonl } }
    """

  @Test("lookups are recorded beside the polls, and a replay answers with them: the log is the same")
  func wholeWay() throws {
    let place = try Workplace(Self.pipeline)
    let live = try place.run("--sky", "--speed", "21600", "--for", "6s", "--record", "rec")
    expect(live.status, equals: 0, "\(live.errors)")
    let log = place.lines("out/sky/log.jsonl")
    let news = Set(log.compactMap { $0.firstMatch(of: /"updated":.*/)?.output })
    #expect(log.count >= 6 && news.count >= 2, "\(log)")
    let lookups = place.text("rec/lookups.jsonl")
    for _ in 0..<2 {
      try expect(
        place.run("--replay", "rec"),
        equals: Outcome(
          status: 0, output: "",
          errors: "log: log.jsonl is written to out/replay/log.jsonl under --replay\n"))
      expect(place.lines("out/replay/log.jsonl"), equals: log)
    }
    expect(place.text("rec/lookups.jsonl"), equals: lookups, "a replay adds nothing")
  }

  @Test("launch-videos, recorded under the sky, tells the same again in a replay")
  func videos() throws {
    let root = URL(fileURLWithPath: #filePath).appending(path: "../../../../..").standardizedFileURL.path
    let pipeline = "\(root)/pipelines/launch-videos.yaml"
    let place = try Workplace()
    // The pipeline compares with the current time, which in a replay is that of the poll: at twelve times this speed a
    // busy machine came to a launch so late that it had flown.
    let live = try place.flow(
      "run", "--sky", "--speed", "3600", "--for", "6s", "--record", "rec", pipeline)
    expect(live.status, equals: 0, "\(live.errors)")
    let told = live.output.split(separator: "\n")
    #expect(!told.isEmpty, "\(live.output) \(live.errors)")
    let again = try place.flow("run", "--replay", "rec", pipeline)
    #expect(again.status == 0 && again.output.split(separator: "\n") == told, "\(again.errors)")
  }

  @Test("a lookup that the recording does not have is a failure of its event, which says so")
  func missingOne() throws {
    let place = try Workplace(Self.pipeline)
    try place.record(#"{"at":1,"rows":[{"id":"a"},{"id":"b"}]}"#)
    try place.write(
      "rec/lookups.jsonl",
      #"{"at":1,"step":"enrich","url":"https://ll.thespacedevs.com/2.3.0/launches/b/","answer":{}}"# + "\n")
    let outcome = try place.run("--replay", "rec")
    expect(place.lines("out/replay/log.jsonl").count, equals: 1)
    #expect(
      outcome.errors.contains(
        "GET https://ll.thespacedevs.com/2.3.0/launches/a/: the recording has no such lookup"), "\(outcome)")
  }

  @Test(
    "a recording without lookups cannot be replayed by who needs them, which is said before anything is written"
  )
  func missingAll() throws {
    let place = try Workplace(Self.pipeline)
    try place.record(#"{"at":1,"rows":[{"id":"a"}]}"#)
    let outcome = try place.run("--replay", "rec")
    #expect(outcome.status == 1 && !place.has("out"))
    expect(
      outcome.errors,
      equals: "flow: error: enrich: the recording has no lookups: rec/lookups.jsonl: cannot open: "
        + "No such file or directory; --record FOLDER makes one that has\n")
    try place.write(
      "p.yaml", "sources: { in: { generate: 1 } }\nsteps: []\nsinks: { log: { jsonl: log.jsonl } }\n")
    #expect(try place.run("--replay", "rec").status == 0 && place.lines("out/replay/log.jsonl").count == 1)
  }

  @Test("in virtual time by itself there is no network for lookups, which is said")
  func replaySource() throws {
    let place = try Workplace(
      Self.pipeline.replacing(
        "launch_library: { limit: 3, cache: 0s }, every: 6h", with: "replay: rec/in.jsonl"))
    try place.record(#"{"at":1,"rows":[{"id":"a"}]}"#)
    let outcome = try place.run()
    #expect(
      outcome.status == 1 && outcome.errors.contains("there is no network in virtual time"), "\(outcome)")
  }

  @Test("a source cannot be called as the recording of lookups is")
  func name() throws {
    let place = try Workplace(Self.pipeline.replacing("{ in:", with: "{ lookups:"))
    let outcome = try place.run("--once", "--record", "rec")
    #expect(outcome.status == 2 && outcome.errors.contains("a source called “lookups”"), "\(outcome)")
  }
}
