import Testing

@testable import Fetch

@Suite struct HTTPDateTests {
  @Test(
    "all forms of a date",
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777.0), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
      ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000), ("Friday, 01-Jan-69 00:00:00 GMT", 3_124_224_000),
    ])
  func dates(_ text: String, _ seconds: Double) {
    #expect(parseHTTPDate(text) == seconds)
  }

  @Test(
    "what is no date",
    arguments: [
      "", "1716", "2026-01-01T00:00:00Z", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET",
      "Sun, 66 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
      "Sun, 06 Nov 99999999999999 08:49:37 GMT",
    ])
  func others(_ text: String) {
    #expect(parseHTTPDate(text) == nil)
  }

  @Test(
    "what is written is read as it was meant",
    arguments: [(784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT")])
  func written(_ seconds: Int, _ text: String) {
    #expect(httpDate(seconds) == text && parseHTTPDate(text) == Double(seconds))
  }
}
