import Expectations
import JSON
import Reactive
import Testing

@testable import Engine
@testable import Language

/// The polls of a source over a list, in virtual time.
@Suite("Polling of entries")
struct EntryPollingTests {
  /// A list that a test changes.
  private final class List: EntryList {
    struct Unreadable: Error, CustomStringConvertible { let description = "the list cannot be read" }

    let concurrency = 4
    let whenGone: GoneRows
    let rereading: Duration? = .seconds(10)
    private let ids: @Sendable () -> [String]?
    private let watched: @Sendable (@escaping @Sendable () -> Void) -> Void
    init(
      _ whenGone: GoneRows, _ watched: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
      _ ids: @escaping @Sendable () -> [String]?
    ) {
      (self.whenGone, self.watched, self.ids) = (whenGone, watched, ids)
    }

    func watch(_ changed: @escaping @Sendable () -> Void) { watched(changed) }

    func read() throws -> [Entry]? {
      guard let ids = ids() else { throw Unreadable() }
      return ids.map { Entry(id: .string($0), .string($0)) }
    }
  }

  /// Answers with the entry, and fails for some.
  private final class Echo: BlockingPollSource {
    struct NoAnswer: Error, CustomStringConvertible { let description = "no answer" }
    let entry: Entry?
    let fails: @Sendable (String) -> (any Error)?
    init(_ entry: Entry?, _ fails: @escaping @Sendable (String) -> (any Error)?) {
      (self.entry, self.fails) = (entry, fails)
    }

    func poll(_ poll: PollRequest) throws -> PollAnswer {
      let id = entry?.value.string ?? ""
      if let error = fails(id) { throw error }
      return PollAnswer([.string(id)])
    }
  }

  /// Answers with the entry some time later, and occupies no thread meanwhile.
  private final class Slow: PollSource {
    let entry: Entry?
    let time: Duration
    init(_ entry: Entry?, _ time: Duration) { (self.entry, self.time) = (entry, time) }

    func ask(
      _ poll: PollRequest, on scheduler: any Scheduler,
      _ answered: @escaping @Sendable (Result<PollAnswer, any Error>) -> Void
    ) {
      let rows = [entry?.value ?? .null]
      _ = scheduler.schedule(after: time) { answered(.success(PollAnswer(rows))) }
    }
  }

  private final class Ends: Sink {
    let note: (Poll) -> Void
    init(_ note: @escaping (Poll) -> Void) { self.note = note }
    func take(_ event: Event) {}
    func endPoll(_ poll: Poll) { note(poll) }
  }

  private struct Outcome {
    /// `00:00:10 a 1`: when, which entry, which of its polls; `gone` behind the last.
    var polls: [String]
    var messages: [String]
    var isDone: Bool?
    var status: SourceStatus?
  }

  /// The last run, as long as anything holds it.
  private let released = Released()

  private final class Released: @unchecked Sendable {
    weak var run: PipelineRun?
  }

  private static let begin = 1_767_225_600.0  // 2026-01-01T00:00:00Z

