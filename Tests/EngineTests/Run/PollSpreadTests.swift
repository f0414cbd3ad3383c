import Expectations
import Language
import Reactive
import Testing

@testable import Engine

/// When sources that start together are polled first.
@Suite("The spread of first polls") struct PollSpreadTests {
  private func delays(_ count: Int, _ schedule: Schedule) -> [Double] {
    let spread = PollSpread()
    return (0..<count).map { spread.delay(of: schedule, at: Instant() + .milliseconds($0)).inSeconds }
  }

  @Test("a few are polled at once")
  func few() {
    expect(delays(16, Schedule(.every(.seconds(60)), atStart: true)), equals: Array(repeating: 0, count: 16))
  }

  @Test("many are spread over the period, or a minute where that is longer", arguments: [10, 60, 21_600])
  func many(period: Int) {
    let all = delays(10_016, Schedule(.every(.seconds(period)), atStart: true)).dropFirst(16)
    let whole = Double(min(period, 60))
    for part in 0..<100 {
      let (from, to) = (whole * Double(part) / 100, whole * Double(part + 1) / 100)
      let count = all.count { $0 >= from && $0 < to }
      #expect((98...102).contains(count), "from \(from) to \(to)")
    }
  }

  @Test("in a run that ends all are polled before, and runs differ in who is first")
  func shortRuns() {
    let schedule = Schedule(.every(.seconds(600)), atStart: true)
    var first: Set<Int> = []
    for run in 0..<20 {
      let spread = PollSpread(from: Double(run) / 20)
      spread.limit(to: .seconds(5))
      let all = (0..<24).map { _ in spread.delay(of: schedule, at: Instant()).inSeconds }
      #expect(all.allSatisfy { $0 < 5 })
      first.formUnion((16..<24).filter { all[$0] < 2 })
    }
    expect(first, equals: Set(16..<24))
  }

  @Test("one that starts a while after the others is polled at once, and so is what a time of day polls")
  func others() throws {
    let spread = PollSpread()
    let schedule = Schedule(.every(.seconds(60)), atStart: true)
    for _ in 0..<100 { _ = spread.delay(of: schedule, at: Instant()) }
    #expect(spread.delay(of: schedule, at: Instant() + .milliseconds(500)) > .zero)
    expect(spread.delay(of: schedule, at: Instant() + .seconds(2)), equals: .zero)
    #expect(delays(100, .once).allSatisfy { $0 == 0 })
    #expect(delays(100, Schedule(.every(.seconds(60)), atStart: false)).allSatisfy { $0 == 0 })
  }
}
