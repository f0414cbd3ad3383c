import Expectations
import JSON
import Language
import Reactive
import Store
import Testing
import Trials

@testable import Engine

/// Lists whose entries fail, are cut, or have rows that cannot be read, over runs that are stopped and killed.
@Suite("Simulated outages") struct OutageSimulationTests {
  @Test("outages come in pairs, alarms from good polls alone, and what fails is what the status names")
  func outages() throws {
    var failed: [UInt64] = []
    let plan = try Trial.plan(OutageSimulation.yaml)
    for seed in SimulationTests.seeds {
      do { try OutageSimulation(plan, seed: seed).run() } catch {
        failed.append(seed)
        if failed.count <= 3 { Issue.record("seed \(seed): \(error)") }
      }
    }
    #expect(failed.isEmpty, "seeds that failed")
  }
}

/// A poll of an entry: the keys of its rows that can be read and those that cannot; nil where it failed.
private struct SeenPoll: Sendable {
  var entry: String
  var at: Double
  var kind: FailureKind?
  var read: [String] = []
  var unread: [String] = []
}

/// What the runs of a seed have seen and heard.
private final class Notes: Sendable {
  let seen = Locked<[SeenPoll]>([])
  let heard = Locked<[(sink: String, at: Double, value: Value)]>([])
  /// Whether all is well from now on.
  let isWell = Locked(false)
}

/// The runs of one seed.
private final class OutageSimulation {
  private static let entries = ["a", "b", "c", "d"]
  private static let begin = 1_800_000_000.0
  private static let period = 10.0

  static let yaml = """
    name: p
    sources: { shops: { generate: ., every: 10s, retry: 0s, key: .id } }
    streams:
      read: { from: shops, steps: [map: 'if .n == null then error("no n") else . end'] }
      low: { from: read, steps: [alarm: { when: .n < 5, for: 2, key: .id }] }
      silent: { from: read, steps: [timeout: { for: 35s, key: .id, pass: false }] }
    sinks:
      rows: { from: read, 'null': {} }
      low: { from: low, 'null': {} }
      silent: { from: silent, 'null': {} }
      trouble: { from: errors, 'null': {} }
    """

  private let plan: Plan
  private let seed: UInt64
  private var random: SplitMix64
  private let notes = Notes()
  private var time = OutageSimulation.begin
  /// The lane of the last run, as long as anything holds it, and with it the files of the state.
  private let released = Released()

  private final class Released: @unchecked Sendable {
    weak var lane: Lane?
  }

  init(_ plan: Plan, seed: UInt64) {
    (self.plan, self.seed) = (plan, seed)
    random = SplitMix64(seed: seed)
  }

  func run() throws {
    var state = try TemporaryState()
    for _ in 0..<Int.random(in: 2...5, using: &random) {
      let isKilled = Bool.random(using: &random)
      try run(polls: Int.random(in: 1...8, using: &random), in: state, isKilled: isKilled)
      if released.lane != nil {
        throw Complaint("a run that \(isKilled ? "was killed" : "has ended") is held")
      }
      state = try state.copy()
    }
    notes.isWell.withLock { $0 = true }
    try run(polls: 4, in: state, isKilled: false)
    try checkOutages()
    try checkAlarms()
  }

  private func run(polls: Int, in state: TemporaryState, isKilled: Bool) throws {
    let clock = VirtualScheduler()
    let start = time
    let first = notes.seen.withLock { $0.count }
    var world = World.real
    world.random = { 0.5 }
    world.wallClock = { start + Double(clock.now.nanoseconds) / 1e9 }
    var options = RunOptions(
      world: world, log: .silent,
      screen: Screen(isTerminal: false, hasColors: false, size: { (80, 24) }, write: { _ in }))
    options.state = { _ in try StateFile(path: state.path, .init(database: .init(sync: .never))) }
    let lists = EntryLists(source: { _ in nil }, isGiven: { _ in true }) { _, _ in ShopList(Self.entries) }
    options.source = { [seed, notes] source in
      if source.spec.kind == "errors" { return nil }
      return .each(
        lists,
        .poll { _, context in
          ShopPolls(seed, context.entry?.id.string ?? "", notes)
        })
    }
    options.sink = { [notes] plan, context in
      HearingSink { value in
        let now = context.lane.world.wallClock()
        notes.heard.withLock { $0.append((plan.name, now, value)) }
      }
    }
    let run = try PipelineRun(plan, options, clock: clock) { _ in }
    released.lane = run.lane
    run.start()
    clock.advance(by: .seconds(Double(polls) * Self.period - 2))
    if isKilled { try state.leave() }
    if isKilled { run.abort() } else { run.stop() }
    clock.run(limit: 100_000)
    time = start + Double(polls) * Self.period
    try check(run.status(), since: first)
  }

