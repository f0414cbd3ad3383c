import Expectations
import JSON
import Engine
import Language
import Reactive
import Testing
import Trials

@Suite("Times of polls")
struct PollTimesTests {
  @Test("every: a poll that takes long has those it missed left out, and the beat stays")
  func longPolls() throws {
    var bench = try PollBench("every: 10s")
    bench.took = [2: 25]
    try expect(bench.run(60), equals: [0, 10, 40, 50, 60])
  }

  @Test("every: a period far shorter than a poll")
  func shortPeriod() throws {
    var bench = try PollBench("every: 1ns")
    bench.took = [1: 3600]
    try expect(bench.run(7200, polls: 2), equals: [0, 3600])
  }

  @Test("cron: at the times of day, by a clock that is set forward while it waits")
  func clockSetForward() throws {
    var bench = try PollBench("cron: '0 * * * *'")
    bench.clockSteps = [600: 1800]
    try expect(bench.run(7200), equals: [1800, 5400])
  }

  @Test("cron: a clock that is set back a little has no time polled twice")
  func clockSetBack() throws {
    var bench = try PollBench("cron: '0 * * * *'")
    bench.clockSteps = [3500: -30, 3640: -20]
    try expect(bench.run(3600 * 3), equals: [3630, 7250])
  }

  @Test("cron: a clock that was a day ahead is followed back")
  func clockSetFarBack() throws {
    var bench = try PollBench("cron: '0 0 * * *', at_start: true")
    bench.clockSteps = [43200: -86400 * 2]
    try expect(bench.run(86400 * 3), equals: [0, 86400, 86400 * 2, 86400 * 3])
  }

  @Test("a poll on request comes besides the schedule, and those that wait for each other are one")
  func onRequest() throws {
    var bench = try PollBench("every: 10s")
    bench.requests = [13, 25, 25, 60]
    try expect(bench.run(40), equals: [0, 10, 13, 20, 25, 30, 40], "a run that is over polls no more")
    var once = try PollBench("")
    once.requests = [13]
    try expect(once.run(40), equals: [0], "a source that has ended polls no more")
  }

  @Test("the status says when a step emits what it holds")
  func due() throws {
    let plan = try Trial.plan(
      "sources: { api: { generate: ., every: 1h } }\nsteps: [ { delay: 90s } ]\nsinks: { out: null }")
    let clock = VirtualScheduler()
    var world = World.real
    world.wallClock = { 1_767_225_600 + Double(clock.now.nanoseconds) / 1e9 }
    let screen = Screen(isTerminal: false, hasColors: false, size: { (80, 24) }, write: { _ in })
    let run = try PipelineRun(plan, RunOptions(world: world, log: .silent, screen: screen), clock: clock) {
      _ in
    }
    run.start()
    func dues() -> [Double?] {
      let nodes = Locked<[NodeStatus]>([])
      run.report { status in nodes.withLock { $0 = status.nodes } }
      clock.advance(by: .zero)
      return nodes.withLock { $0 }.map(\.due)
    }
    clock.advance(by: .seconds(30))
    expect(dues(), equals: [nil, 1_767_225_690, nil])
    clock.advance(by: .seconds(90))
    expect(dues(), equals: [nil, nil, nil])
    run.stop()
    clock.advance(by: .zero)
  }
}

/// A source that is polled in virtual time, and notes when.
private struct PollBench {
  private let plan: Plan
  /// How long polls take, by their numbers.
  var took: [Int: Int] = [:]
  /// When, in seconds after the start, the time of day jumps, and by how much.
  var clockSteps: [Int: Int] = [:]
  /// When polls are requested, in seconds after the start.
  var requests: [Int] = []

  init(_ schedule: String) throws {
    plan = try Trial.plan(
      "sources: { api: { generate: ., \(schedule) } }\nsteps: []\nsinks: { out: null }")
  }

  /// The times of polls, in seconds after the start.
  func run(_ seconds: Int, polls: Int = .max) throws -> [Int] {
    let clock = VirtualScheduler()
    let times = Locked<[Int]>([])
    let (took, clockSteps) = (took, clockSteps)
    var world = World.real
    world.random = { 0 }
    world.wallClock = {
      let now = Double(clock.now.nanoseconds) / 1e9
      let jumps = clockSteps.filter { Double($0.key) <= now }.values.reduce(0, +)
      return 1_767_225_600 + now + Double(jumps)
    }
    let screen = Screen(isTerminal: false, hasColors: false, size: { (80, 24) }, write: { _ in })
    var options = RunOptions(world: world, log: .silent, screen: screen)
    options.source = { _ in
      .poll { _, _ in
        NotingPolls {
          let number = times.withLock { times in
            times.append(Int((Double(clock.now.nanoseconds) / 1e9).rounded()))
            return times.count
          }
          if let seconds = took[number] { clock.advance(by: .seconds(seconds)) }
        }
      }
    }
    let run = try PipelineRun(plan, options, clock: clock) { _ in }
    run.start()
    let end = Instant() + .seconds(seconds)
    for time in requests { _ = clock.schedule(at: Instant() + .seconds(time)) { _ = run.poll("api") } }
    if polls == .max { clock.advance(to: end) }
    while times.withLock({ $0.count }) < polls, clock.now < end { clock.advance(by: .nanoseconds(1)) }
    run.stop()
    clock.advance(by: .zero)
    return times.withLock { $0 }
  }
}

private final class NotingPolls: BlockingPollSource {
  private let note: () -> Void
  init(_ note: @escaping () -> Void) { self.note = note }

  func poll(_ poll: PollRequest) -> PollAnswer {
    note()
    return PollAnswer([])
  }
}
