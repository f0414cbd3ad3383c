import Expectations
import Foundation
import Testing

/// How `flow run` is stopped, and what it says while it runs.
@Suite(.timeLimit(.minutes(30))) struct RunSignalsTests {
  /// Nothing is to wait for the time that stopping may take, ten seconds; on an idle machine it is a fraction of one.
  static let soon = 5.0

  static let waiting = [
    "stdin",
    "{ file: { path: in.jsonl, follow: true } }",
    "{ generate: '{n: 0}', every: 1h }",
    "{ file: fifo }",
  ]

  @Test("Ctrl-C ends a pipeline whose source waits; what has come so far is written", arguments: waiting)
  func interrupting(_ source: String) throws {
    let place = try Workplace(
      """
      sources: { in: \(source), beat: { generate: range(1; 4), every: 1h } }
      steps: []
      sinks: { log: { jsonl: log.jsonl } }
      """, input: "{\"n\":1}\n{\"n\":2}\n")
    expect(mkfifo(place["fifo"], 0o600), equals: 0)
    // Opening a pipe waits for the other end.
    let fifo = open(place["fifo"], O_RDWR)
    defer { close(fifo) }
    let running = try place.start("-q")
    try running.waitForLines(3, in: "log.jsonl")
    let (outcome, seconds) = try running.end(by: SIGINT)
    expect(outcome, equals: Outcome(status: 130, output: "", errors: ""))
    #expect(seconds < Self.soon)
    expect(place.lines("log.jsonl").filter { !$0.hasPrefix("{") }, equals: ["1", "2", "3"])
  }

  @Test("every line that was read before Ctrl-C is written, whole", arguments: [SIGINT, SIGTERM])
  func nothingLost(_ signal: Int32) throws {
    let place = try Workplace(
      "sources: { in: stdin }\nsteps: [filter: .n > 0]\nsinks: { log: { jsonl: log.jsonl } }\n")
    // The parent process of the tests may ignore it.
    let running = try place.start(with: "env --default-signal=HUP")
    try running.say((0...500).map { "{\"n\":\($0)}\n" }.joined())
    try running.waitForLines(500, in: "log.jsonl")
    let (outcome, seconds) = try running.end(by: signal)
    // Stopped from the keyboard is one thing, asked to end by the system another.
    #expect(outcome.status == (signal == SIGINT ? 130 : 0) && outcome.output == "")
    let lines = outcome.errors.split(separator: "\n")
    #expect(lines.count == 1 && lines.first?.hasPrefix("p: stopped after ") == true, "\(outcome.errors)")
    expect(lines.first?.hasSuffix(": 501 events, 500 outputs"), equals: true, "\(outcome.errors)")
    #expect(seconds < Self.soon)
    expect(place.lines("log.jsonl"), equals: (1...500).map { "{\"n\":\($0)}" })
  }

  @Test("a hangup that was ignored when it started, as by nohup, does not stop it")
  func hangup() throws {
    let place = try Workplace(
      "sources: { in: stdin }\nsteps: []\nsinks: { log: { jsonl: log.jsonl } }\n")
    let running = try place.start(with: "env --ignore-signal=HUP")
    try running.say("1\n")
    try running.waitForLines(1, in: "log.jsonl")
    running.send(SIGHUP)
    running.send(SIGUSR1)
    try running.waitForErrors("jsonl")
    try running.say("2\n")
    try running.waitForLines(2, in: "log.jsonl")
    try expect(running.end(by: SIGTERM).outcome.status, equals: 0)
  }

  @Test("a pipeline that is stopped early has written a part from the beginning, each line once and whole")
  func stoppedAtWork() throws {
    let place = try Workplace(
      """
      sources: { in: { file: in.jsonl } }
      steps: [map: '{n: .n, sum: (reduce range(2000) as $i (0; . + $i))}']
      sinks: { log: { jsonl: log.jsonl } }
      epoch: { events: 200 }
      """, input: (1...20_000).map { "{\"n\":\($0)}\n" }.joined())
    let running = try place.start()
    try running.waitForLines(1, in: "log.jsonl")
    let (outcome, _) = try running.end(by: SIGINT)
    expect(outcome.status, equals: 130)
    let lines = place.lines("log.jsonl")
    #expect((1..<20_000).contains(lines.count) && place.text("log.jsonl").hasSuffix("\n"))
    expect(lines, equals: (1...lines.count).map { "{\"n\":\($0),\"sum\":1999000}" })
  }

  static let hanging = """
    sources: { in: { generate: 1, every: 1h } }
    steps: []
    sinks: { tell: { exec: { command: [sh, -c, 'echo $$ > pid; exec sleep 600'], timeout: 1h } } }
    """

  /// Whether the command that hung is no more; it may still wait for its status to be taken.
  private func isOver(_ place: Workplace) throws -> Bool {
    let number = try #require(place.lines("pid").first)
    let status = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)
    return status?.contains(") Z ") ?? true
  }

  @Test("a second Ctrl-C ends it at once, and what a sink had started with it")
  func twice() throws {
    let place = try Workplace(Self.hanging)
    let running = try place.start("--grace", "10m")
    try running.waitForLines(1, in: "pid")
    running.send(SIGINT)
    Thread.sleep(forTimeInterval: 0.3)
    #expect(try !isOver(place))
    let (outcome, seconds) = try running.end(by: SIGINT)
    #expect(outcome.status == 130 && seconds < Self.soon)
    #expect(try isOver(place))
    #expect(outcome.errors.contains("tell: one command was interrupted; the next run starts it again"))
  }

  /// Time that a signal may take where nothing else is waited for, on a busy machine.
  static let second = 2.5

  @Test("a pipe without a reader is waited for; other pipelines go on, and the second signal ends it")
  func fifoWithoutReader() throws {
    let place = try Workplace(
      "sources: { in: { generate: 1 } }\nsteps: []\nsinks: { log: { jsonl: fifo } }\n")
    try place.write(
      "q.yaml", "sources: { in: { generate: 1, every: 1h } }\nsteps: []\nsinks: { log: { jsonl: q.jsonl } }\n"
    )
    expect(mkfifo(place["fifo"], 0o600), equals: 0)
    let running = try place.start("--grace", "10m", "q.yaml")
    try running.waitForErrors(
      "fifo: no process reads this pipe; the pipeline waits until the file can be opened")
    try running.waitForLines(1, in: "q.jsonl")
    running.send(SIGTERM)
    Thread.sleep(forTimeInterval: 0.3)
    let (_, seconds) = try running.end(by: SIGTERM)
    #expect(seconds < Self.second)
  }

  @Test("a pipe gets every line once it has a reader")
  func fifoWithLateReader() throws {
    let place = try Workplace(
      "sources: { in: { generate: range(50000) } }\nsteps: []\nsinks: { log: { jsonl: fifo } }\n")
    expect(mkfifo(place["fifo"], 0o600), equals: 0)
    let running = try place.start()
    try running.waitForErrors("no process reads this pipe")
    let read = try place.shell("(read -r line; echo $line; sleep 0.5; cat) < fifo > got")
    expect(read.status, equals: 0)
    try expect(running.end().status, equals: 0)
    expect(place.lines("got"), equals: (0..<50000).map { "\($0)" })
    #expect(place.text("p.yaml").contains("fifo") && running.errors.contains("fifo can be opened again"))
  }

  static let flooding = """
    sources: { g: { generate: range(200000) } }
    steps: [ { log: 'a line \\(.)' } ]
    sinks: { n: { 'null': {} } }
    """

  /// Runs the command in a shell with a pipe without a reader as one of its outputs; what the shell prints.
  private func blocked(_ place: Workplace, _ redirection: String, _ signals: String) throws -> Outcome {
    expect(mkfifo(place["stuck"], 0o600), equals: 0)
    return try place.shell(
      """
      exec 7<>stuck
      env --default-signal=INT "$0" run --no-state --grace 1s p.yaml \(redirection) & flow=$!
      sleep 1.5; \(signals)
      start=$(date +%s%N); wait $flow; echo $? $(( ($(date +%s%N) - start) / 1000000 ))
      """)
  }

  @Test(
    "a full standard error blocks no end",
    arguments: ["kill -TERM $flow", "kill -TERM $flow; sleep 0.2; kill -TERM $flow"])
  func stuckErrors(_ signals: String) throws {
    let place = try Workplace(Self.flooding)
    let words = try blocked(place, "2>&7", signals).output.split(separator: " ").map(String.init)
    #expect(words.first == "1" || words.first == "0", "\(words)")
    let milliseconds = try #require(words.last.flatMap { Double($0.filter(\.isNumber)) })
    #expect(milliseconds < (1 + Self.second) * 1000)
  }

  @Test("the second signal ends a process whose lane is stuck in a write")
  func stuckWrite() throws {
    let place = try Workplace(
      "sources: { g: { generate: range(200000) } }\nsteps: []\nsinks: { c: console }\n")
    let outcome = try blocked(place, ">&7", "kill -INT $flow; sleep 0.2; kill -INT $flow")
    let words = outcome.output.split(separator: " ").map(String.init)
    expect(words.first, equals: "130", "\(outcome)")
    let milliseconds = try #require(words.last.flatMap { Double($0.filter(\.isNumber)) })
    #expect(milliseconds < Self.second * 1000)
  }

  @Test("--grace says how long a sink may take when the pipeline is stopped")
  func grace() throws {
    let place = try Workplace(Self.hanging)
    let running = try place.start("--grace", "1s")
    try running.waitForLines(1, in: "pid")
    let (outcome, seconds) = try running.end(by: SIGTERM)
    #expect(seconds > 0.9 && seconds < 1 + 2 * Self.soon)
    #expect(try isOver(place))
    expect(outcome.status, equals: 1, "\(outcome.errors)")
  }

  @Test("SIGUSR1 prints what each node has done so far, and the pipeline goes on")
  func statistics() throws {
    let place = try Workplace("sources: { in: stdin }\nsteps: []\nsinks: { log: { jsonl: log.jsonl } }\n")
    let running = try place.start()
    try running.say("1\n2\n")
    try running.waitForLines(2, in: "log.jsonl")
    running.send(SIGUSR1)
    try running.wait(for: "a table") { running.errors.contains(/log +jsonl +2 +2 +0 +0/) }
    try running.say("3\n")
    try running.waitForLines(3, in: "log.jsonl")
    try running.sayNoMore()
    try expect(running.end().status, equals: 0)
  }

  @Test("it ends by itself when its input does, with what steps still held")
  func endOfInput() throws {
    let place = try Workplace(
      "sources: { in: stdin }\nsteps: [debounce: 1h]\nsinks: { log: { jsonl: log.jsonl } }\n")
    try expect(place.run(input: "1\n2\n"), equals: Outcome(status: 0, output: "", errors: ""))
    expect(place.text("log.jsonl"), equals: "2\n")
  }
}
