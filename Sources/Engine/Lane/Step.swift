import Language
import System
import Reactive

/// A step: takes the events of one stream and sends others on.
///
/// All methods are called on the lane. An error that `take` throws is handled as `on_error` says, and the event is
/// dropped.
public protocol Step: AnyObject {
  /// The pipeline starts; for a step that has timers or stored events.
  func start(_ out: Downstream) throws

  func take(_ event: Event, _ out: Downstream) throws

  /// All events of a poll have come; a step passes that on unless it has a reason not to.
  func endPoll(_ poll: Poll, _ out: Downstream) throws

  /// A poll ends next, of which all events have come in all tasks of a partition: what the tasks have to know of
  /// each other goes to `StepContext.group` now.
  func prepareEnd(of poll: Poll) throws

  /// The alarm that the step has set fires.
  func wake(_ out: Downstream) throws

  /// Takes an event of the second stream that the step reads.
  func takeSide(_ event: Event, _ out: Downstream) throws

  /// All events of a poll of the second stream have come.
  func endSidePoll(_ poll: Poll, _ out: Downstream) throws

  /// The second stream has ended.
  func finishSide(_ out: Downstream) throws

  /// The stream has ended: events that are held back are sent, or stored for the next run.
  func finish(_ ending: Ending, _ out: Downstream) throws

  /// Whether it still waits for something, as a response, after its stream has ended; the stream behind it then stays open.
  var isBusy: Bool { get }
}

extension Step {
  public func start(_ out: Downstream) throws {}
  public func endPoll(_ poll: Poll, _ out: Downstream) throws { out.send(endOf: poll) }
  public func prepareEnd(of poll: Poll) throws {}
  public func wake(_ out: Downstream) throws {}
  public func takeSide(_ event: Event, _ out: Downstream) throws {}
  public func endSidePoll(_ poll: Poll, _ out: Downstream) throws {}
  public func finishSide(_ out: Downstream) throws {}
  public func finish(_ ending: Ending, _ out: Downstream) throws {}
  public var isBusy: Bool { false }
}

/// The context that a step is made with.
public struct StepContext: Sendable {
  /// The name in the statistics: the step's own name, or its kind.
  public let name: String
  public let lane: Lane
  public let log: NodeLog
  public let meter: Meter
  /// Whether the step receives whole polls, each of which replaces the one before.
  public let isGivenSnapshots: Bool
  /// The sources whose events reach the second stream that it reads.
  public let sideSources: Set<String>
  /// Whether all sources of both streams are polled.
  public let isPolledOnBothSides: Bool
  /// The schedules of the pipeline's polled sources, by name.
  private let schedules: [String: Schedule]
  /// The task that the step belongs to, below a partition.
  var place: TaskPlace?
  var onError = ErrorPolicy.log
  /// The part of this step that the tasks of a partition share; nil for a step that is there once.
  public var group: TaskGroup? { place?.group }

  init(
    name: String, lane: Lane, log: NodeLog, meter: Meter, isGivenSnapshots: Bool,
    sideSources: Set<String> = [], isPolledOnBothSides: Bool = false, schedules: [String: Schedule] = [:],
    place: TaskPlace? = nil
  ) {
    self.name = name
    self.lane = lane
    self.log = log
    self.meter = meter
    self.isGivenSnapshots = isGivenSnapshots
    self.sideSources = sideSources
    self.isPolledOnBothSides = isPolledOnBothSides
    self.schedules = schedules
    self.place = place
  }

  /// The time from a poll to the next of its source's schedule; nil where that does not say.
  public func period(at poll: Poll) -> Duration? {
    switch schedules[poll.source]?.rhythm {
    case .every(let period): return period
    case .cron(let cron, let zone):
      let next = Int(exactly: poll.at.rounded(.down)).flatMap { cron.next(after: $0, in: zone) }
      return next.map { .seconds(Double($0) - poll.at) }
    case .once, nil: return nil
    }
  }

  /// An expression, ready to run on the lane.
  public func evaluation(_ expression: Expression) -> Evaluation { Evaluation(expression, on: lane) }
  public func evaluation(_ template: Template) -> Evaluation { Evaluation(template.expression, on: lane) }
}

/// The output of a step, and its timer.
public final class Downstream {
  private let downstream: any Observer<Event>
  private let lane: Lane
  private let meter: Meter
  private let subscription: Subscription
  private let alarm: Alarm
  /// The observer that this belongs to, which the alarm wakes.
  ///
  /// Not weak: an object with a weak reference to it is retained by a slower path, and this one is for each event.
  unowned var owner: StepObserver?
  private(set) var isComplete = false

  init(_ downstream: any Observer<Event>, _ lane: Lane, _ meter: Meter, _ subscription: Subscription) {
    self.downstream = downstream
    self.lane = lane
    self.meter = meter
    self.subscription = subscription
    alarm = Alarm(on: lane.scheduler, in: subscription)
    meter.watch(alarm)
  }

  @inline(__always)
  public func send(_ event: Event) {
    if isComplete { return }
    meter.countOut()
    meter.show(event, on: lane)
    downstream.next(event)
  }

  public func send(endOf poll: Poll) {
    if isComplete { return }
    owner?.noteEnd(of: poll)
    let end = Event.end(of: poll)
    meter.show(end, on: lane)
    downstream.next(end)
  }

  /// Notes which event the next outputs come from, where a step sends at the end of a poll what has waited for it.
  ///
  /// Below a partition the outputs of all tasks come in the order of the source's rows; nil for those of no row.
  public func continueFrom(_ event: Event?) {
    lane.task?.position = event.flatMap { $0.row >= 0 ? Int($0.row) : nil } ?? .max
  }

  /// Ends the stream here: nothing more is sent, and sources that only feed this stream stop.
  public func complete() {
    if isComplete { return }
    isComplete = true
    subscription.dispose()
    downstream.complete()
  }

  /// The time of this turn by the lane's clock, which only goes forward.
  public var now: Instant { lane.instant }

  /// The time of day of this turn, in seconds since 1970.
  public var timeOfDay: Double { lane.now }

  /// The lane's time for a time of day, if neither clock is set until then.
  public func instant(ofTimeOfDay moment: Double) -> Instant {
    let delay = min(max(-1e9, moment - lane.world.wallClock()), 9e9)
    return lane.present.instant + .nanoseconds(Int64(delay * 1e9))
  }

  /// Whether neither clock is ever set.
  public var isTimeSteady: Bool { lane.world.isSteady }

  /// Calls `wake` at that time, instead of at any time set before.
  public func setAlarm(at time: Instant) {
    if let owner { alarm.set(at: lane.scheduled(time), for: owner) }
  }

  public func clearAlarm() { alarm.clear() }

  /// Calls `wake` soon, in a turn of its own; may be called from any thread.
  public var bell: @Sendable () -> Void {
    { [lane, weak owner] in
      lane.scheduler.perform { [owner] in owner?.ring() }
    }
  }

  /// Reports an error of an event that was taken in an earlier turn.
  public func report(_ error: any Error, _ event: Event) { owner?.report(error, event) }

  /// Whether nothing that is sent can arrive any more.
  var isOver: Bool { isComplete || lane.hasEnded }
}
