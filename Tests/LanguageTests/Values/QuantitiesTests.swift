import Expectations
import Reactive
import Testing
@testable import Language

@Suite struct DurationTextTests {
  private func flaw(_ text: String) -> TextError? {
    do {
      _ = try DurationText.parse(text)
      return nil
    } catch { return error }
  }

  @Test func readsNumbersWithUnits() throws {
    let cases: [(String, Duration)] = [
      ("90s", .seconds(90)), ("1m30s", .seconds(90)), ("6h", .seconds(21600)), ("1d", .seconds(86400)),
      ("500ms", .milliseconds(500)), ("0", .zero), ("0s", .zero), ("1w", .seconds(604_800)),
      ("1.5h", .seconds(5400)), ("0.001s", .milliseconds(1)),
      ("1d2h3m4s5ms6us7ns", .nanoseconds(93_784_005_006_007)),
      ("106751d", .seconds(106_751 * 86400)),
    ]
    for (text, duration) in cases { try expect(DurationText.parse(text), equals: duration, "\(text)") }
  }

  @Test func saysWhatIsWrong() {
    let cases: [(String, String, Range<Int>)] = [
      ("", "a duration is missing here", 0..<0), ("soon", "“soon” is not a duration", 0..<4),
      ("-5s", "“-5s” has a sign, and a duration has none", 0..<3),
      ("5", "the duration “5” has a number without a unit", 0..<1),
      ("1h30", "the duration “1h30” has a number without a unit", 2..<4),
      ("5min", "“min” is not a unit of time", 1..<4),
      ("1m2h", "in “1m2h” “h” comes after a unit that is not larger", 3..<4),
      ("1s1s", "in “1s1s” “s” comes after a unit that is not larger", 3..<4),
      ("5 s", "“5 s” contains a space", 1..<3), ("1.s", "“1.s” has no digit after the point", 0..<2),
      ("200000d", "the duration “200000d” is too long", 0..<7),
      ("99999999999999999999s", "the duration “99999999999999999999s” is too long", 0..<21),
    ]
    for (text, message, range) in cases {
      expect(flaw(text)?.message, equals: message, "\(text)")
      expect(flaw(text)?.range, equals: range, "\(text)")
      #expect(flaw(text)?.hint != nil, "\(text)")
    }
    expect(flaw("5min")?.hint, equals: "did you mean 5m?")
    expect(flaw("5H")?.hint, equals: "did you mean 5h?")
  }

  @Test func whatIsFormattedIsReadBack() throws {
    var dice = SplitMix64(seed: 3)
    for _ in 0..<2000 {
      let bits = Int64.random(in: 0..<62, using: &dice)
      let duration = Duration.nanoseconds(Int64.random(in: 0...(1 << bits), using: &dice))
      try expect(DurationText.parse(DurationText.format(duration)), equals: duration)
    }
    expect(DurationText.format(.seconds(90)), equals: "1m30s")
    expect(DurationText.format(.zero), equals: "0s")
    expect(DurationText.format(.seconds(-1)), equals: "-1s")
  }
}

@Suite struct SizeTextTests {
  private func flaw(_ text: String) -> TextError? {
    do {
      _ = try SizeText.parse(text)
      return nil
    } catch { return error }
  }

  @Test func readsSizes() throws {
    let cases = [
      ("64MiB", 67_108_864), ("10kB", 10_000), ("512", 512), ("512B", 512), ("1.5KiB", 1536), ("0", 0),
      ("1TB", 1_000_000_000_000), ("8388607TiB", 8_388_607 << 40),
    ]
    for (text, bytes) in cases { try expect(SizeText.parse(text), equals: bytes, "\(text)") }
  }

  @Test func saysWhatIsWrong() {
    let cases = [
      ("", "a size is missing here"), ("big", "“big” is not a size"),
      ("-1", "“-1” has a sign, and a size has none"),
      ("1MB2", "“1MB2” is more than one size"), ("0.3", "“0.3” is not a whole number of bytes"),
      ("9000000TiB", "the size “9000000TiB” is too large"), ("10 MB", "“10 MB” contains a space"),
      ("10M", "“M” is not a unit of size"),
    ]
    for (text, message) in cases {
      expect(flaw(text)?.message, equals: message, "\(text)")
      #expect(flaw(text)?.hint != nil, "\(text)")
    }
    expect(flaw("10M")?.hint, equals: "did you mean 10MB (thousands) or 10MiB (1024s)?")
    expect(flaw("10KB")?.hint, equals: "did you mean 10kB (thousands) or 10KiB (1024s)?")
  }
}
