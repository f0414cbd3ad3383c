import JSON
import Reactive

/// Asks a poll source by its schedule, on the source's own scheduler, and sends what it answers.
final class Polling: Sendable {
  private struct State {
    var source: (any PollSource)?
    var number = 0
    var timer: Subscription?
    /// When the last poll was due, had it not been put off; by the clock that only goes forward.
    var beat = Instant()
    var isOver = false
  }

  private let make: @Sendable () throws -> any PollSource
  private let schedule: Schedule
  private let scheduler: any Scheduler
  private let context: SourceContext
  private let downstream: any Observer<Delivery>
  private let failed: @Sendable (any Error) -> Void
  /// Touched on the scheduler alone.
  private let state = LaneLocal(State())

  init(
    _ make: @escaping @Sendable () throws -> any PollSource, _ schedule: Schedule,
    on scheduler: any Scheduler,
    _ context: SourceContext, to downstream: any Observer<Delivery>,
    failed: @escaping @Sendable (any Error) -> Void
  ) {
    self.make = make
    self.schedule = schedule
    self.scheduler = scheduler
    self.context = context
    self.downstream = downstream
    self.failed = failed
  }

  func start() {
    scheduler.perform { [self] in
      do { state.value.source = try make() } catch {
        context.meter.countError()
        failed(error)
        return end()
      }
      state.value.beat = scheduler.now
      if schedule.atStart || context.isOnce { poll() } else { setTimer() }
    }
  }

  /// Ends the polls; one that is under way is let come to its end.
  func stop() {
    scheduler.perform { [self] in end() }
  }

  private func poll() {
    if state.value.isOver { return }
    if context.stop.isSet { return end() }
    state.value.number += 1
    let request = PollRequest(
      source: context.name, number: state.value.number, at: context.world.wallClock())
    do {
      if let answer = try state.value.source?.poll(request) {
        context.meter.countOut(answer.rows.count)
        let poll = Poll(
          source: context.name, number: request.number, at: answer.at ?? request.at, notes: answer.notes)
        downstream.next(Delivery(answer.rows, poll, endsPoll: true))
      }
    } catch {
      context.meter.countError()
      failed(error)
    }
    setTimer()
  }

  private func setTimer() {
    if context.isOnce { return end() }
    let now = scheduler.now
    let wall = context.world.wallClock()
    guard var delay = schedule.delay(after: wall - (now - state.value.beat).inSeconds) else { return end() }
    if state.value.beat + delay <= now {
      // Beats that were missed while a poll took long, or the machine slept, are not made up for.
      guard let next = nextDelay(after: now, wall) else { return end() }
      delay = next
    }
    let beat = state.value.beat + delay
    let due = beat + schedule.spread(context.world.random)
    state.value.timer = scheduler.schedule(at: due) { [self] in
      state.value.beat = beat
      poll()
    }
  }

  /// From the last beat to the first one that is still to come.
  private func nextDelay(after now: Instant, _ wall: Double) -> Duration? {
    let behind = now - state.value.beat
    if case .every(let period) = schedule.rhythm {
      return period * ((behind / period).rounded(.down) + 1)
    }
    return schedule.delay(after: wall).map { behind + $0 }
  }

  private func end() {
    if state.value.isOver { return }
    state.value.isOver = true
    state.value.timer?.dispose()
    state.value.source = nil
    downstream.complete()
  }
}

extension Duration {
  package var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
