import Expectations
import Foundation
import Testing

@testable import Sky

@Suite struct SkyTimeTests {
  @Test("days count through leap years and back, over four centuries and before 1970")
  func civil() {
    var expected = (year: 1899, month: 12, day: 31)
    for days in SkyDate(1899, 12, 31).days...SkyDate(2301, 1, 1).days {
      let date = SkyDate(days: days)
      let civil = date.civil
      #expect((civil.year, civil.month, civil.day) == expected)
      expect(SkyDate(civil.year, civil.month, civil.day), equals: date)
      let year = expected.year
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      let length = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][expected.month - 1]
      expect(SkyDate.days(in: expected.month, of: year), equals: length)
      expected.day += 1
      if expected.day > length { expected = (year, expected.month + 1, 1) }
      if expected.month > 12 { expected = (year + 1, 1, 1) }
    }
    expect(SkyDate(1970, 1, 1).days, equals: 0)
    expect(SkyDate(1970, 1, 1).sunday, equals: SkyDate(1970, 1, 4))
    expect(SkyDate(1969, 12, 28).sunday, equals: SkyDate(1969, 12, 28))
  }

  @Test("a date is written and read again, and what is none is not read")
  func text() {
    expect(SkyDate(2026, 1, 3).description, equals: "2026-01-03")
    expect(SkyDate(1995, 6, 16).american, equals: "Jun 16, 1995")
    expect(SkyDate("2024-02-29"), equals: SkyDate(2024, 2, 29))
    for wrong in [
      "2023-02-29", "2026-13-01", "2026-00-01", "2026-01-00", "2026-1-3", "20260103", "", "2026-01-+3",
    ] { expectNil(SkyDate(wrong), "\(wrong)") }
  }

  @Test("a moment is written as services write it")
  func moments() throws {
    let time = SkyTime(milliseconds: 1_767_413_106_007)
    expect(time.iso, equals: "2026-01-03T04:05:06Z")
    expect(time.date, equals: SkyDate(2026, 1, 3))
  }

  @Test("summer time on the East Coast is as the zone files have it")
  func summer() throws {
    let zone = try #require(TimeZone(identifier: "America/New_York"))
    for days in SkyDate(2007, 1, 1).days..<SkyDate(2030, 1, 1).days {
      let date = SkyDate(days: days)
      let midnight = Date(timeIntervalSince1970: Double(days * 86400 + 5 * 3600 - 1))
      expect(APODCalendar.isSummer(date), equals: zone.isDaylightSavingTime(for: midnight), "\(date)")
    }
  }
}

@Suite struct SkyClockTests {
  @Test("a clock runs at the given speed, and neither back nor out of the calendar")
  func clock() {
    func now(_ seconds: Double, speed: Double) -> Int64 {
      SkyClock(start: SkyTime(seconds: 100), speed: speed) { .seconds(seconds) }.now.milliseconds
    }
    expect(now(2, speed: 3600), equals: 7_300_000)
    expect(now(2, speed: 0), equals: 100_000)
    expect(now(0.5, speed: 0.5), equals: 100_250)
    expect(now(-3, speed: 1), equals: 100_000)
    expect(now(1e9, speed: 1e9), equals: 100_000 + 100 * 365 * 86_400_000)
  }
}

@Suite struct UTCTests {
  @Test(
    "times are read in the ways they are written, and nothing else is",
    arguments: [
      ("2026-01-01", 1_767_225_600_000), ("2026-01-01T00:00:01Z", 1_767_225_601_000),
      ("2026-01-01T00:00:00.25Z", 1_767_225_600_250), ("2026-13-01", nil), ("2026-1-1", nil), ("soon", nil),
      ("2026-01-01T25:00:00Z", nil), ("", nil), ("2026-01-01x", nil), ("+026-01-01", nil),
      ("2026-01-03T", nil), ("2026-01-03T04:05:06Zz", nil), ("2026-01-03T04:05:06+05:00", nil),
      ("2026-01-03X04:05:06Z", nil), ("2026-01-03T04:05Z", nil), ("2026-01-03T04:05:06.5.6Z", nil),
    ] as [(String, Int64?)])
  func reading(_ text: String, _ milliseconds: Int64?) {
    expect(SkyTime(iso: text)?.milliseconds, equals: milliseconds)
  }

  @Test("times are written to the second, and the year goes on after its last month")
  func writing() {
    expect(SkyTime(seconds: 1_767_225_600).iso, equals: "2026-01-01T00:00:00Z")
    expect(SkyDate(2027, 13, 1), equals: SkyDate(2028, 1, 1))
    #expect(SkyDate(2028, 12, 31).dayOfYear == 365 && SkyDate(2027, 1, 1).dayOfYear == 0)
    expect(SkyTime(milliseconds: 1999).seconds, equals: 1)
  }
}
