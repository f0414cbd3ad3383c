import Expectations
import Reactive
import ReactiveTesting
import Testing

@Suite struct SchedulerExecutorTests {
  /// A service as an actor without an executor of its own: its code runs where that of its caller does.
  private actor Service {
    private(set) var cancelled: [String] = []
    let clock: VirtualScheduler

    init(_ clock: VirtualScheduler) {
      self.clock = clock
    }

    func search(_ text: String) async throws -> [String] {
      do { try await Task.sleep(for: .seconds(2), clock: clock) } catch {
        cancelled.append(text)
        throw error
      }
      if text == "x" { throw Oops() }
      return [text, text + "s"]
    }
  }

  /// A search field: what is typed, at rest, the newest request alone, an error as a state.
  private final class SearchModel: Sendable {
    let query = BehaviorSubject("")
    let state: Observable<String>

    init(on scheduler: any Scheduler, search: @escaping @Sendable (String) async throws -> [String]) {
      state = query.debounce(for: .seconds(1), on: scheduler).filter { !$0.isEmpty }
        .flatMapLatest { text in
          Observable.task(on: scheduler) { try await search(text) }.map { $0.joined(separator: " ") }
            .catch(emitting: "failed").startWith("…")
        }
    }
  }

  @Test func aViewModelIsTestedInVirtualTime() async {
    let clock = VirtualScheduler()
    let service = Service(clock)
    let model = SearchModel(on: clock) { try await service.search($0) }
    let recording = clock.record(model.state)
    for (second, text) in [(1, "c"), (3, "cat"), (10, "x")] {
      _ = clock.schedule(after: .seconds(second)) { model.query.next(text) }
    }
    clock.advance(by: .seconds(20))
    let events = recording.records.map { record in
      "\((record.time - Instant()) / .seconds(1)): \(record.event.element ?? "")"
    }
    expect(events, equals: ["2.0: …", "4.0: …", "6.0: cat cats", "11.0: …", "13.0: failed"])
    await expect(service.cancelled, equals: ["c"])
    recording.subscription.dispose()
    expect(clock.pending, equals: 0)
  }

  /// A service that fails each third time.
  private actor Rows {
    private var calls = 0

    func fetch() async throws -> Int {
      calls += 1
      await Task.yield()
      if calls.isMultiple(of: 3) { throw Oops(number: calls) }
      return calls
    }
  }

  @Test func aPollWithRetriesFeedsASlowLoopInVirtualTime() {
    let clock = VirtualScheduler()
    let service = Rows()
    let patience = Backoff(initial: .seconds(1), jitter: 0, attempts: 2)
    let rows = Observable.timer(after: .zero, every: .seconds(10), on: clock).flatMapFirst { _ in
      Observable.task(on: clock) { try await service.fetch() }.retry(patience, on: clock)
    }.take(4).share()
    let times = clock.record(rows)
    let stored = clock.record(
      Observable.task(on: clock) { () -> [Int] in
        var stored: [Int] = []
        for try await row in rows.values {
          try await Task.sleep(for: .seconds(25), clock: clock)
          stored.append(row)
        }
        return stored
      })
    #expect(clock.run(limit: 1000))
    expect(times.records.map { ($0.time - Instant()) / .seconds(1) }, equals: [0, 10, 21, 30, 30])
    expect(stored.elements, equals: [[1, 2, 4, 5]])
    expect(clock.now, equals: Instant() + .seconds(100))
  }

  @Test func aTaskRunsOnItsScheduler() {
    let lane = SerialScheduler(name: "tasks")
    let result = Journal<[Bool]>()
    Observable.task(on: lane) { () -> [Bool] in
      let before = lane.isCurrent
      await Task.yield()
      try await lane.sleep(until: lane.now + .milliseconds(1))
      return [before, lane.isCurrent]
    }.subscribe(in: Subscription(), next: { result.note($0 + [lane.isCurrent]) })
    #expect(eventually { result.count == 1 })
    expect(result.entries, equals: [[true, true, true]])
  }

  @Test func aTaskWhoseSchedulerStopsIsCancelledAndEnds() async {
    let lane = SerialScheduler(name: "stops")
    let (started, ended) = (Flag(), Flag())
    Observable<Void>.task(on: lane) {
      started.raise()
      for try await _ in Observable<Int>.create({ _ in }).merge(with: .timer(after: .seconds(3600), on: lane))
        .values
      {}
      #expect(Task.isCancelled)
      ended.raise()
    }.subscribe(in: Subscription(), next: { Issue.record("an element from a stopped scheduler") })
    // Its last piece of work runs on the threads of all tasks, of which a test must hold none.
    while !started.isRaised { await Task.yield() }
    lane.stop()
    while !ended.isRaised { await Task.yield() }
  }

  @Test func aTaskIsRunWithoutARecursion() {
    let count = Tally()
    let isBack = onSmallStack {
      let clock = VirtualScheduler()
      Observable.from(1...20_000).map(on: clock) { $0 }.subscribe(
        in: Subscription(), next: { _ in count.add() })
      clock.run()
    }
    #expect(isBack)
    expect(count.value, equals: 20_000)
  }
}
