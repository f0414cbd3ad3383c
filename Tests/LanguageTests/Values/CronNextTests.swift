import System
import Testing

@testable import Language

/// Central Europe in 2026: an hour ahead from 2026-03-29 01:00 UTC to 2026-10-25 01:00 UTC.
private struct Warsaw: ZoneRules {
  static let spring = CivilTime(2026, 3, 29, 1).seconds
  static let autumn = CivilTime(2026, 10, 25, 1).seconds

  func offset(at moment: Int) -> Int { moment >= Warsaw.spring && moment < Warsaw.autumn ? 7200 : 3600 }
}

@Suite struct CronNextTests {
  /// The next `count` moments after one, as UTC.
  private func runs(_ text: String, after time: CivilTime, _ count: Int) throws -> [String] {
    let cron = try Cron(text)
    var moment = time.seconds
    return try (0..<count).map { _ in
      moment = try #require(cron.next(after: moment, in: Warsaw()))
      return String(CivilTime(seconds: moment).description.dropFirst(5).dropLast(3))
    }
  }

  @Test func aTimeThatIsSkippedRunsAtTheChange() throws {
    #expect(
      try runs("30 2 * * *", after: CivilTime(2026, 3, 28, 0), 3) == [
        "03-28 01:30", "03-29 01:00", "03-30 00:30",
      ])
    #expect(
      try runs("0,30 2 * * *", after: CivilTime(2026, 3, 29, 0), 2) == ["03-29 01:00", "03-30 00:00"])
    #expect(try runs("0 3 * * *", after: CivilTime(2026, 3, 29, 0), 2) == ["03-29 01:00", "03-30 01:00"])
  }

  @Test func aTimeThatComesTwiceRunsOnce() throws {
    #expect(
      try runs("30 2 * * *", after: CivilTime(2026, 10, 24, 12), 2) == ["10-25 00:30", "10-26 01:30"])
    #expect(try runs("30 2 * * *", after: CivilTime(2026, 10, 25, 1), 1) == ["10-26 01:30"])
    #expect(try runs("0 3 * * *", after: CivilTime(2026, 10, 24, 12), 1) == ["10-25 02:00"])
  }

  @Test func aScheduleByTheHourFollowsTheClock() throws {
    #expect(
      try runs("*/30 * * * *", after: CivilTime(2026, 3, 29, 0), 4)
        == ["03-29 00:30", "03-29 01:00", "03-29 01:30", "03-29 02:00"])
    #expect(
      try runs("30 * * * *", after: CivilTime(2026, 10, 24, 23, 30), 4)
        == ["10-25 00:30", "10-25 01:30", "10-25 02:30", "10-25 03:30"])
    #expect(try runs("30 */2 * * *", after: CivilTime(2026, 3, 29, 0), 1) == ["03-29 02:30"])
  }

  @Test func timesGoForwardOnly() throws {
    for text in ["17 2 * * *", "*/7 * * * *", "0 0 1 * *", "59 1-3 * * sun"] {
      let cron = try Cron(text)
      var moment = CivilTime(2026, 3, 27).seconds
      for _ in 0..<800 {
        let next = try #require(cron.next(after: moment, in: Warsaw()))
        #expect(next > moment)
        #expect(cron.next(after: next - 1, in: Warsaw()) == next)
        moment = next
      }
    }
  }

  @Test func aFixedZoneIsOnlyShifted() throws {
    let moment = CivilTime(2026, 1, 1, 10).seconds
    let cron = try Cron("0 12 * * *")
    #expect(cron.next(after: moment, in: FixedZone(offset: 5400)) == CivilTime(2026, 1, 1, 10, 30).seconds)
  }
}
