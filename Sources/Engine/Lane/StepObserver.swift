import Language
import Reactive

/// The observer that runs a step: counts, takes times, and handles what the step throws.
///
/// `@unchecked Sendable` with its reason: all of it is touched on its lane alone, as `LaneLocal` has it; a box around
/// its fields would cost a retain for each event.
final class StepObserver: Observer, AlarmOwner, @unchecked Sendable {
  private let step: any Step
  private let out: Downstream
  private let errors: ErrorReporter
  private let lane: Lane
  private let meter: Meter
  private let ending: @Sendable () -> Ending
  /// The stream has ended, and the step is still busy.
  private var isEnding = false

  init(
    _ step: any Step, to downstream: any Observer<Event>, in subscription: Subscription,
    _ context: StepContext, _ errors: ErrorReporter, ending: @escaping @Sendable () -> Ending
  ) {
    self.step = step
    self.errors = errors
    self.ending = ending
    lane = context.lane
    meter = context.meter
    out = Downstream(downstream, context.lane, context.meter, subscription)
    out.owner = self
  }

  func start() { guarded(nil) { try $0.start($1) } }

  /// A poll ends in all tasks of a partition next.
  func prepareEnd(of poll: Poll) { guarded(nil) { step, _ in try step.prepareEnd(of: poll) } }

  func next(_ event: Event) {
    if event.isEndOfPoll { return endPoll(event.poll) }
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

  func endSidePoll(_ poll: Poll) {
    guarded(nil) { try $0.endSidePoll(poll, $1) }
    endUnlessBusy()
  }

  func finishSide() {
    if out.isOver { return }
    lane.turn {
      guarded(nil) { try $0.finishSide($1) }
      endUnlessBusy()
    }
  }

  func ring() {
    // After the end of the stream a timer must not fire: its output is the next run's.
    if out.isOver { return }
    if let checkpointer = lane.checkpointer, checkpointer.isRegenerating {
      return checkpointer.postpone { [self] in ring() }
    }
    lane.turn {
      guarded(nil) { try $0.wake($1) }
      endUnlessBusy()
    }
  }

  /// Ends the stream once the step has nothing left to wait for.
  private func endUnlessBusy() {
    if isEnding, !step.isBusy {
      out.complete()
      lane.release(self)
    }
  }

  func fail(_ error: any Error) { lane.fail(error) }

  func complete() {
    if out.isComplete || isEnding { return }
    lane.turn {
      guarded(nil) { try $0.finish(ending(), $1) }
      isEnding = step.isBusy
      if !isEnding { return out.complete() }
      // The stream that has ended no longer holds it.
      lane.retain(self)
    }
  }

  func report(_ error: any Error, _ event: Event) { errors.report(error, event, in: lane.task) }

  /// Apart, as `timed` is, so that what is done for each event stays small.
  @inline(never)
  private func endPoll(_ poll: Poll) {
    errors.noteArrival(ofEndOf: poll, in: lane.task)
    guarded(nil) { try $0.endPoll(poll, $1) }
  }

  /// The end of a poll leaves the step, which has handled all of its events.
  func noteEnd(of poll: Poll) { errors.noteEnd(of: poll, in: lane.task) }

  @inline(never)
  private func timed(_ event: Event) {
    lane.timing(meter, isSample: true) { handle(event) }
  }

  @inline(__always)
  private func handle(_ event: Event) {
    do { try step.take(event, out) } catch { errors.report(error, event, in: lane.task) }
  }

  private func guarded(_ event: Event?, _ body: (any Step, Downstream) throws -> Void) {
    lane.timing(meter) {
      do { try body(step, out) } catch { errors.report(error, event, in: lane.task) }
    }
  }
}

/// The observer of the second stream of a step that reads one besides its own.
final class SideObserver: Observer {
  private let owner: StepObserver

  init(_ owner: StepObserver) { self.owner = owner }

  func next(_ event: Event) {
    if event.isEndOfPoll { owner.endSidePoll(event.poll) } else { owner.takeSide(event) }
  }

  func fail(_ error: any Error) { owner.fail(error) }
  func complete() { owner.finishSide() }
}