  private func run(
    _ schedule: String, _ list: [String]?, for duration: Duration, whenGone: GoneRows = .remove,
    isOnce: Bool = false, changes: [(at: Duration, list: [String]?)] = [],
    quickly: [[String]] = [], answering time: Duration? = nil,
    fails: @escaping @Sendable (String) -> (any Error)? = { _ in nil }
  ) throws -> Outcome {
    let (polls, messages, ids) = (Noted(), Noted(), Noted())
    if let list { for id in list { ids.note(id) } } else { ids.isMissing = true }
    let (hasChanged, then) = (Box<(@Sendable () -> Void)?>(nil), Box(quickly[...]))
    let lists = EntryLists(source: { _ in nil }, isGiven: { _ in true }) { _, _ in
      List(whenGone, { changed in hasChanged.withLock { $0 = changed } }) {
        let found = ids.isMissing ? nil : ids.all
        if let next = then.withLock({ $0.popFirst() }) { ids.replace(next) }
        return found
      }
    }
    let echo = NodeSpec(
      "echo", "answer",
      .each(
        lists,
        .poll { _, context in
          time.map { Slow(context.entry, $0) as any PollSource } ?? Echo(context.entry, fails)
        }))
    let ends = NodeSpec(
      "ends", "note",
      .sink { _, _ in
        Ends { poll in
          let entry = poll.entry?.string ?? "?"
          let gone = poll.gone.map { " \($0)" } ?? ""
          polls.note("\(timestamp(poll.at).dropFirst(11).dropLast()) \(entry) \(poll.number)\(gone)")
        }
      })
    var reader = PipelineReader(catalog: Catalog([echo, ends]))
    reader.read(path: "a.yaml", Array("sources: { s: { echo: {}, \(schedule) } }\nsinks: { o: ends }\n".utf8))
    let plan = try #require(reader.plans.first, "\(reader.problems)")
    let clock = VirtualScheduler()
    let world = World(
      wallClock: { Self.begin + Double(clock.now.nanoseconds) / 1e9 }, random: { 0 },
      environment: { _ in nil })
    let screen = Screen(isTerminal: false, hasColors: false, size: { (80, 24) }, write: { _ in })
    let log = Log(level: .notice) { messages.note("\($0.node): \($0.message)") }
    var options = RunOptions(world: world, log: log, screen: screen)
    options.isOnce = isOnce
    let done = Locked<Bool?>(nil)
    let pipeline = try PipelineRun(plan, options, clock: clock) { failed in done.withLock { $0 = !failed } }
    released.run = pipeline
    pipeline.start()
    for change in changes {
      _ = clock.schedule(at: Instant() + change.at) { ids.replace(change.list) }
    }
    if !quickly.isEmpty {
      clock.advance(by: .seconds(5))
      // All at one instant, before what has left can have ended.
      for _ in quickly { hasChanged.withLock { $0 }?() }
    }
    clock.advance(by: duration)
    let isDone = done.withLock { $0 }
    let status = Locked<SourceStatus?>(nil)
    pipeline.report { all in status.withLock { $0 = all.sources.first } }
    clock.advance(by: .zero)
    pipeline.stop()
    clock.run(limit: 10_000)
    #expect(done.withLock { $0 } != nil, "the run did not end when it was stopped")
    return Outcome(
      polls: polls.all, messages: messages.all, isDone: isDone, status: status.withLock { $0 })
  }

