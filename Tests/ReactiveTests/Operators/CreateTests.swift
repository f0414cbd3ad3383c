import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct CreateTests {
  @Test func passesOnWhatTheEmitterIsTold() {
    let clock = VirtualScheduler()
    let source = Observable<String>.create { emitter in
      for (second, text) in [(2, "a"), (6, "b")] {
        _ = clock.schedule(after: .seconds(second)) { emitter.next(text) }
      }
      _ = clock.schedule(after: .seconds(7)) { emitter.complete() }
    }
    expect(clock.play(source), equals: "--a---b|")
  }

  @Test func letsNothingThroughAfterATerminal() {
    expect(
      outcome { _ in
        Observable<Int>.create {
          $0.next(1)
          $0.complete()
          $0.next(2)
          $0.fail(Oops())
          $0.next(batch: [3])
        }
      }, equals: "1, |")
  }

  @Test func failsWhenTheClosureThrows() {
    expect(
      outcome { _ in
        Observable<Int>.create { emitter in
          emitter.next(1)
          throw Oops()
        }
      }, equals: "1, #")
  }

  @Test func cleansUpAtTheEndAndOnDispose() {
    let cleaned = Journal<String>()
    let source = Observable<Int>.create { emitter in
      emitter.onDispose { cleaned.note("clean") }
      emitter.next(1)
    }
    expect(outcome { _ in source.take(1) }, equals: "1, |")
    expect(cleaned.count, equals: 1)
    let subscription = source.subscribe()
    expect(cleaned.count, equals: 1)
    subscription.dispose()
    expect(cleaned.count, equals: 2)
  }

  @Test func theEmitterKnowsWhenNobodyListensAnyMore() {
    let seen = Journal<Bool>()
    let source = Observable<Int>.create { emitter in
      seen.note(emitter.isDisposed)
      emitter.next(1)
      seen.note(emitter.isDisposed)
    }
    expect(outcome { _ in source.take(1) }, equals: "1, |")
    expect(seen.entries, equals: [false, true])
  }

  @Test func whatIsSentFromInsideADeliveryComesAfterIt() {
    let log = Journal<String>()
    _ = Observable<Int>.create { emitter in
      emitter.onDispose {}
      emitter.next(1)
      emitter.next(batch: [2, 3])
    }.subscribe(next: { log.note("\($0)") })
    expect(log.entries, equals: ["1", "2", "3"])
    let held = Journal<Emitter<Int>>()
    let order = Journal<String>()
    _ = Observable<Int>.create { held.note($0) }.subscribe(next: { value in
      order.note("in \(value)")
      if value == 1 { held.entries.first?.next(2) }
      order.note("out \(value)")
    })
    held.entries.first?.next(1)
    expect(order.entries, equals: ["in 1", "out 1", "in 2", "out 2"])
  }
}
