import Language
import System
import Reactive

/// Connects a step to the streams around it: counts, times, and deals with what it throws.
final class StepObserver: EventObserver, AlarmOwner {
  private let work: LaneLocal<StepAtWork>
  private let lane: Lane
  private let ending: @Sendable () -> Ending
  /// The stream has ended, and the step is not done yet.
  private let isEnding = LaneLocal(false)

  init(
    _ step: any Step, to downstream: any Observer<Signal>, in subscription: Subscription,
    _ context: StepContext, _ errors: ErrorDesk, ending: @escaping @Sendable () -> Ending
  ) {
    let out = Downstream(downstream, context.lane, context.meter, subscription)
    work = LaneLocal(StepAtWork(step, out, context, errors))
    lane = context.lane
    self.ending = ending
    out.owner = self
  }

  private var out: Downstream { work.value.out }
  var taker: LaneLocal<EventTaker> { LaneLocal(work.value) }

  func start() { work.value.guarded(nil) { try $0.start($1) } }

  func next(_ signal: Signal) {
    switch signal {
    case .event(let event): work.value.take(event)
    case .endOfPoll(let poll): work.value.guarded(nil) { try $0.endPoll(poll, $1) }
    }
  }

  func takeSide(_ signal: Signal) {
    if case .event(let event) = signal { work.value.takeSide(event) }
  }

  func ring() {
    // What it would send goes nowhere once the stream has ended, and would be gone: it is for the next run.
    if out.isOver { return }
    if let ledger = lane.ledger, ledger.isRegenerating { return ledger.postpone { [self] in ring() } }
    lane.turn {
      work.value.guarded(nil) { try $0.wake($1) }
      if isEnding.value, !work.value.step.isBusy {
        out.complete()
        lane.letGo(of: self)
      }
    }
  }

  func fail(_ error: any Error) { lane.fail(error) }

  func complete() {
    if out.isComplete || isEnding.value { return }
    lane.turn {
      work.value.guarded(nil) { try $0.finish(ending(), $1) }
      isEnding.value = work.value.step.isBusy
      if !isEnding.value { return out.complete() }
      // The stream that has ended has let go of it.
      lane.hold(self)
    }
  }

  func report(_ error: any Error, _ event: Event) { work.value.errors.report(error, event) }
}

/// A step on its lane.
private final class StepAtWork: EventTaker {
  let step: any Step
  let out: Downstream
  let errors: ErrorDesk
  private let lane: Lane
  private let meter: Meter

  init(_ step: any Step, _ out: Downstream, _ context: StepContext, _ errors: ErrorDesk) {
    self.step = step
    self.out = out
    self.errors = errors
    lane = context.lane
    meter = context.meter
  }

  override func take(_ event: Event) {
    meter.countIn()
    if lane.isTimed {
      timed(event)
    } else {
      handle(event)
    }
  }

  func takeSide(_ event: Event) {
    meter.countIn()
    guarded(event) { try $0.takeSide(event, $1) }
  }

  /// Apart, so that what is done for each event stays small.
  @inline(never)
  private func timed(_ event: Event) {
    lane.timing(meter, isSample: true) { handle(event) }
  }

  @inline(__always)
  private func handle(_ event: Event) {
    do { try step.take(event, out) } catch { errors.report(error, event) }
  }

  func guarded(_ event: Event?, _ body: (any Step, Downstream) throws -> Void) {
    lane.timing(meter) {
      do { try body(step, out) } catch { errors.report(error, event) }
    }
  }
}

/// The second stream of a step that reads one besides its own.
final class SideObserver: Observer {
  private let owner: StepObserver

  init(_ owner: StepObserver) { self.owner = owner }

  func next(_ signal: Signal) { owner.takeSide(signal) }
  func fail(_ error: any Error) { owner.fail(error) }
  func complete() {}
}
