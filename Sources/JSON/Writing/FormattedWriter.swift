/// The writer for all options but plain compact output: indentation, sorted keys, ASCII, colours.
struct FormattedWriter {
  let options: WriteOptions
  let output: Output

  func write(_ value: Value, _ level: Int) {
    let color = options.colors?.of(value)
    if let color { output.put(color) }
    if level > Writer.depthLimit {
      output.put("<skipped: too deep>")
    } else {
      switch value.kind {
      case .array: writeArray(value, level, color)
      case .object: writeObject(value, level, color)
      case .string: _ = value.withText { output.putQuoted($0, ascii: options.asciiOnly) }
      default: writeCompact(value, to: output, level)
      }
    }
    if color != nil { output.put(Colors.reset) }
  }

  private func writeArray(_ value: Value, _ level: Int, _ color: [UInt8]?) {
    guard value.count != 0 else { return output.put("[]") }
    output.put(0x5b)
    var isFirst = true
    value.forEachElement { element in
      separate(&isFirst, level + 1, color)
      write(element, level + 1)
    }
    close(0x5d, level, color)
  }

  private func writeObject(_ value: Value, _ level: Int, _ color: [UInt8]?) {
    guard value.count != 0 else { return output.put("{}") }
    output.put(0x7b)
    var isFirst = true
    if options.sortKeys {
      value.forEachMemberSorted { key, member in
        separate(&isFirst, level + 1, color)
        writeMember(key, member, level + 1, color)
      }
    } else {
      value.forEachMember { key, member in
        separate(&isFirst, level + 1, color)
        writeMember(key, member, level + 1, color)
      }
    }
    close(0x7d, level, color)
  }

  private func writeMember(_ key: Value, _ value: Value, _ level: Int, _ color: [UInt8]?) {
    if let colors = options.colors { output.put(colors.key) }
    _ = key.withText { output.putQuoted($0, ascii: options.asciiOnly) }
    if let color {
      output.put(Colors.reset)
      output.put(color)
    }
    output.put(0x3a)
    if color != nil { output.put(Colors.reset) }
    if options.indent > 0 { output.put(0x20) }
    write(value, level)
  }

  /// Separates an element from the one before: the comma and a new line.
  private func separate(_ isFirst: inout Bool, _ level: Int, _ color: [UInt8]?) {
    if !isFirst {
      if let color { output.put(color) }
      output.put(0x2c)
    }
    isFirst = false
    if color != nil { output.put(Colors.reset) }
    breakLine(level)
  }

  private func close(_ mark: UInt8, _ level: Int, _ color: [UInt8]?) {
    breakLine(level)
    if let color { output.put(color) }
    output.put(mark)
  }

  private func breakLine(_ level: Int) {
    guard options.indent > 0 else { return }
    output.put(0x0a)
    output.put(options.usesTabs ? 0x09 : 0x20, times: level * options.indent)
  }
}

extension Value {
  /// Members by the code points of their names.
  fileprivate func forEachMemberSorted(_ body: (_ key: Value, _ value: Value) -> Void) {
    if case .view(let document, let index) = self {
      for key in document.sortedKeys(at: Int(index)) { body(.view(document, key), .view(document, key + 1)) }
    } else {
      for key in sortedKeys { body(.string(key.bytes), member(key) ?? .null) }
    }
  }
}

extension TapeDocument {
  /// The tape indices of an object's keys, sorted by code points.
  fileprivate func sortedKeys(at index: Int) -> [UInt32] {
    var keys: [UInt32] = []
    keys.reserveCapacity(count(at: index))
    let end = Tape.offset(tape[index])
    var at = index + 2
    while at < end {
      keys.append(UInt32(truncatingIfNeeded: at))
      at = Tape.next(tape, at + 1)
    }
    keys.sort { first, second in
      withText(tape[Int(first)]) { left in withText(tape[Int(second)]) { orderBytes(left, $0) } } < 0
    }
    return keys
  }
}

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

  /// The standard colours with the changes of a `JQ_COLORS` setting such as `0;31:0;32`; nil where it is malformed.
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
