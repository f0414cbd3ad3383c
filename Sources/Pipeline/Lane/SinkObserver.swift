import JSON
import Reactive

/// Connects a sink to its stream: counts, times, filters by `when`, and deals with what it throws.
final class SinkObserver: Observer, AlarmOwner {
  private struct State {
    let sink: any Sink
    let when: Evaluation?
    /// Whether it was given something since the last turn ended.
    var isTouched = false
    var isOver = false
    /// Whether `ended` has been told: a reader may go when the stream has ended already.
    var hasEnded = false
  }

  private let state: LaneLocal<State>
  private let context: SinkContext
  private let lane: Lane
  private let meter: Meter
  private let errors: ErrorDesk
  private let subscription: Subscription
  /// Told when the stream has ended or the sink's reader has gone.
  private let ended: @Sendable () -> Void

  init(
    _ sink: any Sink, when: Expression?, _ context: SinkContext, in subscription: Subscription,
    ended: @escaping @Sendable () -> Void
  ) {
    state = LaneLocal(State(sink: sink, when: when.map { context.evaluation($0) }))
    self.context = context
    lane = context.lane
    meter = context.meter
    errors = context.errors
    self.subscription = subscription
    self.ended = ended
    context.alarm.rings(for: self)
  }

  func next(_ signal: Signal) {
    if state.value.isOver { return }
    state.value.isTouched = true
    switch signal {
    case .event(let event):
      meter.countIn()
      if lane.isTimed {
        lane.timing(meter, isSample: true) { take(event) }
      } else {
        take(event)
      }
    case .endOfPoll(let poll):
      lane.timing(meter) { guarded { try state.value.sink.endPoll(poll) } }
    }
  }

  @inline(__always)
  private func take(_ event: Event) {
    do {
      if let when = state.value.when, try !when.isTrue(event) { return }
      try state.value.sink.take(event)
      meter.countOut()
    } catch is NotSent {
      meter.countDropped()
    } catch {
      handle(error, event)
    }
  }

  func endTurn() {
    guard state.value.isTouched, !state.value.isOver else { return }
    state.value.isTouched = false
    lane.timing(meter) { guarded { try state.value.sink.endTurn() } }
  }

  /// The sink, where it keeps what it is to write; for the last epoch, after its end too.
  var keeping: (any KeepingSink)? { state.value.sink as? any KeepingSink }

  /// Has the sink do something outside of a turn.
  func keep(_ body: (any KeepingSink) throws -> Void) {
    guard let keeping else { return }
    lane.timing(meter) { guarded { try body(keeping) } }
  }

  func ring() {
    lane.turn(.settling) {
      if state.value.isOver { return }
      state.value.isTouched = true
      lane.timing(meter) { guarded { try state.value.sink.wake() } }
    }
  }

  /// Hands out what the sink has held back, when its stream has ended.
  func close() {
    if !state.value.isOver { guarded { try state.value.sink.close() } }
  }

  /// Writes what is left, when the pipeline ends.
  func finish(by deadline: Instant) {
    do { try state.value.sink.finish(by: deadline) } catch { handle(error, nil) }
    state.value.isOver = true
  }

  func fail(_ error: any Error) { lane.fail(error) }

  func complete() { end() }

  private func end() {
    if state.value.hasEnded { return }
    state.value.hasEnded = true
    ended()
  }

  private func guarded(_ body: () throws -> Void) {
    do { try body() } catch { handle(error, nil) }
  }

  private func handle(_ error: any Error, _ event: Event?) {
    guard error is ReaderGone else {
      // An event that a sink fails on is one thing, a sink that cannot write is another.
      if event == nil { lane.noteLoss() }
      return errors.report(error, event)
    }
    state.value.isOver = true
    subscription.dispose()
    end()
  }
}
