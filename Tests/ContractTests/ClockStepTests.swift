import Expectations
import JSON
import Engine
import Language
import Reactive
import Store
import Testing
import Trials

/// Steps of the clock on the wall: everything that waits comes within the time that it would have waited at most, whatever
/// the clock showed when that was stored.
///
/// Other stored times have tests of their own: requests and blocks of a site in SpendingTests, cached responses in
/// CachePolicyTests, schedules in PollingTests, retries in StoredRetryTests, the age of files in RotatingFileTests.
@Suite("Clock steps") struct ClockStepTests {
  /// A step or sink that waits.
  struct Waiting: Sendable, CustomTestStringConvertible {
    /// The steps, or with `sink:` a sink.
    let yaml: String
    /// By the second, the keys of events before the clock steps, and after it.
    var before = [1: ["a"]]
    var after: [Int: [String]] = [:]
    /// By the second, the keys of events of another source before the clock steps.
    var side: [Int: [String]] = [:]
    /// How many events, or lines of the log, there are in the end.
    var outputs = 1
    /// In how many seconds after the step they have come.
    var limit = 21

    var testDescription: String { yaml }
  }

  static let all = [
    Waiting(yaml: "debounce: { key: .k, for: 20s }"),
    Waiting(yaml: "debounce: { key: .k, for: 20s, max_wait: 30s }"),
    Waiting(
      yaml: #"map: '{type: "added", key: .k, before: null, after: 1, diff: []}' }, { settle: { for: 20s }"#),
    Waiting(yaml: "delay: 20s"),
    Waiting(yaml: "throttle: { key: .k, for: 20s, latest: true }", before: [1: ["a"], 2: ["a"]], outputs: 2),
    Waiting(yaml: "sample: { key: .k, every: 20s }"),
    Waiting(yaml: "batch: { time: 20s }"),
    Waiting(yaml: "rate_limit: { count: 1, per: 20s }", before: [1: ["a", "b"]], outputs: 2),
    Waiting(yaml: "timeout: { for: 20s, pass: false }"),
    // A window that a step back has made longer is as long as two.
    Waiting(yaml: "window: { tumbling: 20s, key: .k }", limit: 41),
    Waiting(yaml: "window: { sliding: { size: 20s, every: 10s }, key: .k }", outputs: 2, limit: 41),
    Waiting(yaml: "window: { session: { gap: 20s, max: 30s }, key: .k }", limit: 61),
    // What is remembered for a time is forgotten by then.
    Waiting(yaml: "dedupe: { key: .k, lifetime: 20s }", after: [22: ["a"]], outputs: 2, limit: 23),
    Waiting(
      yaml: "join: { with: other, key: .k, lifetime: 20s, emit: 'if $other then empty else 1 end' }",
      before: [:], after: [22: ["a"]], side: [1: ["a"]], limit: 23),
    // The time of day that an event names; the clock is looked at again after ten minutes at most.
    Waiting(yaml: "remind: { key: .k, at: .at, before: 0s, grace: 10000d, when_missing: fire }", limit: 620),
    // What has been shown counts for the limit in the next run too.
    Waiting(
      yaml: "sink: notify: { title: x, through: bell, at_most: 1 in 20s }", after: [1: ["b"]], outputs: 2),
  ]

  static let steps = [-3600, 3600, -86_400, 86_400, -31_622_400, 31_622_400] as [Double]

  private static let start = 1_800_000_000.0
  private static let stepAt = 5

  @Test("the clock is set between two runs", arguments: all, steps)
  func between(waiting: Waiting, step: Double) throws {
    let state = try TemporaryState()
    let first = try Life(waiting, state)
    first.events = waiting.before
    first.side = waiting.side
    first.skew = step
    try first.run(for: Self.stepAt)
    let second = try Life(waiting, state)
    second.events = waiting.after
    second.begin = Self.stepAt
    try second.run(for: waiting.limit)
    expect(first.outputs + second.outputs, equals: waiting.outputs)
  }

  @Test("the clock is set while it runs", arguments: all, steps)
  func within(waiting: Waiting, step: Double) throws {
    let life = try Life(waiting, try TemporaryState())
    life.events = waiting.before
    life.side = waiting.side
    for (second, keys) in waiting.after { life.events[Self.stepAt + second] = keys }
    life.skew = step
    life.isCorrected = true
    try life.run(for: Self.stepAt + waiting.limit)
    expect(life.outputs, equals: waiting.outputs)
  }

  /// What a run that ends does not show at once, and what is put off by the time between two runs.
  static let kept =
    all.filter { !$0.yaml.hasPrefix("sink: ") } + [
      Waiting(yaml: "timeout: { key: .k, for: 20s, pass: false }"),
      Waiting(yaml: "alarm: { key: .k, when: '.k == \"b\"', silent: 20s }"),
      // What polls show is as old as the last of them.
      Waiting(yaml: "alarm: { key: .k, when: '.k == \"a\"', repeat: 20s }", outputs: 2),
    ]

  @Test("stopped and started again every four seconds, it waits no longer", arguments: kept)
  func restarted(waiting: Waiting) throws {
    let state = try TemporaryState()
    var outputs = 0
    let each = 4
    for begin in stride(from: 0, to: Self.stepAt + waiting.limit, by: each) {
      let life = try Life(waiting, state)
      for (second, keys) in waiting.before { life.events[second - begin] = keys }
      for (second, keys) in waiting.side { life.side[second - begin] = keys }
      for (second, keys) in waiting.after { life.events[Self.stepAt + second - begin] = keys }
      life.begin = begin
      try life.run(for: min(each, Self.stepAt + waiting.limit - begin))
      outputs += life.outputs
    }
    expect(outputs, equals: waiting.outputs)
  }

  private final class Counter: Sendable { let value = Locked(0) }

  /// One run of a pipeline in virtual time, polled each second.
  private final class Life {
    var events: [Int: [String]] = [:]
    var side: [Int: [String]] = [:]
    /// By how much the clock is wrong, and whether that is corrected within the run.
    var skew = 0.0
    var isCorrected = false
    /// When the run begins, by the right clock, after the start of the first.
    var begin = 0
    private let plan: Plan
    private let state: TemporaryState
    private let counted = Counter()
    private let isSink: Bool

    var outputs: Int { counted.value.withLock { $0 } }

    init(_ waiting: Waiting, _ state: TemporaryState) throws {
      self.state = state
      isSink = waiting.yaml.hasPrefix("sink: ")
      let (step, sink) = isSink ? ("map: .", String(waiting.yaml.dropFirst(6))) : (waiting.yaml, "'null': {}")
      plan = try Trial.plan(
        """
        name: p
        sources: { input: { generate: 1, every: 1s }, other: { generate: 1, every: 1s } }
        streams: { main: { from: input, steps: [ { \(step) } ] } }
        sinks: { out: { from: main, \(sink) }, rest: { from: other, 'null': {} } }
        """)
    }

    func run(for seconds: Int) throws {
      let clock = VirtualScheduler()
      let (events, side, skew, isCorrected, begin) = (events, side, skew, isCorrected, begin)
      let (counted, isSink, state) = (counted, isSink, state)
      let log = Log { entry in
        if isSink, entry.node == "out" { counted.value.withLock { $0 += 1 } }
      }
      var options = RunOptions(
        world: .real, log: log,
        screen: Screen(isTerminal: false, hasColors: false, size: { (80, 24) }, write: { _ in }))
      options.world.wallClock = {
        let passed = Double(clock.now.nanoseconds) / 1e9
        let isRight = isCorrected && passed >= Double(ClockStepTests.stepAt) - 0.5
        return ClockStepTests.start + Double(begin) + passed + (isRight ? 0 : skew)
      }
      options.state = { _ in try StateFile(path: state.path, .init(database: .init(sync: .never))) }
      let name = plan.streams.first { $0.name == "main" }?.steps.last?.name
      options.tap = { node, event in
        if !isSink, node == name, !event.isEndOfPoll { counted.value.withLock { $0 += 1 } }
      }
      options.source = { source in .poll { _, _ in Answers(source.name == "other" ? side : events, clock) } }
      let run = try PipelineRun(plan, options, clock: clock) { _ in }
      run.start()
      clock.advance(by: .seconds(seconds))
      // What waits stays for the next run.
      let before = counted.value.withLock { $0 }
      run.stop()
      clock.run(limit: 10_000)
      counted.value.withLock { $0 = before }
    }
  }

  private final class Answers: BlockingPollSource {
    private let events: [Int: [String]]
    private let clock: VirtualScheduler

    init(_ events: [Int: [String]], _ clock: VirtualScheduler) { (self.events, self.clock) = (events, clock) }

    func poll(_ poll: PollRequest) -> PollAnswer {
      let second = Int(clock.now.nanoseconds / 1_000_000_000)
      return PollAnswer(
        (events[second] ?? []).map {
          .record([("k", .string($0)), ("at", .number(ClockStepTests.start + 25))])
        })
    }
  }
}
