import JSON
import Nodes
import Engine
import Language
import Reactive
import Testing

@Suite("Times of polls")
struct PollTimesTests {
  @Test("every: a poll that takes long has those it missed left out, and the beat stays")
  func longPolls() throws {
    var bench = try PollBench("every: 10s")
    bench.took = [2: 25]
    #expect(try bench.run(60) == [0, 10, 40, 50, 60])
  }

  @Test("every: a period far shorter than a poll")
  func shortPeriod() throws {
    var bench = try PollBench("every: 1ns")
    bench.took = [1: 3600]
    #expect(try bench.run(7200, polls: 2) == [0, 3600])
  }

  @Test("cron: at the times of day, by a clock that is set forward while it waits")
  func clockSetForward() throws {
    var bench = try PollBench("cron: '0 * * * *'")
    bench.clockSteps = [600: 1800]
    #expect(try bench.run(7200) == [1800, 5400])
  }

  @Test("cron: a clock that is set back a little has no time polled twice")
  func clockSetBack() throws {
    var bench = try PollBench("cron: '0 * * * *'")
    bench.clockSteps = [3500: -30, 3640: -20]
    #expect(try bench.run(3600 * 3) == [3630, 7250])
  }

  @Test("cron: a clock that was a day ahead is followed back")
  func clockSetFarBack() throws {
    var bench = try PollBench("cron: '0 0 * * *', at_start: true")
    bench.clockSteps = [43200: -86400 * 2]
    #expect(try bench.run(86400 * 3) == [0, 86400, 86400 * 2, 86400 * 3])
  }
}

/// A source that is polled in virtual time, and notes when.
private struct PollBench {
  private let plan: Plan
  /// How long polls take, by their numbers.
  var took: [Int: Int] = [:]
  /// When, in seconds after the start, the time of day jumps, and by how much.
  var clockSteps: [Int: Int] = [:]

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
    if polls == .max { clock.advance(to: end) }
    while times.withLock({ $0.count }) < polls, clock.now < end { clock.advance(by: .nanoseconds(1)) }
    run.stop()
    clock.advance(by: .zero)
    return times.withLock { $0 }
  }
}

private final class NotingPolls: PollSource {
  private let note: () -> Void
  init(_ note: @escaping () -> Void) { self.note = note }

  func poll(_ poll: PollRequest) -> PollAnswer {
    note()
    return PollAnswer([])
  }
}
