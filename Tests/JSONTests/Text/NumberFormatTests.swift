import Expectations
import Reactive
import Testing

@testable import JSON

@Suite struct NumberFormatTests {
  @Test(arguments: [
    (1.0, "1"), (-0.0, "-0"), (1e17, "1e+17"), (1e16, "1e+16"), (1e15, "1000000000000000"), (1e-5, "1e-05"),
    (0.0001, "0.0001"), (0.001234, "0.001234"), (0.00001234, "1.234e-05"),
    (123456789012345680.0, "123456789012345680"),
    (12345678901234567168, "12345678901234567000"), (1e29, "1e+29"), (.infinity, "1.7976931348623157e+308"),
    (-.infinity, "-1.7976931348623157e+308"), (.leastNonzeroMagnitude, "5e-324"),
    (0.1 + 0.2, "0.30000000000000004"), (1e100, "1e+100"),
    (-123.456, "-123.456"), (3.14e-10, "3.14e-10"), (.nan, "null"), (999999999999999, "999999999999999"),
    (1234567.5, "1234567.5"), (1.7976931348623157e308, "1.7976931348623157e+308"),
  ])
  func doublesAreWrittenAsJQDoes(_ double: Double, _ written: String) {
    expect(Value.number(double).description, equals: written)
  }

  @Test func randomDoublesReadBackTheSame() throws {
    var random = SplitMix64(seed: 3)
    for _ in 0..<20_000 {
      let double = Double(bitPattern: random.next())
      guard double.isFinite else { continue }
      let text = Value.number(double).description
      try expect(json(text).double, equals: double, "\(text)")
      try expect(json(double.description).double, equals: double)
    }
  }
}
