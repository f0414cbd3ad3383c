import Expectations
@testable import Delivery
import Testing

import System

@Test(
  "data becomes a part of a file name that stays in its folder",
  arguments: [
    ("SpaceX", "SpaceX"), ("Agência do Espaço", "Agência do Espaço"), ("", "_"), (".", "_"), ("..", "_."),
    ("../etc/passwd", "_.-etc-passwd"), ("/", "-"), (".hidden", "_hidden"), ("a\0b\nc\u{1b}[m", "a_b_c_[m"),
    ("\u{202e}gpj", "_gpj"), ("a/../b", "a-..-b"),
  ])
func safeParts(data: String, part: String) {
  expect(safePathPart(data), equals: part)
}

@Test("a part of a file name has 100 bytes at most, cut between characters")
func longParts() {
  expect(safePathPart(String(repeating: "x", count: 500)), equals: String(repeating: "x", count: 100))
  expect(safePathPart(String(repeating: "a\u{301}", count: 50)).utf8.count, equals: 99)
  expect(safePathPart("x" + String(repeating: "\u{301}", count: 100)), equals: "_")
}
