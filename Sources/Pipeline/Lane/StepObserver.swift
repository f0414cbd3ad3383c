import Reactive

/// Connects a step to the streams around it: counts, times, and deals with what it throws.
final class StepObserver: Observer, AlarmOwner {
  private let step: LaneLocal<any Step>
  private let out: LaneLocal<Downstream>
  private let lane: Lane
  private let meter: Meter
  private let errors: ErrorDesk
  private let ending: @Sendable () -> Ending
  /// The stream has ended, and the step is not done yet.
  private let isEnding = LaneLocal(false)

  init(
    _ step: any Step, to downstream: any Observer<Signal>, in subscription: Subscription,
    _ context: StepContext, _ errors: ErrorDesk, ending: @escaping @Sendable () -> Ending
  ) {
    self.step = LaneLocal(step)
    out = LaneLocal(Downstream(downstream, context.lane, context.meter, subscription))
    lane = context.lane
    meter = context.meter
    self.errors = errors
    self.ending = ending
    out.value.owner = self
  }

  func start() { guarded(nil) { try step.value.start(out.value) } }

  func next(_ signal: Signal) {
    switch signal {
    case .event(let event):
      meter.countIn()
      if lane.isTimed {
        lane.timing(meter, isSample: true) { take(event) }
      } else {
        take(event)
      }
    case .endOfPoll(let poll): guarded(nil) { try step.value.endPoll(poll, out.value) }
    }
  }

  @inline(__always)
  private func take(_ event: Event) {
    do { try step.value.take(event, out.value) } catch { errors.report(error, event) }
  }

  func takeSide(_ signal: Signal) {
    guard case .event(let event) = signal else { return }
    meter.countIn()
    guarded(event) { try step.value.takeSide(event, out.value) }
  }

  func ring() {
    // What it would send goes nowhere once the stream has ended, and would be gone: it is for the next run.
    if out.value.isOver { return }
    if let ledger = lane.ledger, ledger.isRegenerating { return ledger.postpone { [self] in ring() } }
    lane.turn {
      guarded(nil) { try step.value.wake(out.value) }
      if isEnding.value, !step.value.isBusy {
        out.value.complete()
        lane.letGo(of: self)
      }
    }
  }

  func fail(_ error: any Error) { lane.fail(error) }

  func complete() {
    if out.value.isComplete || isEnding.value { return }
    lane.turn {
      guarded(nil) { try step.value.finish(ending(), out.value) }
      isEnding.value = step.value.isBusy
      if !isEnding.value { return out.value.complete() }
      // The stream that has ended has let go of it.
      lane.hold(self)
    }
  }

  func report(_ error: any Error, _ event: Event) { errors.report(error, event) }

  private func guarded(_ event: Event?, _ body: () throws -> Void) {
    lane.timing(meter) {
      do { try body() } catch { errors.report(error, event) }
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
