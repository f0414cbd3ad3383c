/// `${NAME}` and `${NAME:-default}` in a text, replaced by values of the environment; `$${` stands for `${`.
///
/// The default serves, as in a shell, where the variable is unset or empty.
struct Interpolation {
  private(set) var text: [UInt8] = []
  private(set) var map = TextMap()
  private(set) var variables: [String] = []
  /// Where in the text the values are, in bytes.
  private(set) var insertions: [Range<Int>] = []
  /// The values that come from the environment, not from a default.
  private(set) var values: [(name: String, value: String)] = []
  private(set) var flaws: [TextError] = []

  init(_ source: [UInt8], _ sourceMap: TextMap, environment: (String) -> String?) {
    let (dollar, open) = (UInt8(ascii: "$"), UInt8(ascii: "{"))
    var index = 0
    while index < source.count {
      let rest = source[index...]
      if rest.starts(with: [dollar, dollar, open]) {
        text += [dollar, open]
        map.append(index + 1..<index + 3, of: sourceMap)
        index += 3
      } else if rest.starts(with: [dollar, open]) {
        let end = rest.firstIndex(of: UInt8(ascii: "}")).map { $0 + 1 } ?? source.count
        let value = replacement(
          String(decoding: source[index..<end], as: UTF8.self), index..<end, environment)
        insertions.append(text.count..<text.count + value.utf8.count)
        text += value.utf8
        map.append(value.utf8.count, from: sourceMap.file(of: index..<end))
        index = end
      } else {
        let end = rest.dropFirst().firstIndex(of: dollar) ?? source.count
        text += source[index..<end]
        map.append(index..<end, of: sourceMap)
        index = end
      }
    }
  }

  private mutating func replacement(
    _ written: String, _ range: Range<Int>, _ environment: (String) -> String?
  ) -> String {
    let usage = "write ${NAME} or ${NAME:-default}, or $${ for the two characters themselves"
    guard written.hasSuffix("}") else {
      flaws.append(TextError("“${” is not closed", at: range.lowerBound..<range.lowerBound + 2, hint: usage))
      return ""
    }
    let inside = written.dropFirst(2).dropLast()
    let name = inside.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    let rest = inside.dropFirst(name.count)
    guard let first = name.first, !first.isNumber, rest.isEmpty || rest.hasPrefix(":-") else {
      flaws.append(
        TextError("\(quoted(written)) is not a valid name of an environment variable", at: range, hint: usage)
      )
      return ""
    }
    variables.append(String(name))
    let value = environment(String(name))
    if rest.isEmpty {
      if let value {
        values.append((String(name), value))
        return value
      }
      flaws.append(
        TextError(
          "the variable \(name) is not set in the environment", at: range,
          hint: "set it, or give a default: ${\(name):-…}"))
      return ""
    }
    if let value, !value.isEmpty {
      values.append((String(name), value))
      return value
    }
    return String(rest.dropFirst(2))
  }
}
