import Expectations
import JSON
import Testing

@testable import Page

@Suite("Times on pages")
struct PageTimeTests {
  /// 2026-05-14T22:30:15Z.
  private static let moment = 1_778_797_815.0

  private func time(_ precision: String) throws -> PageTime {
    try #require(PageTime(.number(Self.moment), precision: precision))
  }

  @Test(
    "a time says as much as is known",
    arguments: [
      ("second", "2026-05-14 22:30:15 UTC", "2026-05-14T22:30:15Z"),
      ("minute", "2026-05-14 22:30 UTC", "2026-05-14T22:30:15Z"),
      ("hour", "2026-05-14 22:30 UTC", "2026-05-14T22:30:15Z"), ("day", "2026-05-14", "2026-05-14"),
      ("week", "2026-05-14 (week)", "2026-05-14"), ("month", "2026-05", "2026-05"),
      ("quarter", "2026 Q2", "2026"), ("half", "2026 H1", "2026"), ("year", "2026", "2026"),
    ])
  func texts(_ precision: String, _ text: String, _ machine: String) throws {
    let time = try time(precision)
    #expect(time.text == text && time.machine == machine)
  }

  @Test("the distance has two units at most, as fine as the time is known")
  func distances() throws {
    let before = Self.moment - 3 * 86400 - 4 * 3600 - 61
    try expect(time("second").distance(from: before), equals: "in 3 d 4 h")
    try expect(time("hour").distance(from: before), equals: "in 3 d 4 h")
    try expect(time("hour").distance(from: Self.moment - 7199), equals: "in 1 h")
    try expect(time("hour").distance(from: Self.moment + 3599), equals: "less than 1 h ago")
    try expect(time("day").distance(from: before), equals: "in 3 d")
    try expect(time("day").distance(from: Self.moment + 86400), equals: "1 d ago")
    try expect(time("day").distance(from: Self.moment), equals: "today")
    try expect(time("minute").distance(from: Self.moment - 6 * 86400 - 59), equals: "in 6 d")
    try expect(time("minute").distance(from: Self.moment - 7260), equals: "in 2 h 1 min")
    try expect(time("minute").distance(from: Self.moment - 60), equals: "in 1 min 00 s")
    try expect(time("second").distance(from: Self.moment - 9), equals: "in 9 s")
    try expectNil(time("month").distance(from: before))
    try expect(time("minute").distance(from: Self.moment + 90), equals: "1 min 30 s ago")
    try expect(time("minute").distance(from: Self.moment), equals: "in 0 s")
  }

  @Test("dates are known by the day, anything that is no time is none")
  func reading() {
    expect(PageTime("2026-05-14", precision: nil)?.precision, equals: .day)
    expect(PageTime("2026-05-14T00:00:00Z", precision: nil)?.precision, equals: .minute)
    expect(PageTime("2026-05-14T00:00:00Z", precision: "fortnight")?.precision, equals: .minute)
    for value in [.null, "soon", .bool(true), .number(1e300), .emptyObject] as [Value] {
      expectNil(PageTime(value, precision: nil))
    }
  }

  @Test("seconds are counted down only where the time is known that well")
  func countdown() throws {
    for precision in PageTime.Precision.allCases {
      try expect(time(precision.rawValue).isExact, equals: [.second, .minute].contains(precision))
    }
  }
}
