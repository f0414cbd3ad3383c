import Expectations
import Testing

@testable import System

@Suite struct DateTextTests {
  @Test(
    "dates of any form become one",
    arguments: [
      ("Thu, 01 Jan 2004 19:48:21 GMT", "2004-01-01T19:48:21Z"),
      ("01 Jan 2004 19:48 EST", "2004-01-02T00:48:00Z"),
      ("Thu, 5 Apr 2012 23:47:00 +0200", "2012-04-05T21:47:00Z"),
      ("Thu,01 Jan 04 19:48:21 PDT", "2004-01-02T02:48:21Z"),
      ("Thursday, January 1, 2004", "2004-01-01T00:00:00Z"), ("1 January 2004", "2004-01-01T00:00:00Z"),
      ("Thu Jan  1 19:48:21 2004", "2004-01-01T19:48:21Z"), ("2003-12-31T10:14:55Z", "2003-12-31T10:14:55Z"),
      ("2003-12-31T10:14:55.5+01:00", "2003-12-31T09:14:55Z"), ("2003-12", "2003-12-01T00:00:00Z"),
      ("2003", "2003-01-01T00:00:00Z"), ("2003-12-31T10:14Z", "2003-12-31T10:14:00Z"),
      ("20031231T101455Z", "2003-12-31T10:14:55Z"), (" 2003-12-31 10:14:55\n", "2003-12-31T10:14:55Z"),
      ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"), ("1-Jan-2004 24:00", "2004-01-02T00:00:00Z"),
      ("2003-02-30", nil), ("soon", nil), ("", nil), ("Thu, 32 Jan 2004 00:00:00 GMT", nil),
      ("1 Jan 99999999999999", nil), ("1 Jan 2004 00:00 +-500", nil), ("9999-12-31T23:59:59-01:00", nil),
    ] as [(String, String?)])
  func dates(_ text: String, _ expected: String?) { expect(DateText.normalized(text), equals: expected) }

  @Test(
    "all forms of a date of HTTP",
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777.0), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
      ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000), ("Friday, 01-Jan-69 00:00:00 GMT", 3_124_224_000),
    ])
  func headers(_ text: String, _ seconds: Double) {
    expect(parseHTTPDate(text), equals: seconds)
  }

  @Test(
    "what is no date of HTTP",
    arguments: [
      "", "1716", "2026-01-01T00:00:00Z", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET",
      "Sun, 66 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
      "Sun, 06 Nov 99999999999999 08:49:37 GMT", "Tue, 31 Feb 2026 00:00:00 GMT",
    ])
  func others(_ text: String) {
    expectNil(parseHTTPDate(text))
  }

  @Test(
    "what is written is read as it was meant",
    arguments: [(784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT")])
  func written(_ seconds: Int, _ text: String) {
    #expect(httpDate(seconds) == text && parseHTTPDate(text) == Double(seconds))
  }
}
