import Expectations
import Reactive
import System
import Testing
@testable import Language

@Suite struct CronTests {
  private func next(_ text: String, after time: CivilTime) throws -> String? {
    try Cron(text).next(after: time)?.description
  }

  @Test func theNextTimeIsFound() throws {
    let start = CivilTime(2026, 11, 20, 10, 30)  // a Friday
    let cases = [
      ("* * * * *", "2026-11-20 10:31:00"), ("30 10 * * *", "2026-11-21 10:30:00"),
      ("0 */6 * * *", "2026-11-20 12:00:00"), ("30 8 * * mon-fri", "2026-11-23 08:30:00"),
      ("0 0 1,15 * *", "2026-12-01 00:00:00"), ("0 0 29 2 *", "2028-02-29 00:00:00"),
      ("@hourly", "2026-11-20 11:00:00"), ("@daily", "2026-11-21 00:00:00"),
      ("@weekly", "2026-11-22 00:00:00"),
      ("@monthly", "2026-12-01 00:00:00"), ("@yearly", "2027-01-01 00:00:00"),
      ("@Annually", "2027-01-01 00:00:00"),
      ("5/15 10 * * *", "2026-11-20 10:35:00"), ("0 0 * jan SUN", "2027-01-03 00:00:00"),
      ("0 0 * * 7", "2026-11-22 00:00:00"), ("0 0 * * sat-sun", "2026-11-21 00:00:00"),
      ("0 0 13 * fri", "2026-11-27 00:00:00"), ("1-9/4 0 * * *", "2026-11-21 00:01:00"),
    ]
    for (text, expected) in cases { try expect(next(text, after: start), equals: expected, "\(text)") }
    try expect(next("30 10 * * *", after: CivilTime(2026, 11, 20, 10, 29, 59)), equals: "2026-11-20 10:30:00")
  }

  @Test func saysWhatIsWrong() {
    let cases: [(String, String, Range<Int>)] = [
      ("", "a cron schedule has five fields, and “” has 0 fields", 0..<0),
      ("0 0 * * * *", "a cron schedule has five fields, and “0 0 * * * *” has 6 fields", 0..<11),
      ("60 * * * *", "“60” is not a valid minute", 0..<2), ("0 24 * * *", "“24” is not a valid hour", 2..<4),
      ("0 0 0 * *", "“0” is not a valid day of the month", 4..<5),
      ("0 0 1 * 1,mno", "“mno” is not a valid day of the week", 10..<13),
      ("0 0 1 foo *", "“foo” is not a valid month", 6..<9),
      ("9-3 * * * *", "the range “9-3” is reversed", 0..<3),
      ("*/0 * * * *", "“0” is not a step", 0..<3), ("1,, * * * *", "the minute is missing", 2..<2),
      ("0 0 ? * *", "“?” is not a valid day of the month", 4..<5),
      ("0 0 L * *", "“L” is not a valid day of the month", 4..<5),
      ("0 0 31 2,4 *", "the schedule “0 0 31 2,4 *” never occurs", 0..<12),
      ("@dayly", "“@dayly” is not a schedule", 0..<6),
      ("99999999999999999999 * * * *", "“99999999999999999999” is not a valid minute", 0..<20),
    ]
    for (text, message, range) in cases {
      let flaw = #expect(throws: TextError.self, "\(text)") { try Cron(text) }
      expect(flaw?.message, equals: message)
      expect(flaw?.range, equals: range, "\(text)")
      #expect(flaw?.hint != nil, "\(text)")
    }
  }

  @Test func theNextTimeMatchesAndNoneIsLeftOut() throws {
    var dice = SplitMix64(seed: 21)
    for _ in 0..<40 {
      let minute = Int.random(in: 0..<60, using: &dice)
      let cron = try Cron("\(minute),*/17 */\(Int.random(in: 1...7, using: &dice)) * * 1-5")
      let start = Int.random(in: 0..<2_000_000_000, using: &dice)
      let found = try #require(cron.next(after: CivilTime(seconds: start))).seconds
      var naive = start / 60 * 60 + 60
      while true {
        let time = CivilTime(seconds: naive)
        if cron.matches(time), cron.hour.contains(time.hour), cron.minute.contains(time.minute) { break }
        naive += 60
      }
      expect(found, equals: naive)
    }
  }
}

/// Central Europe in 2026: an hour ahead from 2026-03-29 01:00 UTC to 2026-10-25 01:00 UTC.
private struct Warsaw: ZoneRules {
  static let spring = CivilTime(2026, 3, 29, 1).seconds
  static let autumn = CivilTime(2026, 10, 25, 1).seconds

  func offset(at moment: Int) -> Int { moment >= Warsaw.spring && moment < Warsaw.autumn ? 7200 : 3600 }
}

/// A zone whose clocks never change: an hour and a half ahead of UTC.
private struct Ahead: ZoneRules {
  func offset(at moment: Int) -> Int { 5400 }
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
    try expect(
      runs("30 2 * * *", after: CivilTime(2026, 3, 28, 0), 3),
      equals: [
        "03-28 01:30", "03-29 01:00", "03-30 00:30",
      ])
    try expect(
      runs("0,30 2 * * *", after: CivilTime(2026, 3, 29, 0), 2), equals: ["03-29 01:00", "03-30 00:00"])
    try expect(
      runs("0 3 * * *", after: CivilTime(2026, 3, 29, 0), 2), equals: ["03-29 01:00", "03-30 01:00"])
  }

  @Test func aTimeThatComesTwiceRunsOnce() throws {
    try expect(
      runs("30 2 * * *", after: CivilTime(2026, 10, 24, 12), 2), equals: ["10-25 00:30", "10-26 01:30"])
    try expect(runs("30 2 * * *", after: CivilTime(2026, 10, 25, 1), 1), equals: ["10-26 01:30"])
    try expect(runs("0 3 * * *", after: CivilTime(2026, 10, 24, 12), 1), equals: ["10-25 02:00"])
  }

  @Test func aScheduleByTheHourFollowsTheClock() throws {
    try expect(
      runs("*/30 * * * *", after: CivilTime(2026, 3, 29, 0), 4),
      equals: ["03-29 00:30", "03-29 01:00", "03-29 01:30", "03-29 02:00"])
    try expect(
      runs("30 * * * *", after: CivilTime(2026, 10, 24, 23, 30), 4),
      equals: ["10-25 00:30", "10-25 01:30", "10-25 02:30", "10-25 03:30"])
    try expect(runs("30 */2 * * *", after: CivilTime(2026, 3, 29, 0), 1), equals: ["03-29 02:30"])
  }

  @Test func timesGoForwardOnly() throws {
    for text in ["17 2 * * *", "*/7 * * * *", "0 0 1 * *", "59 1-3 * * sun"] {
      let cron = try Cron(text)
      var moment = CivilTime(2026, 3, 27).seconds
      for _ in 0..<800 {
        let next = try #require(cron.next(after: moment, in: Warsaw()))
        #expect(next > moment)
        expect(cron.next(after: next - 1, in: Warsaw()), equals: next)
        moment = next
      }
    }
  }

  @Test func aFixedZoneIsOnlyShifted() throws {
    let moment = CivilTime(2026, 1, 1, 10).seconds
    let cron = try Cron("0 12 * * *")
    expect(cron.next(after: moment, in: Ahead()), equals: CivilTime(2026, 1, 1, 10, 30).seconds)
  }
}
