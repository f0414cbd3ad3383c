import Expectations
import Glibc
import Reactive
import Testing

@testable import JSON

@Suite struct NumberParseTests {
  /// Digits with a point somewhere, as numbers on the web are, and ones that lie halfway between two doubles.
  @Test func decimalsAreReadAsTheNearestDouble() throws {
    var random = SplitMix64(seed: 11)
    for round in 0..<40_000 {
      var digits = String(random.next() >> (random.next() % 60))
      let places = Int(random.next() % 22)
      while digits.utf8.count <= places { digits = "0" + digits }
      var text = digits.dropLast(places) + (places > 0 ? "." : "") + digits.suffix(places)
      if round % 4 == 0 {
        // Between two doubles near 2^53 times a power of two.
        text = "\((1 << 53 + random.next() >> 11) * 2 + 1)"
        if round % 8 == 0 { text += ".\(round % 16 == 0 ? "0" : "0000001")" }
      }
      if round % 3 == 0 { text = "-" + text }
      try expect(json(String(text)).double, equals: strtod(String(text), nil), "\(text)")
    }
  }
}
