import Testing

@testable import Sky

@Suite struct SkyClockTests {
  @Test("a clock runs as fast as it is told, and neither back nor out of the calendar")
  func clock() {
    func now(_ seconds: Double, speed: Double) -> Int64 {
      SkyClock(start: SkyTime(seconds: 100), speed: speed) { .seconds(seconds) }.now.milliseconds
    }
    #expect(now(2, speed: 3600) == 7_300_000)
    #expect(now(2, speed: 0) == 100_000)
    #expect(now(0.5, speed: 0.5) == 100_250)
    #expect(now(-3, speed: 1) == 100_000)
    #expect(now(1e9, speed: 1e9) == 100_000 + 100 * 365 * 86_400_000)
  }
}
