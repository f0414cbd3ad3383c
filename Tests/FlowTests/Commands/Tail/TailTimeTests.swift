import Expectations
import JSON
import Testing

@testable import flow

@Suite struct TailTimeTests {
  @Test("times are read as RFC 3339 or as seconds, and shown in UTC")
  func times() {
    let utc = TailTime(isUTC: true)
    let cases: [(Value?, String)] = [
      (.string("2026-01-01T00:00:00Z"), "2026-01-01 00:00:00Z"),
      (.string("2026-01-01T00:30:00.75+01:00"), "2025-12-31 23:30:00Z"),
      (.string("2026-01-01 00:30-0530"), "2026-01-01 06:00:00Z"),
      (.number(1_767_225_600.9), "2026-01-01 00:00:00Z"), (.number(-1), "1969-12-31 23:59:59Z"),
      (.string("soon\u{1B}[2J"), "soon\\u001b[2J"), (.string("2026-13-01T00:00:00Z"), "2026-13-01T00:00:00Z"),
      (.string("2026-01-01T00:00:00"), "2026-01-01T00:00:00"), (.string("2026-01-01"), "2026-01-01"),
      (.string("2026-02-31T00:00:00Z"), "2026-02-31T00:00:00Z"), (.number(1e300), "1e+300"), (.null, "-"),
      (nil, "-"),
      (.string(""), ""),
    ]
    for (at, text) in cases { expect(utc.text(at), equals: text) }
  }

  @Test("the beginning of a time is no time, wherever it is cut")
  func cutTimes() {
    let whole = "2026-01-01T00:00:00.5+01:00"
    for count in 0..<whole.count { expectNil(TailTime.moment(String(whole.prefix(count))), "\(count)") }
    expect(TailTime.moment(whole), equals: 1_767_222_000.5)
    expectNil(TailTime.moment(whole + "x"))
  }
}
