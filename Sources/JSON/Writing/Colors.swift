/// The terminal colours of values, as jq has them.
public struct Colors: Sendable {
  /// Null, false, true, numbers, texts, arrays, objects, keys: each a whole escape sequence.
  private var sequences: [[UInt8]]

  static let reset = Array("\u{1B}[0m".utf8)

  /// jq 1.8's own colours.
  public static let standard = Colors(
    sequences: ["0;90", "0;39", "0;39", "0;39", "0;32", "1;39", "1;39", "1;34"].map(sequence))

  private init(sequences: [[UInt8]]) { self.sequences = sequences }

  private static func sequence(_ code: some StringProtocol) -> [UInt8] { Array("\u{1B}[\(code)m".utf8) }

  /// The standard colours changed as `JQ_COLORS` says, such as `0;31:0;32`; nil where it makes no sense.
  public init?(_ setting: String) {
    self = .standard
    let codes = setting.split(separator: ":", omittingEmptySubsequences: false)
    for code in codes.prefix(sequences.count) {
      guard code.utf8.allSatisfy({ $0 &- 0x30 < 10 || $0 == 0x3b }) else { return nil }
    }
    for (place, code) in codes.prefix(sequences.count).enumerated() {
      // Nothing after the last colon leaves that colour alone.
      if code.isEmpty, place == codes.count - 1 { break }
      sequences[place] = Colors.sequence(code)
    }
  }

  var key: [UInt8] { sequences[7] }

  func of(_ value: Value) -> [UInt8] {
    switch value.kind {
    case .null: sequences[0]
    case .boolean: sequences[value.isTruthy ? 2 : 1]
    case .number: sequences[3]
    case .string: sequences[4]
    case .array: sequences[5]
    case .object: sequences[6]
    }
  }
}
