import Language
import System
import JSON
import Reactive

/// Delivers the answers of a script at their times.
final class ScriptDriver: Sendable {
  private struct State {
    var source: (any ScriptSource)?
    var number = 0
    var timer: Subscription?
    var isOver = false
    var pace = ProgressPace()
  }

  private let context: SourceContext
  private let scheduler: any Scheduler
  private let downstream: any Observer<SourceBatch>
  private let failed: @Sendable (any Error) -> Void
  /// Notes whether the source is known to be down.
  private let isDown: @Sendable (Bool) -> Void
  /// Called when the script has no more answers.
  private let exhausted: @Sendable () -> Void
  private let outcome: @Sendable (_ entry: Value?, _ at: Double, PollOutcome.Result) -> Void
  /// Whether the stream ends with the script, or stays open.
  private let endsWithScript: Bool
  /// Touched on the scheduler alone.
  private let state: LaneLocal<State>

  init(
    _ context: SourceContext, on scheduler: any Scheduler, to downstream: any Observer<SourceBatch>,
    endsWithScript: Bool, isDown: @escaping @Sendable (Bool) -> Void,
    exhausted: @escaping @Sendable () -> Void, failed: @escaping @Sendable (any Error) -> Void,
    outcome: @escaping @Sendable (_ entry: Value?, _ at: Double, PollOutcome.Result) -> Void
  ) {
    self.context = context
    self.scheduler = scheduler
    self.downstream = downstream
    self.endsWithScript = endsWithScript
    self.isDown = isDown
    self.exhausted = exhausted
    self.failed = failed
    self.outcome = outcome
    state = LaneLocal(State())
  }

  func start(_ make: @escaping @Sendable () throws -> any ScriptSource) {
    scheduler.perform { [self] in
      do {
        state.value.source = try make()
        setTimer()
      } catch {
        fail(error)
      }
    }
  }

  func stop() {
    scheduler.perform { [self] in end() }
  }

  private func setTimer() {
    do {
      guard let answer = try state.value.source?.next() else {
        exhausted()
        if endsWithScript { end() }
        return
      }
      let delay = max(0, answer.at - context.world.wallClock())
      state.value.timer = scheduler.schedule(after: .nanoseconds(Int64(min(delay, 9e9) * 1e9))) { [self] in
        deliver(answer)
        setTimer()
      }
    } catch {
      fail(error)
    }
  }

  private func fail(_ error: any Error) {
    context.meter.countError()
    failed(error)
    end()
  }

  private func deliver(_ answer: ScriptedAnswer) {
    if state.value.isOver { return }
    if state.value.pace.isDue() {
      let minute = timestamp(answer.at).prefix(16).replacing("T", by: " ")
      context.progress(PollProgress("replaying \(minute)"))
    }
    switch answer.content {
    // Where one entry of a list failed, the others may be there.
    case .failure, .recordedFailure:
      if [Poll.each, Poll.entry].allSatisfy({ answer.notes.member($0) == nil }) { isDown(true) }
    case .poll, .events: isDown(false)
    case .end: break
    }
    switch answer.content {
    case .poll(let rows):
      state.value.number += 1
      let poll = Poll(
        source: context.name, number: state.value.number, at: answer.at, notes: answer.notes,
        coverage: answer.coverage, rows: rows)
      outcome(poll.entry, answer.at, .good)
      send(rows, poll, endsPoll: true)
    case .events(let values):
      context.noteEvents(answer.at)
      send(values, Poll(source: context.name, at: answer.at), endsPoll: false)
    case .failure(let message):
      state.value.number += 1
      context.meter.countError()
      context.log.ofPolls.error(message)
      noteFailure(message, of: answer)
    case .recordedFailure(let message):
      state.value.number += 1
      context.log.notice(message)
      noteFailure(message, of: answer)
    case .end: end()
    }
  }

  private func noteFailure(_ message: String, of answer: ScriptedAnswer) {
    let poll = Poll(source: context.name, at: answer.at, notes: answer.notes)
    outcome(poll.entry, answer.at, .failed(.other, reason: message))
  }

  private func send(_ values: [Value], _ poll: Poll, endsPoll: Bool) {
    context.meter.countOut(values.count)
    downstream.next(SourceBatch(values, poll, endsPoll: endsPoll))
  }

  private func end() {
    if state.value.isOver { return }
    state.value.isOver = true
    state.value.timer?.dispose()
    state.value.source = nil
    context.progress(nil)
    downstream.complete()
  }
}
