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
    #expect(try time("second").distance(from: before) == "in 3 d 4 h")
    #expect(try time("hour").distance(from: before) == "in 3 d 4 h")
    #expect(try time("hour").distance(from: Self.moment - 7199) == "in 1 h")
    #expect(try time("hour").distance(from: Self.moment + 3599) == "less than 1 h ago")
    #expect(try time("day").distance(from: before) == "in 3 d")
    #expect(try time("day").distance(from: Self.moment + 86400) == "1 d ago")
    #expect(try time("day").distance(from: Self.moment) == "today")
    #expect(try time("minute").distance(from: Self.moment - 6 * 86400 - 59) == "in 6 d")
    #expect(try time("minute").distance(from: Self.moment - 7260) == "in 2 h 1 min")
    #expect(try time("minute").distance(from: Self.moment - 60) == "in 1 min 00 s")
    #expect(try time("second").distance(from: Self.moment - 9) == "in 9 s")
    #expect(try time("month").distance(from: before) == nil)
    #expect(try time("minute").distance(from: Self.moment + 90) == "1 min 30 s ago")
    #expect(try time("minute").distance(from: Self.moment) == "in 0 s")
  }

  @Test("dates are known by the day, anything that is no time is none")
  func reading() {
    #expect(PageTime("2026-05-14", precision: nil)?.precision == .day)
    #expect(PageTime("2026-05-14T00:00:00Z", precision: nil)?.precision == .minute)
    #expect(PageTime("2026-05-14T00:00:00Z", precision: "fortnight")?.precision == .minute)
    for value in [.null, "soon", .bool(true), .number(1e300), .emptyObject] as [Value] {
      #expect(PageTime(value, precision: nil) == nil)
    }
  }

  @Test("seconds are counted down only where the time is known that well")
  func countdown() throws {
    for precision in PageTime.Precision.allCases {
      #expect(try time(precision.rawValue).isExact == [.second, .minute].contains(precision))
    }
  }
}
