import Expectations
import Testing

import Reactive
import TestSupport
@testable import System

@Suite struct CivilTimeTests {
  @Test func countsSecondsAsCalendarsDo() {
    expect(CivilTime(1970, 1, 1).seconds, equals: 0)
    expect(CivilTime(2000, 2, 29, 12, 30, 15).seconds, equals: 951_827_415)
    expect(CivilTime(1969, 12, 31, 23, 59, 59).seconds, equals: -1)
    expect(CivilTime(2026, 11, 20).weekday, equals: 5)
    expect(CivilTime(1969, 12, 28).weekday, equals: 0)
    expect(CivilTime(2026, 1, 2, 3, 4, 5).description, equals: "2026-01-02 03:04:05")
    expect(CivilTime(1, 1, 2).description, equals: "0001-01-02 00:00:00")
    #expect(CivilTime(2024, 2, 29).isDate && !CivilTime(2026, 2, 29).isDate && !CivilTime(.max, 1, 1).isDate)
  }

  @Test func secondsAndDatesAreEachOthersInverse() {
    var dice = SplitMix64(seed: 8)
    for _ in 0..<5000 {
      let seconds = Int.random(in: -100_000_000_000...100_000_000_000, using: &dice)
      let time = CivilTime(seconds: seconds)
      expect(time.seconds, equals: seconds)
      #expect((1...12).contains(time.month) && (1...31).contains(time.day))
    }
  }
}
