import Language
import Reactive

/// The observer that runs a sink: counts, takes times, filters by `when`, and handles what the sink throws.
///
/// `@unchecked Sendable` with its reason: all of it is touched on its lane alone, as `LaneLocal` has it; a box around
/// its fields would cost a retain for each event.
final class SinkObserver: Observer, AlarmOwner, @unchecked Sendable {
  private let sink: any Sink
  private let when: Evaluation?
  private let lane: Lane
  private let meter: Meter
  private let errors: ErrorDesk
  private let subscription: Subscription
  private let ended: @Sendable () -> Void
  /// Whether it was given something since the last turn ended.
  private var isTouched = false
  /// Nothing more is given to the sink: its reader has gone, or the pipeline has ended.
  private var isOver = false
  /// Whether `ended` has been called: a reader may go when the stream has ended already.
  private var hasEnded = false

  /// `ended` is called once, when the stream has ended or the sink's reader has gone.
  init(
    _ sink: any Sink, when: Expression?, _ context: SinkContext, in subscription: Subscription,
    ended: @escaping @Sendable () -> Void
  ) {
    self.sink = sink
    self.when = when.map { context.evaluation($0) }
    lane = context.lane
    meter = context.meter
    errors = context.errors
    self.subscription = subscription
    self.ended = ended
    context.alarm.rings(for: self)
  }

  // MARK: - The stream

  func next(_ event: Event) {
    if event.isEndOfPoll { return touch { try $0.endPoll(event.poll) } }
    if isOver { return }
    isTouched = true
    meter.countIn()
    if lane.isTimed {
      sample(event)
    } else {
      handOver(event)
    }
  }

  func fail(_ error: any Error) { lane.fail(error) }

  func complete() {
    if hasEnded { return }
    hasEnded = true
    ended()
  }

  // MARK: - Turns

  func ring() {
    lane.turn(.settling) { touch { try $0.wake() } }
  }

  func endTurn() {
    guard isTouched, !isOver else { return }
    isTouched = false
    timed { try $0.endTurn() }
  }

  // MARK: - Epochs

  /// The sink, where it keeps what it is to write; for the last epoch, after its end too.
  var keeping: (any KeepingSink)? { sink as? any KeepingSink }

  /// Has the sink do something outside of a turn.
  func keep(_ body: (any KeepingSink) throws -> Void) {
    if let keeping { timed { _ in try body(keeping) } }
  }

  // MARK: - The end

  /// Hands out what the sink has held back, when its stream has ended.
  func close() {
    if !isOver { guarded { try $0.close() } }
  }

  /// Writes what is left, when the pipeline ends.
  func finish(by deadline: Instant) {
    guarded { try $0.finish(by: deadline) }
    isOver = true
  }

  /// Apart, so that what is done for each event stays small.
  @inline(never)
  private func sample(_ event: Event) {
    lane.timing(meter, isSample: true) { handOver(event) }
  }

  @inline(__always)
  private func handOver(_ event: Event) {
    do {
      if let when, try !when.isTrue(event) { return }
      try sink.take(event)
      meter.countOut()
    } catch is NotSent {
      meter.countDropped()
    } catch {
      handle(error, event)
    }
  }

  /// Does something after which the sink must hear of the end of the turn, unless it is over.
  private func touch(_ body: (any Sink) throws -> Void) {
    if isOver { return }
    isTouched = true
    timed(body)
  }

  private func timed(_ body: (any Sink) throws -> Void) {
    lane.timing(meter) { guarded(body) }
  }

  private func guarded(_ body: (any Sink) throws -> Void) {
    do { try body(sink) } catch { handle(error, nil) }
  }

  private func handle(_ error: any Error, _ event: Event?) {
    guard error is ReaderGone else {
      // An event that a sink fails on is one thing, a sink that cannot write is another.
      if event == nil { lane.noteLoss() }
      return errors.report(error, event)
    }
    isOver = true
    subscription.dispose()
    complete()
  }
}
