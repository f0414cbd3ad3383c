import Expectations
import AllNodes
import TestSupport
import JSON
import Reactive
import Testing
import Trials

@testable import Engine
@testable import Language
@testable import Nodes
import System

/// A run that is recorded, and the same pipeline over what it has recorded.
@Suite struct RecordingsTests {
  /// Answers in turn; an answer without rows is a failure.
  private final class Scripted: BlockingPollSource {
    private var answers: ArraySlice<PollAnswer?>
    init(_ answers: [PollAnswer?]) { self.answers = answers[...] }

    struct NoAnswer: Error, CustomStringConvertible { let description = "no answer to key hunter2" }

    func poll(_ poll: PollRequest) throws -> PollAnswer {
      guard let answer = answers.popFirst() ?? nil else { throw NoAnswer() }
      return answer
    }
  }

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// What a step behind a source has heard, with the times.
  private func run(
    over answers: [PollAnswer?], hours: Int,
    recording: (Recordings) -> @Sendable (SourcePlan) -> Maker?
  ) throws -> (heard: [String], told: [String], hasEnded: Bool) {
    let heard = Journal<String>()
    let told = Journal<String>()
    let scripted = NodeSpec(
      "scripted", "answer", .poll { _, _ in Scripted(answers) })
    var reader = PipelineReader(catalog: Catalog([scripted] + Catalog.all.nodes))
    let yaml = """
      sources: { up/one: { scripted: {}, every: 1h, retry: 0s } }
      steps:
        - changes: { key: .id, first: emit }
        - map: '[.type, .key, ($now | todate), $meta.poll, $meta.age, $meta.coverage, $meta.last, $meta.moves]'
        - debounce: { key: '.[1]', for: 5m }
      sinks: { heard: null }
      """
    reader.read(path: "a.yaml", Array(yaml.utf8))
    let plan = try #require(reader.plans.first, "\(reader.problems)")
    let clock = VirtualScheduler()
    var world = World.real
    world.wallClock = { Double(clock.now.nanoseconds) / 1e9 }
    let log = Log { told.note("\($0.level): \($0.message)") }
    var options = RunOptions(world: world, log: log, screen: silentScreen)
    options.source = recording(Recordings(folder: folder.path))
    options.sink = { _, _ in Listener { heard.note("\($0)") } }
    let ended = Locked(false)
    let run = try PipelineRun(plan, options, clock: clock) { _ in ended.withLock { $0 = true } }
    run.start()
    clock.advance(by: .seconds(3600 * hours + 600))
    let hasEnded = ended.withLock { $0 }
    run.stop()
    clock.run(limit: 10_000)
    return (heard.entries, told.entries, hasEnded)
  }

  private func row(_ id: Int) -> Value { .record([("id", .number(id))]) }

