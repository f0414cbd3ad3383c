import Language
import Reactive
import Store
import Synchronization

/// The observer that runs a sink: counts, takes times, filters by `when`, and handles what the sink throws.
///
/// `@unchecked Sendable` with its reason: all of it is touched on its lane alone, as `LaneLocal` has it; a box around
/// its fields would cost a retain for each event.
final class SinkObserver: Observer, LanePart, AlarmOwner, @unchecked Sendable {
  let name: String
  private let sink: any Sink
  /// Where the sink stores output until it is written; nil where the pipeline has no state.
  let outbox: Outbox?
  private let when: Evaluation?
  private let lane: Lane
  private let meter: Meter
  private let errors: ErrorReporter
  private let subscription: Subscription
  private let ended: @Sendable () -> Void
  private let alarm: SinkAlarm
  /// Whether it was given something since the last turn ended.
  private var isTouched = false
  /// Nothing more is given to the sink: its reader has gone, or the pipeline has ended.
  private var isOver = false
  /// The poll whose event came last, where pictures of pages are kept.
  private var known: Poll?
  /// Whether `ended` has been called: a reader may go when the stream has ended already.
  private var hasEnded = false

  /// `ended` is called once, when the stream has ended or the sink's reader has gone.
  init(
    _ sink: any Sink, when: Expression?, _ context: SinkContext, in subscription: Subscription,
    ended: @escaping @Sendable () -> Void
  ) {
    name = context.name
    self.sink = sink
    outbox = context.outbox
    self.when = when.map { context.evaluation($0) }
    lane = context.lane
    meter = context.meter
    errors = context.errors
    self.subscription = subscription
    self.ended = ended
    alarm = context.alarm
    alarm.rings(for: self)
  }

  // MARK: - The stream

  func next(_ event: Event) {
    if event.isEndOfPoll { return endPoll(event.poll) }
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

  // MARK: - Repetition

  private var repeating: (any RepeatingSink)? { isOver ? nil : sink as? any RepeatingSink }

  var unacknowledged: [Unacknowledged] { repeating?.unacknowledged ?? [] }

  /// Ends the repetition of keys, within a turn; returns those that were repeated.
  func acknowledge(_ keys: Set<String>) -> [Unacknowledged] {
    guard let repeating else { return [] }
    var found: [Unacknowledged] = []
    touch { _ in found = try repeating.acknowledge(keys) }
    return found
  }

  /// The measurement of the sink, if it measures.
  var metric: Metric? { (sink as? any MeasuringSink)?.metric }

  // MARK: - Epochs

  /// The sink, if it stores its output before writing; after the end too, for the last epoch.
  private var keeping: (any KeepingSink)? { sink as? any KeepingSink }

  var isKeeping: Bool { keeping != nil && outbox != nil }

  var hasUncommittedTail: Bool { keeping?.hasUncommittedTail ?? false }

  /// Gives the sink the outputs that the last run has committed and not reported as written.
  func recover(from file: StateFile) throws {
    guard let outbox else { return }
    var last = OutputPlace(epoch: -1, index: 0)
    while case let entries = try file.outbox(sink: outbox.name, after: last, limit: 1000),
      let end = entries.last
    {
      keep { try $0.recover(entries) }
      last = end.place
    }
  }

  func endReplay() { keep { try $0.endReplay() } }

  func willCommit() throws { try keeping?.willCommit() }

  func didCommit(_ epoch: Int64) {
    let entries = outbox?.takeCommitted(epoch) ?? []
    keep { try $0.didCommit(entries) }
  }

  /// Calls the sink outside of a turn.
  private func keep(_ body: (any KeepingSink) throws -> Void) {
    if let keeping { timed { _ in try body(keeping) } }
  }

  // MARK: - The end

  /// Flushes what the sink has held back, when its stream has ended.
  func close() {
    if !isOver { guarded { try $0.close() } }
  }

  /// Writes what is left, when the pipeline ends.
  func finish(by deadline: Instant) {
    guarded { try $0.finish(by: deadline) }
    isOver = true
  }

  func abandon() {
    sink.abandon()
    isOver = true
  }

  func end() { alarm.rings(for: nil) }

  /// Apart, as `sample` is, so that what is done for each event stays small.
  @inline(never)
  private func endPoll(_ poll: Poll) {
    errors.noteArrival(ofEndOf: poll, in: nil)
    touch { try $0.endPoll(poll) }
    errors.noteEnd(of: poll, in: nil)
    meter.show(.end(of: poll), on: lane)
  }

  @inline(never)
  private func sample(_ event: Event) {
    lane.timing(meter, isSample: true) { handOver(event) }
  }

  @inline(__always)
  private func handOver(_ event: Event) {
    do {
      if let when, try !when.isTrue(event) { return }
      try sink.take(event)
      if outbox != nil, event.poll !== known { namePictures(of: event.poll) }
      meter.countOut()
      meter.show(event, on: lane)
    } catch is NotSent {
      meter.countDropped()
    } catch {
      handle(error, event)
    }
  }

  @inline(never)
  private func namePictures(of poll: Poll) {
    known = poll
    poll.namePictures()
  }

  /// Does something after which the sink must hear of the end of the turn, unless it is over.
  private func touch(_ body: (any Sink) throws -> Void) {
    if isOver { return }
    isTouched = true
    timed(body)
  }

  private func timed(_ body: (any Sink) throws -> Void) {
    lane.writing(meter.name) { lane.timing(meter) { guarded(body) } }
  }

  private func guarded(_ body: (any Sink) throws -> Void) {
    do { try body(sink) } catch { handle(error, nil) }
  }

  private func handle(_ error: any Error, _ event: Event?) {
    if let error = error as? NotWritten {
      meter.countUnwritten(error.events, sent: event == nil ? error.events : error.events - 1)
      lane.noteLoss()
      return errors.report(error, nil)
    }
    guard error is ReaderGone else {
      // An event that a sink fails on is one thing, a sink that cannot write is another.
      if event == nil { lane.noteLoss() }
      return errors.report(error, event, in: nil)
    }
    isOver = true
    subscription.dispose()
    complete()
  }
}

/// The timer of a sink, and how other threads call it back to the lane; both call `wake` there, in a turn.
public final class SinkAlarm: Sendable {
  private let lane: Lane
  private let alarm: Alarm
  /// The observer to wake, until the lane ends.
  ///
  /// Not weak: an object with a weak reference to it is retained by a slower path, and this one is for each event.
  private let owner = LaneLocal<SinkObserver?>(nil)
  /// Whether it was to ring before the pipeline was whole.
  private let rangEarly = Atomic<Bool>(false)

  init(_ lane: Lane, in subscription: Subscription) {
    self.lane = lane
    alarm = Alarm(on: lane.scheduler, in: subscription)
  }

  func rings(for observer: SinkObserver?) { owner.value = observer }

  /// Rings when the pipeline begins, if it was to before.
  func begin() { if rangEarly.exchange(false, ordering: .relaxed) { ring() } }

  /// Calls `wake` at that time of the lane, instead of at any time set before; to be set on the lane.
  public func set(at time: Instant) {
    if let observer = owner.value { alarm.set(at: lane.scheduled(time), for: observer) }
  }

  public func clear() { alarm.clear() }

  /// Calls `wake` soon; from any thread.
  public func ring() {
    lane.scheduler.perform { [self] in
      if lane.isWhole { owner.value?.ring() } else { rangEarly.store(true, ordering: .relaxed) }
    }
  }
}
