import Language
import System
import Reactive

/// An operator at work: takes the events of one stream and sends others on.
///
/// Everything is called on the lane, one call after the other. What `take` throws is dealt with as the pipeline's
/// `on_error` says; the event is dropped then.
public protocol Step: AnyObject {
  /// The pipeline starts: for a step that waits for something before anything has come.
  func start(_ out: Downstream) throws

  func take(_ event: Event, _ out: Downstream) throws

  /// All events of a poll have come; unless a step has reason not to, it passes that on.
  func endPoll(_ poll: Poll, _ out: Downstream) throws

  /// The alarm that the step has set rings.
  func wake(_ out: Downstream) throws

  /// An event of another stream that the step reads besides its own.
  func takeSide(_ event: Event, _ out: Downstream) throws

  /// The stream has ended: what is held back is sent, or kept for the next run.
  func finish(_ ending: Ending, _ out: Downstream) throws

  /// Whether it waits for something from outside though its stream has ended: until it does not, woken by its bell, the
  /// stream goes on behind it.
  var isBusy: Bool { get }
}

/// What is wrong with an event, as a sentence: what a step or a sink throws.
public struct StepError: Error, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}

extension Step {
  public func start(_ out: Downstream) throws {}
  public func endPoll(_ poll: Poll, _ out: Downstream) throws { out.send(endOf: poll) }
  public func wake(_ out: Downstream) throws {}
  public func takeSide(_ event: Event, _ out: Downstream) throws {}
  public func finish(_ ending: Ending, _ out: Downstream) throws {}
  public var isBusy: Bool { false }
}

/// What a step is given when it is made.
public struct StepContext: Sendable {
  /// As in the statistics: the step's own name, or its kind.
  public let name: String
  public let lane: Lane
  public let log: NodeLog
  public let meter: Meter

  /// An expression, ready to run on the lane.
  public func evaluation(_ expression: Expression) -> Evaluation { Evaluation(expression, on: lane) }
  public func evaluation(_ template: Template) -> Evaluation { Evaluation(template.expression, on: lane) }
}

/// The way on from a step, and its alarm clock.
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
  }

  @inline(__always)
  public func send(_ event: Event) {
    if isComplete { return }
    meter.countOut()
    downstream.next(event)
  }

  public func send(endOf poll: Poll) {
    if !isComplete { downstream.next(.end(of: poll)) }
  }

  /// Ends the stream here: nothing more goes on, and nothing more is asked of the sources for its sake.
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

  /// When the lane's clock will show what a wall clock shows at a moment, if neither is set until then.
  public func instant(ofTimeOfDay moment: Double) -> Instant {
    let delay = min(max(-1e9, moment - lane.world.wallClock()), 9e9)
    return lane.present.instant + .nanoseconds(Int64(delay * 1e9))
  }

  /// Has `wake` called at that time, instead of any asked for before.
  public func setAlarm(at time: Instant) {
    if let owner { alarm.set(at: lane.scheduled(time), for: owner) }
  }

  public func clearAlarm() { alarm.clear() }

  /// Has `wake` called in a turn of its own, before long; from any thread.
  public var bell: @Sendable () -> Void {
    { [lane, weak owner] in
      lane.scheduler.perform { [owner] in owner?.ring() }
    }
  }

  /// Reports what is wrong with an event that was taken in another turn.
  public func report(_ error: any Error, _ event: Event) { owner?.report(error, event) }

  /// Nobody is there any more for what is sent.
  var isOver: Bool { isComplete || lane.hasEnded }
}
