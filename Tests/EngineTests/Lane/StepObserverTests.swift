import Expectations
import Reactive
import Testing

@testable import Engine
@testable import Language

@Suite struct StepObserverTests {
  private final class Sleeper: Step {
    var wakings = 0
    func take(_ event: Event, _ out: Downstream) {}
    func wake(_ out: Downstream) { wakings += 1 }
  }

  @Test("a step whose stream has ended is woken no more: what waits there is for the next run")
  func wokenTooLate() {
    let lane = Lane(on: VirtualScheduler(), world: .real)
    let log = NodeLog(log: .silent, pipeline: "p", node: "s")
    let meter = Meter(name: "s", kind: "s")
    let step = Sleeper()
    let observer = StepObserver(
      step, to: PublishSubject<Event>(), in: Subscription(),
      StepContext(name: "s", lane: lane, log: log, meter: meter, isGivenSnapshots: true),
      ErrorReporter(.log, lane, meter, log, letters: { _, _ in }), ending: { .keep })
    observer.ring()
    expect(step.wakings, equals: 1)
    observer.complete()
    observer.ring()
    expect(step.wakings, equals: 1)
  }
}
