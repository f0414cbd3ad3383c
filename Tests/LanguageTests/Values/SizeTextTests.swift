import Testing

@testable import Language

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
    for (text, bytes) in cases { #expect(try SizeText.parse(text) == bytes, "\(text)") }
  }

  @Test func saysWhatIsWrong() {
    let cases = [
      ("", "a size is missing here"), ("big", "“big” is not a size"),
      ("-1", "“-1” has a sign, and a size has none"),
      ("1MB2", "“1MB2” is more than one size"), ("0.3", "“0.3” is no whole number of bytes"),
      ("9000000TiB", "the size “9000000TiB” is too large"), ("10 MB", "“10 MB” has a blank in it"),
      ("10M", "“M” is no unit of size"),
    ]
    for (text, message) in cases {
      #expect(flaw(text)?.message == message, "\(text)")
      #expect(flaw(text)?.hint != nil, "\(text)")
    }
    #expect(flaw("10M")?.hint == "did you mean 10MB (thousands) or 10MiB (1024s)?")
    #expect(flaw("10KB")?.hint == "did you mean 10kB (thousands) or 10KiB (1024s)?")
  }
}
