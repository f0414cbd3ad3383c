import Expectations
import Testing

@testable import Sky

@Suite struct CallCounterTests {
  private let three = [CallLimit(count: 3, seconds: 3600)]
  private let one = [CallLimit(count: 1, seconds: 3600)]

  private func time(_ seconds: Int) -> SkyTime { SkyTime(seconds: 1_800_000_000 + seconds) }

  @Test("a refused call does not count, nor does one of an hour ago")
  func rolling() {
    var counter = CallCounter()
    for second in 0..<3 { expectNil(counter.call(by: "a", three, at: time(second * 10))) }
    for _ in 0..<5 { expect(counter.call(by: "a", three, at: time(100)), equals: 3500) }
    #expect(counter.use(of: "a", three, at: time(100)) == (3, 0, 3500))
    expectNil(counter.call(by: "a", three, at: time(3600)))
    expect(counter.call(by: "a", three, at: time(3600)), equals: 10)
    #expect(counter.use(of: "a", three, at: time(8000)) == (0, 3, 0))
  }

  @Test("of several limits the longest wait and the fewest calls left count")
  func several() {
    let limits = [CallLimit(count: 2, seconds: 60), CallLimit(count: 3, seconds: 1000)]
    var counter = CallCounter()
    expectNil(counter.call(by: "a", limits, at: time(0)))
    expect(counter.use(of: "a", limits, at: time(0)).left, equals: 1)
    expectNil(counter.call(by: "a", limits, at: time(1)))
    expect(counter.call(by: "a", limits, at: time(2)), equals: 58)
    expectNil(counter.call(by: "a", limits, at: time(60)))
    expect(counter.use(of: "a", limits, at: time(100)).left, equals: 0)
    expect(counter.call(by: "a", limits, at: time(100)), equals: 900)
    expectNil(counter.call(by: "b", limits, at: time(100)))
  }

  @Test("a clock that was set back lets no client wait")
  func backwards() {
    var counter = CallCounter()
    expectNil(counter.call(by: "a", one, at: time(5000)))
    expectNil(counter.call(by: "a", one, at: time(0)))
  }

  @Test("of many clients, those that called last are remembered")
  func clients() {
    var counter = CallCounter()
    for number in 0..<1500 { expectNil(counter.call(by: "\(number)", one, at: time(number))) }
    expect(counter.use(of: "1499", one, at: time(1500)).calls, equals: 1)
    expect(counter.use(of: "0", one, at: time(1500)).calls, equals: 0)
  }
}
