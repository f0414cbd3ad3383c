/// A number of bytes as a pipeline writes it.
///
///     try SizeText.parse("64MiB")  // 67_108_864
///     try SizeText.parse("10kB")   // 10_000
///     try SizeText.parse("512")    // 512
public enum SizeText {
  private static let units: [(name: String, bytes: Int64)] = [
    ("", 1), ("B", 1), ("kB", 1000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000),
    ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40),
  ]

  public static func parse(_ text: String) throws(TextError) -> Int {
    let usage = "write a size as in 512, 10kB or 64MiB"
    var scanner = QuantityScanner(text)
    let quantity = try scanner.next(what: "a size", usage: usage)
    guard let unit = units.first(where: { $0.name == quantity.unit }) else {
      throw TextError(
        "\(quoted(quantity.unit)) is no unit of size", at: quantity.unitRange, hint: hint(quantity))
    }
    guard scanner.isAtEnd else {
      throw TextError("\(quoted(text)) is more than one size", at: scanner.rest, hint: usage)
    }
    guard let bytes = quantity.times(unit.bytes) else {
      throw TextError("the size \(quoted(text)) is too large", in: text, hint: "the largest is 8388607TiB")
    }
    guard quantity.isWhole(times: unit.bytes) else {
      throw TextError("\(quoted(text)) is no whole number of bytes", in: text, hint: usage)
    }
    return Int(bytes)
  }

  /// A letter alone may mean the thousand or the 1024; both are offered.
  private static func hint(_ quantity: QuantityScanner.Quantity) -> String {
    let letter = quantity.unit.uppercased().first.map(String.init) ?? ""
    guard ["K", "M", "G", "T"].contains(letter), quantity.unit.count <= 3 else {
      return "the units are B, kB, MB, GB, TB (thousands) and KiB, MiB, GiB, TiB (1024s)"
    }
    let decimal = letter == "K" ? "kB" : "\(letter)B"
    return "did you mean \(quantity.number)\(decimal) (thousands) or \(quantity.number)\(letter)iB (1024s)?"
  }
}
