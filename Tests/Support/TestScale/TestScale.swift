import Glibc

/// How much work repeated tests do: the one knob between a quick run and a long one.
///
/// `FLOW_TEST_SCALE` is a factor. 1, the default, is the ordinary run, which shows an error that is there. `make
/// test-long` runs with 10, and the sanitizers, under which everything is many times slower, with a tenth or less.
/// Tests name the count of the ordinary run and never read the variable themselves.
public enum TestScale {
  public static let factor: Double = {
    guard let text = getenv("FLOW_TEST_SCALE").map({ String(cString: $0) }) else { return 1 }
    guard let factor = Double(text), factor > 0 else { fatalError("FLOW_TEST_SCALE=\(text) is no factor") }
    return factor
  }()

  /// Whether the tests, and with them the command, are built for a sanitizer, which needs memory of its own.
  public static let isSanitized = dlsym(nil, "__tsan_init") != nil || dlsym(nil, "__asan_init") != nil

  /// A count of the ordinary run, scaled, and kept within what the test can do with.
  public static func count(_ ordinary: Int, atLeast least: Int = 1, atMost most: Int = .max) -> Int {
    min(max(Int((Double(ordinary) * factor).rounded()), least), most)
  }
}
