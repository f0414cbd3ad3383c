import Expectations
import Foundation
import Testing

/// What `flow run` keeps from run to run, and what it says where it cannot.
@Suite struct RunStateTests {
  static let dedupe = """
    name: seen
    sources: { in: { file: in.jsonl } }
    steps: [dedupe: .id]
    sinks: { screen: console }
    """

  @Test("what a step has seen it knows in the next run, unless it is to keep nothing")
  func remembers() throws {
    let place = try Workplace(Self.dedupe, input: "{\"id\":1}\n{\"id\":2}\n")
    try expect(place.flow("run", "p.yaml").output, equals: "{\"id\":1}\n{\"id\":2}\n")
    try place.append("in.jsonl", "{\"id\":3}\n")
    try expect(place.flow("run", "p.yaml"), equals: Outcome(status: 0, output: "{\"id\":3}\n", errors: ""))
    try expect(place.flow("run", "--no-state", "p.yaml").output.split(separator: "\n").count, equals: 3)
    try expect(
      place.flow("run", "--state", "elsewhere", "p.yaml").output.split(separator: "\n").count, equals: 3)
    #expect(place.has("elsewhere/seen.db") && place.has("state/flow/seen.db"))
  }

  @Test("without anything to remember there is no state")
  func stateless() throws {
    let place = try Workplace(
      "sources: { in: { file: in.jsonl } }\nsteps: [map: .id]\nsinks: { screen: console }\n",
      input: "{\"id\":1}\n")
    for _ in 0..<2 { try expect(place.flow("run", "p.yaml").output, equals: "1\n") }
    #expect(!place.has("state"))
  }

  @Test("a run whose source has failed has not come to its end: what a run counts goes on in the next")
  func cutShort() throws {
    let place = try Workplace(
      """
      name: counting
      sources: { in: { exec: { command: [sh, -c, 'echo 1; exit $(cat status)'], decode: lines, follow: true } } }
      steps: [skip: { count: 1, per: stream }]
      sinks: { log: { jsonl: log } }
      """)
    func run(_ status: Int32) throws -> Int {
      try place.write("status", "\(status)")
      try expect(place.flow("run", "--once", "p.yaml").status, equals: status == 0 ? 0 : 1)
      return place.lines("log").count
    }
    // The first run skips one event, and fails.
    expect(try [run(3), run(3), run(0)], equals: [0, 1, 2])
    // The third has come to its end, so that the next one skips again.
    expect(try [run(0), run(0)], equals: [2, 2])
  }

  @Test("a second run of the same pipeline says who holds its state, and stops")
  func held() throws {
    let place = try Workplace(
      "name: busy\nsources: { in: { generate: 1, every: 1h } }\nsteps: [dedupe]\nsinks: { log: { jsonl: log } }\n"
    )
    let running = try place.start()
    try running.waitForLines(1, in: "log")
    let second = try place.flow("run", "p.yaml")
    expect(second.status, equals: 1)
    #expect(second.errors.contains("busy.db: in use by process \(running.number)"))
    _ = try running.end(by: SIGTERM)
    let other = try place.flow("run", "--once", "p.yaml")
    #expect(other.status == 0 && place.lines("log") == ["1"])
  }

