import Expectations
@testable import Delivery
import JSON
import Testing

import System

@Suite struct RecordedLookupTests {
  @Test(
    "what is written is read again as it was",
    arguments: [
      #"{"at":"2026-01-01T00:00:00Z","step":"enrich","url":"https://a/b","answer":{"c":[1]}}"#,
      #"{"at":"2026-01-01T00:00:00.250Z","step":"s","url":"https://a/b","answer":null}"#,
      #"{"at":"2026-01-01T00:00:00Z","step":"s","url":"https://a/b","error":"no"}"#,
    ])
  func again(_ line: String) throws {
    let lookup = try #require(RecordedLookup(try Value.parse(line)))
    expect(String(decoding: lookup.line, as: UTF8.self), equals: line + "\n")
  }

  @Test(
    "other values are none",
    arguments: [
      "1", #"{"at":1,"step":"s","url":"u"}"#, #"{"step":"s","url":"u","answer":1}"#, #"{"at":1,"answer":1}"#,
    ])
  func none(_ line: String) throws {
    expectNil(RecordedLookup(try Value.parse(line)))
  }
}
