import Expectations
import Foundation
import TestScale
import Testing

/// `flow run --record` and `--replay`.
@Suite(.timeLimit(.minutes(30))) struct RunRecordingTests {
  static let pipeline = """
    name: p
    vars: { n: 1 }
    sources: { in: { generate: '{id: 1, n: $vars.n}', every: 1h } }
    steps: [changes: { key: .id, first: emit }]
    sinks: { log: { jsonl: log.jsonl } }
    """
  private static let moved = "log: log.jsonl is written to out/replay/log.jsonl under --replay\n"

  @Test("polls are kept over runs; replayed they give the changes, in no time, into a file of their own")
  func wholeWay() throws {
    let place = try Workplace(Self.pipeline)
    for n in 1...3 {
      let outcome = try place.run("--once", "--no-state", "--record", "rec", "--set", "n=\(n)")
      expect(outcome, equals: Outcome(status: 0, output: "", errors: ""))
    }
    expect(place.lines("rec/in.jsonl").count, equals: 3)
    let log = place.text("log.jsonl")
    try expect(place.run("--replay", "rec"), equals: Outcome(status: 0, output: "", errors: Self.moved))
    let types = place.lines("out/replay/log.jsonl").map { $0.prefix(18) }
    expect(types, equals: [#"{"type":"added","k"#, #"{"type":"changed","#, #"{"type":"changed","#])
    expect(place.lines("rec/in.jsonl").count, equals: 3, "a replay adds nothing")
    expect(place.text("log.jsonl"), equals: log)
  }

  @Test("a recording is found in this folder, or else next to the pipeline, also one that is installed")
  func nextToPipeline() throws {
    let place = try Workplace()
    let folder = "share/flow/pipelines"
    try FileManager.default.createDirectory(
      atPath: place["\(folder)/week"], withIntermediateDirectories: true)
    try place.write("\(folder)/p.yaml", Self.pipeline)
    try place.write("\(folder)/week/in.jsonl", #"{"at":"2026-01-01T00:00:00Z","rows":[{"id":1}]}"# + "\n")
    let installed = ["XDG_DATA_DIRS": place["share"]]
    for pipeline in ["\(folder)/p.yaml", "p"] {
      let outcome = try place.flow("run", "--replay", "week", pipeline, environment: installed)
      expect(outcome.status, equals: 0, "\(outcome.errors)")
      #expect(place.text("out/replay/log.jsonl").contains(#""after":{"id":1}"#))
      try place.remove("out")
    }
    try FileManager.default.createDirectory(atPath: place["week"], withIntermediateDirectories: true)
    let other = try place.flow("run", "--replay", "week", "p", environment: installed)
    #expect(other.errors.contains("there is no recording of “in”: week/in.jsonl"), "\(other.errors)")
  }

  @Test("a replay needs none of the pipeline's secrets, but for live sinks")
  func secrets() throws {
    let place = try Workplace(
      Self.pipeline.replacing(
        "n: 1 }", with: "n: 1, a: '${ACME_KEY}', b: '${exec:false}', c: '${credential:x}' }"))
    try place.record(#"{"at":"2026-01-01T00:00:00Z","rows":[{"id":1}],"coverage":"complete"}"#)
    let replay = try place.run("--replay", "rec")
    #expect(
      replay.status == 0 && replay.errors.contains("warning: p.yaml:2:19: the variable ACME_KEY"), "\(replay)"
    )
    let live = try place.run("--replay", "rec", "--live-sinks")
    #expect(live.status == 2 && live.errors.contains("the variable ACME_KEY is not set"), "\(live)")
  }

  @Test("a recording has the coverage of each poll, and a replay too")
  func coverage() throws {
    let place = try Workplace(
      #"""
      sources: { in: { launch_library: { limit: 10 } } }
      steps: [{ take: { count: 1, per: poll } }]
      sinks: { screen: { console: '\($meta.coverage) \($meta.order) \($meta.last) \($meta.moves)' } }
      """#)
    let outcome = try place.flow("run", "--sky", "--once", "--record", "rec", "p.yaml")
    let line = try #require(outcome.output.split(separator: "\n").last { $0.hasPrefix("truncated") })
    #expect(line.wholeMatch(of: /truncated \.net 2026-\d\d-\d\dT\d\d:\d\d:\d\dZ true/) != nil, "\(outcome)")
    let recorded = try #require(place.lines("rec/in.jsonl").last)
    #expect(recorded.contains(#""coverage":"truncated","order":".net","last":"2026-"#), "\(recorded)")
    let replayed = try place.flow("run", "--replay", "rec", "p.yaml")
    #expect(replayed.output.contains(line), "\(replayed)")
  }

  @Test("a recording has real polls or simulated ones, not both")
  func realOrSimulated() throws {
    let place = try Workplace(Self.pipeline)
    for _ in 0..<2 {
      try expect(place.flow("run", "--once", "--no-state", "--record", "real", "p.yaml").status, equals: 0)
      try expect(place.flow("run", "--sky", "--once", "--record", "sky", "p.yaml").status, equals: 0)
    }
    #expect(place.lines("sky/in.jsonl").allSatisfy { $0.hasSuffix(#","simulated":true}"#) })
    let intoReal = try place.flow("run", "--sky", "--once", "--record", "real", "p.yaml")
    expect(intoReal.status, equals: 2)
    #expect(
      intoReal.errors.contains(
        "real/in.jsonl holds real polls, and this run's are simulated; name another folder with --record"))
    let intoSky = try place.flow("run", "--once", "--no-state", "--record", "sky", "p.yaml")
    expect(intoSky.status, equals: 2)
    #expect(intoSky.errors.contains("sky/in.jsonl holds simulated polls, and this run's are real"))
    #expect(place.lines("real/in.jsonl").count == 2 && place.lines("sky/in.jsonl").count == 2)
  }

  @Test("a replay knows nothing of the state, and leaves none; with --state it has one of its own")
  func state() throws {
    let place = try Workplace(Self.pipeline)
    _ = try place.run("--once", "--record", "rec")
    expect(place.lines("log.jsonl").count, equals: 1)
    _ = try place.run("--replay", "rec")
    expect(place.lines("out/replay/log.jsonl").count, equals: 1, "the row is new to it")
    for _ in 0..<2 { try expect(place.run("--replay", "rec", "--state", "own").errors, equals: Self.moved) }
    expect(place.lines("out/replay/log.jsonl").count, equals: 1, "the second finds what the first has left")
    expect(place.lines("log.jsonl").count, equals: 1)
    #expect(place.has("own/p.db"))
  }

  @Test("a source that is read and not polled is said not to be recorded, and read again by a replay")
  func files() throws {
    let place = try Workplace(
      """
      sources: { in: { generate: 1 }, file: { file: { path: in.jsonl, follow: true } } }
      steps: []
      sinks: { log: { jsonl: log.jsonl } }
      """, input: "2\n3\n")
    let outcome = try place.run("--once", "--record", "rec")
    expect(outcome.errors, equals: "file: not recorded: file is read, not polled\n")
    try expect(place.run("--replay", "rec").status, equals: 0)
    for log in ["log.jsonl", "out/replay/log.jsonl"] {
      expect(place.lines(log).sorted(), equals: ["1", "2", "3"])
    }
  }

  @Test("a recording that cannot be written is reported, and the run continues")
  func noRoom() throws {
    let place = try Workplace(Self.pipeline)
    try place.write("rec", "a file where the folder is to be")
    let outcome = try place.run("--once", "--record", "rec")
    #expect(outcome.status == 0 && place.lines("log.jsonl").count == 1)
    #expect(outcome.errors.contains("warning: rec/in.jsonl: ") && outcome.errors.contains("not recorded"))
  }

  @Test("several pipelines are recorded and replayed together, sources of one name only replayed")
  func several() throws {
    let place = try Workplace(Self.pipeline)
    try place.write(
      "q.yaml", "name: q\nsources: { other: { generate: 1 } }\nsteps: []\nsinks: { l: { jsonl: q.jsonl } }\n")
    try expect(place.flow("run", "--once", "--record", "rec", "p.yaml", "q.yaml").status, equals: 0)
    try expect(place.flow("run", "--replay", "rec", "p.yaml", "q.yaml").status, equals: 0)
    #expect(place.lines("out/replay/q.jsonl") == ["1"] && place.lines("out/replay/log.jsonl").count == 1)
    try place.write(
      "q.yaml", "name: q\nsources: { in: { generate: 1 } }\nsteps: []\nsinks: { l: { jsonl: q.jsonl } }\n")
    let both = try place.flow("run", "--once", "--record", "rec", "p.yaml", "q.yaml")
    #expect(both.status == 2 && both.errors.contains("p.yaml and q.yaml both have a source"))
    try expect(place.flow("run", "--replay", "rec", "p.yaml", "q.yaml").status, equals: 0)
    #expect(place.lines("out/replay/q.jsonl").count == 1 && place.lines("q.jsonl").count == 1)
  }

  @Test("what makes no sense together, or is not there, is wrong use, and said")
  func wrongUse() throws {
    let place = try Workplace(Self.pipeline)
    try place.write("files.yaml", "sources: { in: stdin }\nsteps: []\nsinks: { l: null }\n")
    func complaint(_ arguments: String...) throws -> String {
      try place.write("stdin", "")
      let outcome = try Running(["run"] + arguments, in: place, input: .file(place["stdin"])).end()
      expect(outcome.status, equals: 2)
      return outcome.errors
    }
    #expect(try complaint("--record", "a", "--replay", "a", "p.yaml").contains("recorded already"))
    #expect(try complaint("--replay", "a", "--once", "p.yaml").contains("leave out --once"))
    #expect(try complaint("--replay", "a", "--refresh", "p.yaml").contains("leave out --refresh"))
    #expect(try complaint("--record", "a", "files.yaml").contains("nothing to record"))
    #expect(try complaint("--replay", "a", "files.yaml").contains("nothing to replay"))
    #expect(try complaint("--replay", "rec", "p.yaml").contains("--record FOLDER makes one"))
    _ = try place.run("--once", "--record", "rec")
    try place.move("rec/in.jsonl", to: "rec/upcoming.jsonl")
    let missing = try complaint("--replay", "rec", "p.yaml")
    #expect(missing.contains("no recording of “in”: rec/in.jsonl: No such file"), "\(missing)")
    #expect(missing.contains("rec has those of “upcoming”"), "\(missing)")
  }

  @Test("a replay sends nothing, which is reported once, with the number, and is no failure")
  func unsent() throws {
    let place = try Workplace(
      Self.pipeline.replacing(
        "sinks: {",
        with: """
          sinks: { hook: { http: 'http://127.0.0.1:9/never' },
            file: { download: { url: '"http://127.0.0.1:9/\\(.key)"', path: 'files/\\(.key)' } },
          """))
    try place.record(
      #"{"at":1,"rows":[{"id":1,"n":1},{"id":2,"n":1}]}"#, #"{"at":7201,"rows":[{"id":1,"n":2}]}"#)
    let outcome = try place.run("--replay", "rec", "--stats")
    #expect(outcome.status == 0 && place.lines("out/replay/log.jsonl").count == 4)
    let reported = outcome.errors.split(separator: "\n").filter { $0.contains(": ") }.map(String.init)
    expect(
      reported,
      equals: [
        "hook: requests are not sent under --replay; --live-sinks sends them",
        "file: files are not fetched under --replay; --live-sinks fetches them",
        String(Self.moved.dropLast()),
        "hook: 4 requests were not sent", "file: 4 files were not fetched",
      ])
    for name in ["hook +http", "file +download"] {
      let row = try Regex("\(name) +4 +0 +4 +0 ")
      #expect(outcome.errors.contains(row), "\(outcome.errors)")
    }
    // With a state of its own too, and nothing is left in it to be sent.
    for _ in 0..<2 { try expect(place.run("--replay", "rec", "--state", "own").status, equals: 0) }
    try expect(place.flow("state", "dead", "ls", "p", "--state", "own").output, equals: "")
    #expect(!place.has("files") && !place.has("out/replay/files"))
    // A dry run shows what would be sent.
    #expect(try place.run("--replay", "rec", "--dry-run").output.contains("curl -X POST"))
  }

  @Test("two months of six-hourly polls, or a year, are replayed as the replay source does it, in seconds")
  func year() throws {
    let recording = Recording(polls: TestScale.count(240, atMost: 1460), rows: 40)
    let place = try Workplace(
      """
      sources: { upcoming: { http: "http://127.0.0.1:9/never", every: 6h } }
      steps:
        - changes: { key: .id, watch: [.net, .status] }
        - debounce: { key: .key, for: 2m }
        - map: { type: .type, key: .key, told: $now | todate, at: .at }
      sinks: { log: { jsonl: log.jsonl } }
      """)
    try FileManager.default.createDirectory(atPath: place["rec"], withIntermediateDirectories: true)
    try place.write("rec/upcoming.jsonl", recording.text)
    try expect(place.run("--replay", "rec"), equals: Outcome(status: 0, output: "", errors: Self.moved))
    #expect(
      place.lines("out/replay/log.jsonl") == recording.changes
        && recording.changes.count > recording.polls * 2 / 3)
  }
}
