@testable import Reactive
import Testing

@Suite struct CountdownTests {
  @Test func actsWhenAllHaveSignalled() {
    let log = Journal<String>()
    let countdown = Countdown(from: 2) { log.note("done") }
    countdown.signal()
    #expect(log.entries.isEmpty)
    countdown.signal()
    countdown.signal()
    #expect(log.entries == ["done"])
  }

  @Test func actsAtOnceFromZero() {
    let log = Journal<String>()
    _ = Countdown(from: 0) { log.note("done") }
    #expect(log.entries == ["done"])
  }
}
