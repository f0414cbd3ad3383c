import Language
import System
import JSON
import Reactive

/// Connects a sink to its stream: counts, times, filters by `when`, and deals with what it throws.
final class SinkObserver: EventObserver, AlarmOwner {
  private let work: LaneLocal<SinkAtWork>
  private let lane: Lane

  /// `ended` is told when the stream has ended or the sink's reader has gone.
  init(
    _ sink: any Sink, when: Expression?, _ context: SinkContext, in subscription: Subscription,
    ended: @escaping @Sendable () -> Void
  ) {
    work = LaneLocal(SinkAtWork(sink, when.map { context.evaluation($0) }, context, subscription, ended))
    lane = context.lane
    context.alarm.rings(for: self)
  }

  var taker: LaneLocal<EventTaker> { LaneLocal(work.value) }

  func next(_ signal: Signal) {
    switch signal {
    case .event(let event): work.value.take(event)
    case .endOfPoll(let poll): work.value.touch { try $0.endPoll(poll) }
    }
  }

  func endTurn() { work.value.endTurn() }

  /// The sink, where it keeps what it is to write; for the last epoch, after its end too.
  var keeping: (any KeepingSink)? { work.value.sink as? any KeepingSink }

  /// Has the sink do something outside of a turn.
  func keep(_ body: (any KeepingSink) throws -> Void) {
    if let keeping { work.value.timed { _ in try body(keeping) } }
  }

  func ring() {
    lane.turn(.settling) { work.value.touch { try $0.wake() } }
  }

  /// Hands out what the sink has held back, when its stream has ended.
  func close() {
    if !work.value.isOver { work.value.guarded { try $0.close() } }
  }

  /// Writes what is left, when the pipeline ends.
  func finish(by deadline: Instant) {
    work.value.guarded { try $0.finish(by: deadline) }
    work.value.isOver = true
  }

  func fail(_ error: any Error) { lane.fail(error) }

  func complete() { work.value.end() }
}

/// A sink on its lane.
private final class SinkAtWork: EventTaker {
  let sink: any Sink
  private let when: Evaluation?
  private let lane: Lane
  private let meter: Meter
  private let errors: ErrorDesk
  private let subscription: Subscription
  private let ended: @Sendable () -> Void
  /// Whether it was given something since the last turn ended.
  private var isTouched = false
  var isOver = false
  /// Whether `ended` has been told: a reader may go when the stream has ended already.
  private var hasEnded = false

  init(
    _ sink: any Sink, _ when: Evaluation?, _ context: SinkContext, _ subscription: Subscription,
    _ ended: @escaping @Sendable () -> Void
  ) {
    self.sink = sink
    self.when = when
    lane = context.lane
    meter = context.meter
    errors = context.errors
    self.subscription = subscription
    self.ended = ended
  }

  override func take(_ event: Event) {
    if isOver { return }
    isTouched = true
    meter.countIn()
    if lane.isTimed {
      sample(event)
    } else {
      handOver(event)
    }
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

  func endTurn() {
    guard isTouched, !isOver else { return }
    isTouched = false
    timed { try $0.endTurn() }
  }

  /// Does something that the sink is to know the end of the turn of, unless it is over.
  func touch(_ body: (any Sink) throws -> Void) {
    if isOver { return }
    isTouched = true
    timed(body)
  }

  func timed(_ body: (any Sink) throws -> Void) {
    lane.timing(meter) { guarded(body) }
  }

  func guarded(_ body: (any Sink) throws -> Void) {
    do { try body(sink) } catch { handle(error, nil) }
  }

  func end() {
    if hasEnded { return }
    hasEnded = true
    ended()
  }

  private func handle(_ error: any Error, _ event: Event?) {
    guard error is ReaderGone else {
      // An event that a sink fails on is one thing, a sink that cannot write is another.
      if event == nil { lane.noteLoss() }
      return errors.report(error, event)
    }
    isOver = true
    subscription.dispose()
    end()
  }
}