  private final class Box<Value: Sendable>: Sendable {
    private let value: Locked<Value>
    init(_ value: Value) { self.value = Locked(value) }
    func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
      value.withLock { value in body(&value) }
    }
  }

  private final class Noted: Sendable {
    private let entries = Locked<(all: [String], isMissing: Bool)>(([], false))
    var all: [String] { entries.withLock { $0.all } }
    var isMissing: Bool {
      get { entries.withLock { $0.isMissing } }
      set { entries.withLock { $0.isMissing = newValue } }
    }
    func note(_ entry: String) { entries.withLock { $0.all.append(entry) } }
    func replace(_ list: [String]?) { entries.withLock { $0 = (list ?? [], list == nil) } }
  }

  @Test("a run that has ended is released, with its polls and what they hold")
  func release() throws {
    _ = try run("every: 1m", ["a", "b"], for: .seconds(62), changes: [(.seconds(15), ["b", "c"])])
    expectNil(released.run)
  }

  @Test("first polls are a second apart at most, and each entry has its own beat")
  func spread() throws {
    let few = try run("every: 1m", ["a", "b", "c"], for: .seconds(62))
    expect(
      few.polls,
      equals: [
        "00:00:00 a 1", "00:00:01 b 1", "00:00:02 c 1", "00:01:00 a 2", "00:01:01 b 2", "00:01:02 c 2",
      ])
    expect(few.messages, equals: ["s: polling 3 entries"])
    // A hundred within the period.
    let many = try run("every: 10s", (1...100).map { "\($0)" }, for: .milliseconds(9_999))
    #expect(many.polls.count == 100 && many.polls.last?.hasPrefix("00:00:09") == true)
    let cron = try run("cron: '* * * * *'", ["a", "b"], for: .seconds(62))
    expect(cron.polls, equals: ["00:01:00 a 1", "00:01:01 b 1"])
  }

  @Test("as many are polled at once as the list says, and the others when one has its answer")
  func concurrency() throws {
    let outcome = try run(
      "every: 1m", ["a", "b", "c", "d", "e", "f"], for: .seconds(9), isOnce: true,
      answering: .seconds(3))
    expect(
      outcome.polls,
      equals: [
        "00:00:00 a 1", "00:00:00 b 1", "00:00:00 c 1", "00:00:00 d 1", "00:00:03 e 1", "00:00:03 f 1",
      ])
    expect(outcome.isDone, equals: true)
  }

  @Test("entries that leave the list while they wait for their turn are not polled")
  func leavingTheLine() throws {
    let ids = (1...9).map { "\($0)" }
    let outcome = try run(
      "every: 100ms", ids, for: .seconds(30), changes: [(.seconds(5), ["1"])],
      answering: .seconds(12))
    let polled = Set(
      outcome.polls.filter { !$0.hasSuffix("remove") }.compactMap {
        $0.split(separator: " ").dropFirst().first
      })
    expect(polled, equals: ["1", "2", "3", "4"], "\(outcome.polls)")
  }

  @Test("one that fails is retried by itself, and the others go on")
  func failing() throws {
    let outcome = try run("every: 1m", ["a", "b"], for: .seconds(62)) { $0 == "a" ? Echo.NoAnswer() : nil }
    expect(outcome.polls, equals: ["00:00:01 b 1", "00:01:01 b 2"])
    expect(outcome.messages.first, equals: "s: polling 2 entries")
    #expect(outcome.messages.dropFirst().allSatisfy { $0.hasPrefix("s[a]: ") })
    expect(outcome.messages.dropFirst().first, equals: "s[a]: no answer; next try in 10s")
    expect(outcome.status?.entries?.failing.map(\.id), equals: ["a"])
    expect(outcome.status?.failure?.reason, equals: "1 of 2 entries up to date, 1 fails: a: no answer")
  }

  @Test("of many that fail three are reported one by one, and the rest as a number")
  func manyFailing() throws {
    let ids = (1...9).map { "\($0)" }
    let outcome = try run("every: 1m, retry: 0s", ids, for: .seconds(200)) { _ in Echo.NoAnswer() }
    expect(outcome.messages.filter { $0.contains("no answer; next") }.count, equals: 3)
    expect(
      outcome.messages.filter { $0.hasPrefix("s: ") },
      equals: [
        "s: polling 9 entries", "s: 4 of 9 entries fail or use an old response; flow status lists them",
        "s: 8 of 9 entries fail or use an old response; flow status lists them",
      ])
    // All of them once.
    let calls = Locked(0)
    let recovered = try run("every: 1m, retry: 0s", ids, for: .seconds(80)) { _ in
      calls.withLock { calls in
        calls += 1
        return calls <= ids.count ? Echo.NoAnswer() : nil
      }
    }
    expect(recovered.messages.filter { $0.contains("]: recovered") }.count, equals: 3)
    expect(recovered.messages.last, equals: "s: all entries are up to date again", "\(recovered.messages)")
    expect(recovered.status?.entries, equals: SourceStatus.Entries(total: 9))
  }

  @Test("an entry that leaves the list ends with a poll that says so; one that comes is polled at once")
  func leaving() throws {
    for whenGone in GoneRows.allCases {
      let outcome = try run(
        "every: 1m", ["a", "b"], for: .seconds(75), whenGone: whenGone,
        changes: [(.seconds(15), ["b", "c"]), (.seconds(65), ["a", "b", "c"])])
      expect(
        outcome.polls,
        equals: [
          "00:00:00 a 1", "00:00:01 b 1", "00:00:20 c 1", "00:00:20 a 2 \(whenGone)", "00:01:01 b 2",
          "00:01:10 a 1",
        ], "\(outcome.polls)")
      expect(
        outcome.messages,
        equals: [
          "s: polling 2 entries", "s: 1 entry new in the list: c", "s: 1 entry no longer in the list: a",
          "s: 1 entry new in the list: a",
        ])
    }
  }

  @Test("an entry that is in the list again before its last poll has ended is polled on")
  func returning() throws {
    let outcome = try run("every: 1m", ["a", "b"], for: .seconds(58), quickly: [["b"], ["a", "b"]])
    expect(
      outcome.polls,
      equals: [
        "00:00:00 a 1", "00:00:01 b 1", "00:00:05 a 2 remove", "00:00:05 a 3", "00:01:01 b 2",
      ], "\(outcome.polls)")
  }

  @Test("a list that cannot be read changes nothing, and is reported; it is read again")
  func unreadable() throws {
    let late = try run("every: 1m", nil, for: .seconds(25), changes: [(.seconds(15), ["a"])])
    expect(late.polls, equals: ["00:00:20 a 1"])
    expect(
      late.messages,
      equals: [
        "s: the list cannot be read; next try in 10s", "s: polling 1 entry",
        "s: recovered, after 2 failed polls since 2026-01-01T00:00:00Z",
      ], "\(late.messages)")
    let lost = try run("every: 1m", ["a"], for: .seconds(61), changes: [(.seconds(15), nil)])
    expect(lost.polls, equals: ["00:00:00 a 1", "00:01:00 a 2"])
    let back = try run(
      "every: 1m", ["a"], for: .seconds(45), changes: [(.seconds(15), nil), (.seconds(25), ["a"])])
    #expect(back.status?.failure == nil && back.messages.last?.hasPrefix("s: recovered") == true)
  }

  @Test("two entries with one id are an error of the list")
  func repeated() throws {
    let outcome = try run("every: 1m", ["a", "a"], for: .seconds(1))
    #expect(outcome.polls.isEmpty)
    expect(
      outcome.messages.first?.hasPrefix("s: two entries of the list are called “a”; set key"), equals: true)
  }

  @Test("once: each is polled once, all at once, and the run ends; it fails where one fails")
  func once() throws {
    let outcome = try run("every: 1m", ["a", "b"], for: .seconds(1), isOnce: true)
    #expect(outcome.polls == ["00:00:00 a 1", "00:00:00 b 1"] && outcome.isDone == true)
    let unscheduled = try run("buffer: 8", ["a", "b"], for: .seconds(1))
    #expect(unscheduled.polls == ["00:00:00 a 1", "00:00:00 b 1"] && unscheduled.isDone == true)
    let failed = try run("every: 1m", ["a", "b"], for: .seconds(1), isOnce: true) {
      $0 == "a" ? Echo.NoAnswer() : nil
    }
    #expect(failed.polls == ["00:00:00 b 1"] && failed.isDone == false)
    let nothing = try run("every: 1m", nil, for: .seconds(1), isOnce: true)
    expect(nothing.isDone, equals: false)
  }

  @Test(
    "one whose budget is spent is polled when there is some of it, and has not failed",
    arguments: [true, false])
  func budget(isOnce: Bool) throws {
    struct Spent: PollFailure, CustomStringConvertible {
      let description = "the budget is spent"
      let mayPassLater = true
      let retryAt: Double?
      let isWait = true
    }
    let asked = Locked(0)
    let outcome = try run("every: 1m", ["a"], for: .seconds(45), isOnce: isOnce) { _ in
      asked.withLock { $0 += 1 }
      return asked.withLock { $0 } == 1 ? Spent(retryAt: Self.begin + 40) : nil
    }
    expect(outcome.polls, equals: ["00:00:40 a 2"])
    // A run that polls once says only what it waits for.
    expect(outcome.messages, equals: (isOnce ? [] : ["s: polling 1 entry"]) + ["s: the budget is spent"])
    expect(outcome.isDone, equals: (isOnce ? true : nil))
  }

  @Test(
    "each has an age of its own, whatever that of the list: one that fails is too old by itself, and then gone"
  )
  func tooOld() throws {
    let asked = Locked(0)
    let fails: @Sendable (String) -> (any Error)? = { id in
      if id != "a" { return nil }
      asked.withLock { $0 += 1 }
      return asked.withLock { $0 } > 1 ? Echo.NoAnswer() : nil
    }
    let late = try run("every: 1m, retry: 0s, fresh: 2", ["a", "b"], for: .seconds(200), fails: fails)
    expect(late.status?.entries?.tooOld, equals: 1)
    #expect(
      late.messages.contains("s: a: too old: no good answer since 2026-01-01T00:00:00Z"), "\(late.messages)")
    expectNil(late.status?.tooOld)
    asked.withLock { $0 = 0 }
    let gone = try run(
      "every: 1m, retry: 0s, fresh: 2", ["a", "b"], for: .seconds(260),
      changes: [(.seconds(210), ["b"])], fails: fails)
    expect(gone.status?.entries?.tooOld, equals: 0)
  }

  @Test("one whose budget stays spent for three periods fails")
  func spentForLong() throws {
    struct Spent: PollFailure, ClassifiedFailure, CustomStringConvertible {
      let description = "the budget is spent"
      let mayPassLater = true
      let retryAt: Double?
      let isWait = true
      let failureKind = FailureKind.waiting
    }
    let fails: @Sendable (String) -> (any Error)? = { _ in Spent(retryAt: Self.begin + 9999) }
    let early = try run("every: 1m", ["a"], for: .seconds(175), fails: fails).status
    #expect(early?.failure == nil && early?.wait?.reason == "the budget is spent")
    let late = try run("every: 1m", ["a"], for: .seconds(185), fails: fails).status
    expect(late?.entries?.failing.map(\.reason), equals: ["the budget is spent"])
    expect(late?.entries?.failing.first?.since, equals: Self.begin)
  }
}