  @Test("a run over the recording is as the run was that made it: rows, notes, failures and torn polls")
  func again() throws {
    let order = try #require(RowOrder("-.id"))
    let horizon = Horizon(order: order, last: .number(3), moves: true)
    let answers: [PollAnswer?] = [
      PollAnswer([row(1), row(2)]), PollAnswer([row(2)], notes: .record([("age", .number(5))])), nil,
      PollAnswer([row(3)], coverage: .partial), PollAnswer([row(3)]),
      PollAnswer([row(4), row(3)], coverage: .truncated(horizon)),
    ]
    let first = try run(over: answers, hours: 5) { $0.recording { $0.replacing("hunter2", with: "***") } }
    expect(folder.names, equals: ["up-one.jsonl"])
    #expect(try !folder.text("up-one.jsonl").contains("hunter2"))
    let again = try run(over: [], hours: 5) { $0.replaying() }
    expect(first.heard.last?.hasSuffix(#""truncated",3,true]"#), equals: true, "\(first.heard)")
    #expect(first.heard.count > 3 && again.heard == first.heard)
    expect(
      first.told,
      equals: [
        "notice: watching 2 rows; next poll in 1h, at 1970-01-01T01:00:00Z",
        "error: no answer to key hunter2; next try in 1h",
        "notice: recovered, after 1 failed poll since 1970-01-01T02:00:00Z",
      ])
    expect(
      again.told,
      equals: ["notice: the poll recorded at 1970-01-01T02:00:00Z had failed: no answer to key ***"])
    #expect(again.hasEnded && !first.hasEnded, "a recording has an end")
  }

  @Test("a recorded poll of an old answer has failed, but for one before the first good poll")
  func oldAnswers() throws {
    try folder.write(
      "up.jsonl",
      """
      {"at": 1, "rows": [1], "meta": {"stale": true, "age": 60}}
      {"at": 2, "rows": [2]}
      {"at": 3, "rows": [2], "meta": {"stale": true, "age": 1}}
      {"at": 4, "rows": [3]}

      """)
    let replay = try Replay(folder["up.jsonl"]) { _ in .complete }
    var heard: [String] = []
    while let answer = try replay.next() {
      switch answer.content {
      case .poll(let rows): heard.append("\(Value.array(rows))")
      case .recordedFailure(let message): heard.append(message)
      default: heard.append("\(answer)")
      }
    }
    expect(
      heard,
      equals: [
        "[1]", "[2]", "the poll recorded at 1970-01-01T00:00:03Z had failed: the service gave no answer",
        "[3]",
      ])
  }

  /// The coverage of each poll of a recording, as a source replays it.
  private func coverages(_ source: String, isReplay: Bool = false) throws -> [Coverage] {
    let plan = try Trial.plan("sources: { up: { \(source) } }\nsteps: []\nsinks: { it: null }\n")
    let up = try #require(plan.sources.first)
    let made = isReplay ? up.spec.maker as? Maker : Recordings(folder: folder.path).replaying()(up)
    guard case .script(_, let make) = made else { throw Trial.Wrong(description: "this is no script") }
    let script = try make(up.options)
    var coverages: [Coverage] = []
    while let answer = try script.next() { coverages.append(answer.coverage) }
    return coverages
  }

  private static let old = """
    {"at":1,"rows":[{"id":1,"net":"a"}]}
    {"at":2,"rows":[{"id":1,"net":"a"},{"id":2,"net":"b"}]}
    {"at":3,"rows":[{"id":1,"net":"a"},{"id":2,"net":"b"},{"id":3,"net":"c"}]}
    {"at":4,"rows":[{"id":1,"net":"a"},{"id":2,"net":"b"}],"whole":false}
    {"at":5,"rows":[{"id":1,"net":"a"},{"id":2,"net":"b"}],"coverage":"complete"}

    """

  @Test("in an older recording of launches whose polls are nearly all of one length, that is the limit")
  func olderLimit() throws {
    let lines = (1...10).map {
      #"{"at":\#($0),"rows":[{"id":\#($0),"net":"a"},{"id":\#($0 + 1),"net":"b"}]}"#
    }
    try folder.write("up.jsonl", lines.joined(separator: "\n"))
    let horizon = Horizon(order: try #require(RowOrder(".net")), last: .string("b"), moves: true)
    try expect(
      coverages("launch_library: { limit: 1000 }"), equals: Array(repeating: .truncated(horizon), count: 10))
    try expect(coverages("http: 'http://a'"), equals: Array(repeating: .complete, count: 10))
  }

  @Test("in an older recording a poll with as many rows as the limit of its source is truncated")
  func older() throws {
    try folder.write("up.jsonl", Self.old)
    let order = try #require(RowOrder(".net"))
    func horizon(_ last: String, moves: Bool = true) -> Coverage {
      .truncated(Horizon(order: order, last: .string(last), moves: moves))
    }
    try expect(
      coverages("launch_library: { limit: 2 }"),
      equals: [.complete, horizon("b"), horizon("c"), .partial, .complete])
    try expect(
      coverages("launch_library: { limit: 2, order: -net }"),
      equals: [.complete, .truncated(nil), .truncated(nil), .partial, .complete])
    try expect(
      coverages("launch_library: { skip: 1 }"), equals: [.partial, .partial, .partial, .partial, .complete])
    try expect(
      coverages("http: { url: 'http://a', limit: 2, order: .net }"),
      equals: [.complete, horizon("b", moves: false), horizon("c", moves: false), .partial, .complete])
    try expect(coverages("http: 'http://a'"), equals: [.complete, .complete, .complete, .partial, .complete])
    let path = "path: \(folder.path)/up.jsonl"
    try expect(
      coverages("replay: { \(path), limit: 2, order: .net, moves: true }", isReplay: true),
      equals: [.complete, horizon("b"), horizon("c"), .partial, .complete])
    try expect(
      coverages("replay: { \(path), limit: 3 }", isReplay: true),
      equals: [.complete, .complete, .truncated(nil), .partial, .complete])
  }

  @Test("order and moves of replay need its limit")
  func wrongReplay() throws {
    for option in ["order: .net", "moves: true"] {
      #expect(throws: Trial.Wrong.self) {
        try Trial.plan(
          "sources: { up: { replay: { path: x, \(option) } } }\nsteps: []\nsinks: { it: null }\n")
      }
    }
  }

  @Test("text that is no poll is told as a poll that failed, and those around it are replayed")
  func badText() throws {
    try folder.write("up-one.jsonl", #"{"at":10,"rows":[{"id":1}]}"# + "\n{\"at\":20,\"ro\n")
    try folder.append("up-one.jsonl", #"{"at":3600,"rows":[{"id":2}]}"# + "\n")
    let outcome = try run(over: [], hours: 4) { $0.replaying() }
    #expect(outcome.told.count == 1 && outcome.told[0].contains("up-one.jsonl:2: "))
    expect(outcome.heard.count, equals: 3)
  }

  @Test("an entry that waits for its budget has not failed, and the recording has no error of it")
  func putOff() throws {
    struct Spent: PollFailure {
      let mayPassLater = true
      let retryAt: Double? = 60
      let isWait = true
    }
    final class Budgeted: BlockingPollSource {
      func poll(_ poll: PollRequest) throws -> PollAnswer {
        if poll.number == 1 { throw Spent() }
        throw Scripted.NoAnswer()
      }
    }
    let spec = NodeSpec(
      "budgeted", "answer", .poll { _, _ in Budgeted() })
    var reader = PipelineReader(catalog: Catalog([spec] + Catalog.all.nodes))
    reader.read(path: "a.yaml", Array("sources: { in: budgeted }\nsinks: { o: null }\n".utf8))
    let plan = try #require(reader.plans.first?.sources.first, "\(reader.problems)")
    let maker = Recordings(folder: folder.path).recording { $0 }(plan)
    guard case .poll(let make)? = maker else {
      Issue.record("it is not polled")
      return
    }
    var context = SourceContext(
      name: "in", world: .real, log: NodeLog(log: .silent, pipeline: "a", node: "in"),
      meter: Meter(name: "in", kind: "budgeted"), isOnce: true, stop: StopSign(), position: nil,
      storesPositions: false
    )
    context.entry = Entry(id: .number(1), .number(1))
    let source = try make(plan.options, context)
    for number in 1...2 {
      #expect(throws: (any Error).self) {
        try source.answer(PollRequest(source: "in", number: number, at: Double(number)))
      }
    }
    let lines = try folder.text("in.jsonl").split(separator: "\n")
    #expect(lines.count == 1 && lines.first?.contains("no answer to key") == true, "\(lines)")
  }
}

private final class Listener: Sink {
  private let note: (Value) -> Void
  init(_ note: @escaping (Value) -> Void) { self.note = note }
  func take(_ event: Event) { note(event.value) }
}
