import Testing

@testable import Sky

@Suite struct LaunchThrottleTests {
  private func time(_ seconds: Int) -> SkyTime { SkyTime(seconds: 1_800_000_000 + seconds) }

  @Test("a call that was refused does not count, and those of an hour ago no longer do")
  func rolling() {
    var throttle = LaunchThrottle()
    for second in 0..<3 { #expect(throttle.call(by: "a", limit: 3, at: time(second * 10)) == nil) }
    for _ in 0..<5 { #expect(throttle.call(by: "a", limit: 3, at: time(100)) == 3500) }
    #expect(throttle.use(of: "a", limit: 3, at: time(100)) == (3, 3500))
    #expect(throttle.call(by: "a", limit: 3, at: time(3600)) == nil)
    #expect(throttle.call(by: "a", limit: 3, at: time(3600)) == 10)
    #expect(throttle.use(of: "a", limit: 3, at: time(8000)) == (0, 0))
  }

  @Test("a clock that was set back leaves nobody waiting")
  func backwards() {
    var throttle = LaunchThrottle()
    #expect(throttle.call(by: "a", limit: 1, at: time(5000)) == nil)
    #expect(throttle.call(by: "a", limit: 1, at: time(0)) == nil)
  }

  @Test("of very many clients those are remembered that called last")
  func clients() {
    var throttle = LaunchThrottle()
    for number in 0..<1500 { #expect(throttle.call(by: "\(number)", limit: 1, at: time(number)) == nil) }
    #expect(throttle.use(of: "1499", limit: 1, at: time(1500)).calls == 1)
    #expect(throttle.use(of: "0", limit: 1, at: time(1500)).calls == 0)
  }
}