  /// The status has what the last poll of each entry was.
  private func check(_ status: PipelineStatus, since first: Int) throws {
    var last: [String: SeenPoll] = [:]
    // A failed poll changes nothing of the rows.
    for poll in notes.seen.withLock({ $0[first...] }) where poll.kind == nil { last[poll.entry] = poll }
    let unread = last.values.filter { !$0.unread.isEmpty }
    let failing = status.nodes.first { $0.name == "read/map" }?.failing
    guard Set(failing?.entries ?? []) == Set(unread.map(\.entry)) else {
      throw Complaint("fails on \(failing?.entries ?? []), and should on \(unread.map(\.entry).sorted())")
    }
    guard failing?.isLoss ?? true || unread.allSatisfy({ !$0.read.isEmpty }) else {
      throw Complaint("an entry without a row that passes is no problem")
    }
    guard notes.isWell.withLock({ $0 }) else { return }
    if !status.problems.isEmpty { throw Complaint("all is well, but \(status.problems)") }
  }

  /// Each outage is one failed, perhaps changed, and recovered, in this order and over restarts.
  private func checkOutages() throws {
    var open: [String: Value] = [:]
    for (_, at, event) in notes.heard.withLock({ $0 }).filter({ $0.sink == "trouble" }) {
      let who = "\(event.member("node") ?? .null)\(event.member("entry") ?? .null)"
      let kind = event.member("kind") ?? .null
      switch event.member("type")?.string {
      case "failed" where open[who] == nil: open[who] = kind
      case "changed" where open[who] != nil && open[who] != kind: open[who] = kind
      case "recovered" where open[who] != nil: open[who] = nil
      default: throw Complaint("\(event) at \(at), open: \(open)")
      }
    }
    if !open.isEmpty { throw Complaint("never over: \(open)") }
  }

  /// An alarm is raised and cleared, and a key is back, when a good poll has read its row.
  private func checkAlarms() throws {
    let polls = notes.seen.withLock { $0 }
    for (sink, at, event) in notes.heard.withLock({ $0 }) where sink == "low" || sink == "silent" {
      if event.member("type") == "silent" { continue }
      let text = event.description
      guard polls.contains(where: { $0.at == at && $0.read.contains { text.contains("\"\($0)\"") } }) else {
        throw Complaint("\(sink) at \(at) without a poll that has read it: \(text)")
      }
    }
  }
}

private final class ShopList: EntryList {
  private let entries: [Entry]
  private var isRead = false
  let concurrency = 4
  let whenGone = GoneRows.remove

  init(_ names: [String]) { entries = names.map { Entry(id: .string($0), .string($0)) } }

  func read() -> [Entry]? {
    defer { isRead = true }
    return isRead ? nil : entries
  }
}

/// Answers the polls of an entry, by its name and the time: the same in each run.
private final class ShopPolls: BlockingPollSource {
  private struct Failed: ClassifiedFailure {
    let failureKind: FailureKind
  }

  private let seed: UInt64
  private let entry: String
  private let notes: Notes

  init(_ seed: UInt64, _ entry: String, _ notes: Notes) {
    (self.seed, self.entry, self.notes) = (seed, entry, notes)
  }

  func poll(_ poll: PollRequest) throws -> PollAnswer {
    // What is wrong stays so for some polls.
    let phase = Int(poll.at / 30)
    var dice = SplitMix64(seed: seed &* 31 &+ UInt64(phase) &* 7 &+ UInt64(entry.utf8.first ?? 0))
    let fault = notes.isWell.withLock { $0 } ? 9 : Int.random(in: 0..<10, using: &dice)
    var answer = SeenPoll(entry: entry, at: poll.at)
    let kinds: [FailureKind] = [.unreachable, .timeout, .status, .loginPage]
    if fault < kinds.count {
      answer.kind = kinds[fault]
      notes.seen.withLock { [answer] in $0.append(answer) }
      throw Failed(failureKind: kinds[fault])
    }
    let unread = fault == 4 ? 3 : fault == 5 ? 1 : 0
    let count = fault == 6 ? 2 : 3
    let rows = (0..<count).map { number in
      let key = "\(entry)\(number)"
      if number < unread { answer.unread.append(key) } else { answer.read.append(key) }
      let n =
        number < unread
        ? Value.null : .number(notes.isWell.withLock { $0 } ? 9 : Int.random(in: 0..<10, using: &dice))
      return Value.record([("id", .string(key)), ("n", n)])
    }
    notes.seen.withLock { [answer] in $0.append(answer) }
    return PollAnswer(rows, coverage: fault == 6 ? .truncated(nil) : .complete)
  }
}

private final class HearingSink: Sink {
  private let hear: (Value) -> Void
  init(_ hear: @escaping (Value) -> Void) { self.hear = hear }
  func take(_ event: Event) { hear(event.value) }
}
