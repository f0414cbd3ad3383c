import Expectations
@testable import Connectors
import Testing

import System

@Suite struct CalendarTextTests {
  @Test(
    "texts are escaped, and come back",
    arguments: [
      ("a", "a"), (#"a\b;c,d:"e""#, #"a\\b\;c\,d:"e""#), ("a\nb\r\nc\rd", #"a\nb\nc\nd"#),
      ("\u{7}\u{7f}x\t", "x\t"),
      (",\u{301}", "\\,\u{301}"),
    ])
  func escaping(_ text: String, _ written: String) {
    expect(Array(CalendarText.escaped(text).utf8), equals: Array(written.utf8))
    expect(CalendarText.escaped(CalendarText.unescaped(written)), equals: written)
  }

  @Test(
    "a line has 75 bytes, of whole characters, and what follows is on more lines",
    arguments: [0, 74, 75, 76, 149, 150, 1000], ["a", "ż", "😀"])
  func folding(_ count: Int, _ character: String) {
    let line = "x" + String(repeating: character, count: count)
    let bytes = CalendarText.folded(line)
    let lines = String(decoding: bytes, as: UTF8.self).split(
      separator: "\r\n", omittingEmptySubsequences: false)
    #expect(
      lines.last == "" && lines.dropLast().allSatisfy { $0.utf8.count <= 75 && !$0.contains("\u{fffd}") })
    #expect(lines.dropLast().dropFirst().allSatisfy { $0.hasPrefix(" ") })
    // No more lines than are needed.
    #expect(lines.dropLast(2).allSatisfy { $0.utf8.count > 71 })
    expect(CalendarText.unfolded(bytes), equals: [line])
  }

  @Test(
    "times are in UTC, and come back",
    arguments: [
      (0, "19700101T000000Z"), (1_772_366_399, "20260301T115959Z"), (951_782_400, "20000229T000000Z"),
      (-1, "19691231T235959Z"),
    ])
  func times(_ seconds: Int, _ text: String) {
    #expect(CalendarText.time(seconds) == text && CalendarText.seconds(text) == seconds)
    #expect(CalendarText.date(seconds) == text.prefix(8))
  }

  @Test("what is no time", arguments: ["", "2026", "20260301T115959", "2026-03-01T12Z", "20260301T11595Z9"])
  func others(_ text: String) { expectNil(CalendarText.seconds(text)) }

  @Test(
    "lengths of time",
    arguments: [(60, "PT1M"), (86400, "P1D"), (93_784, "P1DT2H3M4S"), (0, "PT0S"), (90_000, "P1DT1H")])
  func durations(_ seconds: Int, _ text: String) {
    expect(CalendarText.duration(.seconds(seconds)), equals: text)
  }
}
