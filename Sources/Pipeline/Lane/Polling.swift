import JSON
import Reactive

/// Asks a poll source by its schedule, on the source's own scheduler, and sends what it answers.
final class Polling: Sendable {
  private struct State {
    var source: (any PollSource)?
    var number = 0
    var timer: Subscription?
    /// When the last poll was due, by the clock that only goes forward and by the time of day.
    var due = Instant()
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
      state.value.due = scheduler.now
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
    let behind = now - state.value.due
    let wall = context.world.wallClock()
    let dueWall = wall - behind.inSeconds
    guard var delay = schedule.delay(after: dueWall, random: context.world.random) else { return end() }
    if case .every(let period) = schedule.rhythm {
      // What was missed while a poll took long is not made up for.
      while state.value.due + delay <= now { delay += period }
    }
    if case .cron = schedule.rhythm, state.value.due + delay <= now {
      guard let next = schedule.delay(after: wall, random: context.world.random) else { return end() }
      delay = behind + next
    }
    let due = state.value.due + delay
    state.value.timer = scheduler.schedule(at: due) { [self] in
      state.value.due = due
      poll()
    }
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