  @Test("two pipelines of one name do not take each other's state")
  func namesakes() throws {
    let place = try Workplace(Self.dedupe, input: "{\"id\":1}\n")
    try place.write("q.yaml", Self.dedupe)
    try expect(place.flow("run", "p.yaml").status, equals: 0)
    let other = try place.flow("run", "q.yaml")
    #expect(
      other.status == 1 && other.errors.contains("belongs to another pipeline called “seen”"),
      "\(other.errors)")
    #expect(try place.flow("run", "p.yaml", "q.yaml").errors.contains("are both called “seen”"))
    // One that was renamed takes its state along.
    try place.move("p.yaml", to: "r.yaml")
    try expect(place.flow("run", "r.yaml"), equals: Outcome(status: 0, output: "", errors: ""))
  }

  @Test("a finished file is read again by the next run, and all of its windows close again")
  func finishedFile() throws {
    let place = try Workplace(
      """
      name: again
      sources: { in: { file: in.jsonl } }
      steps: [window: { tumbling: 10s, time: .at, emit: length }]
      sinks: { screen: { console: '\\(.value)' } }
      """, input: "{\"at\":1}\n{\"at\":11}\n{\"at\":12}\n")
    for _ in 0..<2 { try expect(place.flow("run", "p.yaml").output, equals: "1\n2\n") }
  }

  @Test("a growing file that is read once now and then gives what is new each time")
  func nowAndThen() throws {
    let place = try Workplace(
      """
      name: now
      sources: { in: { file: { path: in.jsonl, follow: true, from: end } } }
      steps: []
      sinks: { log: { jsonl: log } }
      """, input: "{\"n\":1}\n")
    #expect(try place.flow("run", "--once", "p.yaml").status == 0 && place.text("log") == "")
    for number in 2...3 {
      try place.append("in.jsonl", "{\"n\":\(number)}\n")
      try expect(place.flow("run", "--once", "p.yaml"), equals: Outcome(status: 0, output: "", errors: ""))
      expect(place.lines("log").last, equals: "{\"n\":\(number)}")
    }
    expect(place.lines("log").count, equals: 2)
  }

  @Test("damaged state stops the run, until it is to be set aside")
  func damaged() throws {
    let place = try Workplace(Self.dedupe, input: "{\"id\":1}\n")
    try expect(place.flow("run", "p.yaml").status, equals: 0)
    try place.write("state/flow/seen.db", String(repeating: "rubbish ", count: 2000))
    let stopped = try place.flow("run", "p.yaml")
    #expect(stopped.status == 1 && stopped.errors.contains("damaged"), "\(stopped.errors)")
    #expect(stopped.errors.contains("--reset-corrupt"))
    let reset = try place.flow("run", "--reset-corrupt", "p.yaml")
    #expect(reset.status == 0 && reset.output == "{\"id\":1}\n")
    #expect(reset.errors.contains("seen.db.corrupt-1") && place.has("state/flow/seen.db.corrupt-1"))
  }

  @Test("another key expression is noticed, and what went by the old one forgotten")
  func otherKey() throws {
    let place = try Workplace(Self.dedupe, input: "{\"id\":1}\n")
    try expect(place.flow("run", "p.yaml").status, equals: 0)
    try place.write("p.yaml", Self.dedupe.replacingOccurrences(of: "dedupe: .id", with: "dedupe: .id + 0"))
    let outcome = try place.flow("run", "p.yaml")
    expect(outcome.output, equals: "{\"id\":1}\n")
    expect(
      outcome.errors,
      equals: "dedupe: warning: its key changed from .id to .id + 0: its state was discarded\n")
    try expect(place.flow("run", "p.yaml").errors, equals: "")
    // It has several tables by its key.
    let changes =
      "name: two\nsources: { in: { exec: [cat, in.jsonl], every: 1h } }\nsteps: [changes: .id]\nsinks: { o: console }\n"
    try place.write("p.yaml", changes)
    try expect(place.flow("run", "--once", "p.yaml").errors, equals: "")
    try place.write("p.yaml", changes.replacingOccurrences(of: ".id", with: ".id + 0"))
    try expect(
      place.flow("run", "--once", "p.yaml").errors,
      equals: "changes: warning: its key changed from .id to .id + 0: its state was discarded\n")
  }

  @Test("state survives edits elsewhere in the pipeline")
  func edited() throws {
    let place = try Workplace(Self.dedupe, input: "{\"id\":1}\n")
    try expect(place.flow("run", "p.yaml").status, equals: 0)
    let edited = Self.dedupe.replacingOccurrences(
      of: "[dedupe: .id]", with: "[filter: . != null, dedupe: .id, map: .]")
    try place.write("p.yaml", edited)
    try expect(place.flow("run", "p.yaml"), equals: Outcome(status: 0, output: "", errors: ""))
  }

  @Test("a step or a sink of another kind under an old name is reported, with what to do")
  func otherKind() throws {
    func pipeline(_ step: String, _ sink: String) -> String {
      """
      name: e
      sources: { in: { file: { path: in.jsonl, follow: true } } }
      streams: { held: { from: in, steps: [ { \(step): { key: .n, for: 1h }, name: held } ] } }
      sinks: { log: { from: held, jsonl: log.jsonl }, told: { from: in, \(sink) } }
      """
    }
    let exec = "exec: { command: [sh, -c, 'echo >> begun; exit 1'], attempts: 50, backoff: 1m }"
    let place = try Workplace(pipeline("debounce", exec), input: "{\"n\":1}\n")
    let killed = try place.start()
    try killed.waitForLines(1, in: "begun")
    _ = try killed.end(by: SIGKILL)
    try place.write("p.yaml", pipeline("throttle", exec))
    let step = try place.run("--once")
    #expect(
      step.status == 1 && step.errors.contains("if a step of another kind had this name"), "\(step.errors)")
    #expect(step.errors.contains("flow state reset PIPELINE held"))
    try place.write("p.yaml", pipeline("debounce", "http: 'http://127.0.0.1:9/'"))
    let sink = try place.run("--once")
    #expect(
      sink.status == 1
        && sink.errors.contains("told: error: an entry is a dead letter now: a sink of another kind"),
      "\(sink)")
    #expect(try place.flow("state", "dead", "ls", "e", "--json").output.contains("had this name"))
  }

  @Test("a pending debounce is sent in the next run, at once where its time has come")
  func pending() throws {
    let place = try Workplace(
      """
      name: wait
      sources: { in: { generate: '{n: $meta.poll}', every: 1h } }
      steps: [debounce: 1s]
      sinks: { log: { jsonl: log } }
      """)
    let running = try place.start()
    Thread.sleep(forTimeInterval: 0.4)
    let (outcome, _) = try running.end(by: SIGKILL)
    #expect(outcome.output == "" && place.text("log") == "")
    Thread.sleep(forTimeInterval: 1)
    let text = try String(contentsOfFile: place["p.yaml"], encoding: .utf8)
    try place.write("p.yaml", text.replacingOccurrences(of: "every: 1h", with: "every: 1h, at_start: false"))
    let again = try place.start()
    try again.waitForLines(1, in: "log")
    _ = try again.end(by: SIGTERM)
    expect(place.lines("log"), equals: ["{\"n\":1}"])
  }

  @Test("where there is no place for state it says what to do")
  func noPlace() throws {
    let place = try Workplace(Self.dedupe, input: "{\"id\":1}\n")
    try place.write("state", "a file\n")
    let outcome = try place.flow("run", "p.yaml")
    #expect(outcome.status == 1 && outcome.errors.contains("or --no-state"), "\(outcome.errors)")
    let both = try place.flow("run", "--state", "x", "--no-state", "p.yaml")
    expect(both.status, equals: 2)
  }

  @Test("a window that folds its events in another way starts over, and the log says so")
  func otherFold() throws {
    func pipeline(_ update: String) -> String {
      """
      name: sums
      sources: { in: { file: { path: in.jsonl, follow: true } } }
      steps: [ window: { tumbling: 100d, update: '\(update)', init: 0, emit: add } ]
      sinks: { sums: { jsonl: sums.jsonl, from: steps }, seen: { jsonl: seen.jsonl, from: in } }
      """
    }
    let place = try Workplace(pipeline(". + 1"))
    try place.write("in.jsonl", "")
    for (number, update) in [". + 1", ". + 1", ". + 10"].enumerated() {
      try place.write("p.yaml", pipeline(update))
      try place.append("in.jsonl", "{}\n")
      let running = try place.start()
      try running.waitForLines(number + 1, in: "seen.jsonl")
      let outcome = try running.end(by: SIGTERM).outcome
      expect(outcome.errors.contains("its state was discarded"), equals: (number == 2), "\(outcome.errors)")
    }
  }
}
