import Testing

@testable import Markup

@Suite struct FeedDateTests {
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
      ("20031231T101455Z", "2003-12-31T10:14:55Z"), ("2003-12-31 10:14:55", "2003-12-31T10:14:55Z"),
      ("2003-02-30", nil), ("soon", nil), ("", nil), ("Thu, 32 Jan 2004 00:00:00 GMT", nil),
    ] as [(String, String?)])
  func dates(_ text: String, _ expected: String?) { #expect(FeedDate.normalized(text) == expected) }
}
