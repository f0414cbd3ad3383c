import Expectations
import Testing

@testable import Reactive

@Suite struct SpeedTests {
  @Test("hours pass in moments, and the timers of schedulers that share it ring in the order of their times")
  func fast() {
    let speed = Speed(360_000)
    let (one, other) = (SerialScheduler(speed: speed), SerialScheduler(speed: speed))
    let log = Journal<String>()
    let start = speed.now
    let machine = MonotonicClock.now
    _ = one.schedule(at: start + .seconds(5 * 3600)) {
      log.note("one, 5 h: \(one.now >= start + .seconds(5 * 3600))")
    }
    _ = other.schedule(at: start + .seconds(3 * 3600)) {
      log.note("other, 3 h: \(other.now >= start + .seconds(3 * 3600))")
    }
    #expect(eventually { log.count == 2 })
    expect(log.entries, equals: ["other, 3 h: true", "one, 5 h: true"])
    #expect(MonotonicClock.now - machine >= .milliseconds(50))
    #expect(MonotonicClock.now - machine < .seconds(20))
  }

  @Test("a time of it is a time of the machine's, which is never too early")
  func conversion() {
    let speed = Speed(3)
    let start = speed.now
    for nanoseconds in [1, 2, 7, 1_000_000_007] as [Int64] {
      let instant = start + .nanoseconds(nanoseconds)
      let machine = speed.machineTime(of: instant)
      #expect(abs((machine - start).nanoseconds - nanoseconds / 3) < 1_000_000_000)
      while MonotonicClock.now < machine {}
      #expect(speed.now >= instant)
    }
    expect(speed.machineTime(of: .distantFuture), equals: .distantFuture)
    expect(speed.shown(for: .seconds(2)), equals: .seconds(6))
    expect(speed.machine(for: .seconds(6)), equals: .seconds(2))
  }

  @Test("the real one changes nothing, and a speed that is none is that one's")
  func real() {
    let instant = Instant(nanoseconds: 12)
    expect(Speed.real.machineTime(of: instant), equals: instant)
    expect(Speed.real.shown(for: .seconds(3)), equals: .seconds(3))
    expect(Speed.real.machine(for: .seconds(3)), equals: .seconds(3))
    for factor in [0, -1, .nan, .infinity] { expect(Speed(factor).factor, equals: 1) }
  }
}
