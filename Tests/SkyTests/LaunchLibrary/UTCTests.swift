import Testing

@testable import Sky

@Suite struct UTCTests {
  @Test(
    "times are read in the ways they are written, and nothing else is",
    arguments: [
      ("2026-01-01", 1_767_225_600_000), ("2026-01-01T00:00:01Z", 1_767_225_601_000),
      ("2026-01-01T02:00:00+02:00", 1_767_225_600_000), ("2025-12-31T19:00-05:00", 1_767_225_600_000),
      ("2026-01-01T00:00:00.25Z", 1_767_225_600_250), ("2026-01-01 00:00", 1_767_225_600_000),
      ("2026-13-01", nil), ("2026-1-1", nil), ("soon", nil), ("2026-01-01T25:00:00Z", nil), ("", nil),
      ("2026-01-01x", nil), ("+026-01-01", nil),
    ] as [(String, Int64?)])
  func reading(_ text: String, _ milliseconds: Int64?) {
    #expect(SkyTime(iso: text)?.milliseconds == milliseconds)
  }

  @Test("times are written to the second, and months end on their last day")
  func writing() {
    #expect(UTC.text(1_767_225_600) == "2026-01-01T00:00:00Z")
    #expect(UTC.text(UTC.lastDay(year: 2028, month: 2)) == "2028-02-29T00:00:00Z")
    #expect(UTC.text(UTC.lastDay(year: 2027, month: 12)) == "2027-12-31T00:00:00Z")
    #expect(SkyTime(milliseconds: 1999).seconds == 1)
  }
}
