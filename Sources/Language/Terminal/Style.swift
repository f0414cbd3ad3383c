/// A style of text on a terminal: a colour and attributes by their names.
///
///     let style = try Style("bold red")
///     Paint(isOn: true)("late", style)  // "\u{1B}[1;31mlate\u{1B}[0m"
public struct Style: Hashable, Sendable {
  /// The numbers of the escape sequence (SGR).
  let codes: [Int]

  private init(_ codes: Int...) { self.codes = codes }

  public static let plain = Style()
  public static let bold = Style(1)
  public static let dim = Style(2)
  public static let red = Style(31)
  public static let green = Style(32)
  public static let yellow = Style(33)
  public static let cyan = Style(36)

  /// Both together.
  public static func + (left: Style, right: Style) -> Style { Style(codes: left.codes + right.codes) }

  private init(codes: [Int]) { self.codes = codes }

  /// All names, in the order in which a message lists them.
  public static let names = table.map(\.name)

  private static let table: [(name: String, code: Int)] = [
    ("plain", 0), ("bold", 1), ("dim", 2), ("italic", 3), ("underline", 4), ("reverse", 7), ("black", 30),
    ("red", 31), ("green", 32), ("yellow", 33), ("blue", 34), ("magenta", 35), ("cyan", 36), ("white", 37),
    ("gray", 90), ("bright_red", 91), ("bright_green", 92), ("bright_yellow", 93), ("bright_blue", 94),
    ("bright_magenta", 95), ("bright_cyan", 96), ("bright_white", 97),
  ]

  /// Reads names with blanks between them, such as `bold red`.
  public init(_ text: String) throws(TextError) {
    var codes: [Int] = []
    for word in text.split(separator: " ") {
      guard let entry = Style.table.first(where: { $0.name == word }) else {
        let start = text.utf8.distance(from: text.startIndex, to: word.startIndex)
        throw TextError(
          "unknown style \(quoted(String(word)))", at: start..<start + word.utf8.count,
          hint: suggestion(for: String(word), among: Style.names))
      }
      if entry.code > 0 { codes.append(entry.code) }
    }
    self.codes = codes
  }
}

/// A painter that styles texts where colours are wanted, and leaves them as they are where not.
public struct Paint: Sendable {
  public let isOn: Bool

  public init(isOn: Bool) { self.isOn = isOn }

  public static let off = Paint(isOn: false)

  /// Colours are wanted on a terminal that has any, unless `NO_COLOR` says something.
  public static func isWanted(isTerminal: Bool, environment: (String) -> String?) -> Bool {
    isTerminal && (environment("NO_COLOR") ?? "").isEmpty && environment("TERM") != "dumb"
  }

  /// The text in that style; what it holds already must not be styled.
  public func callAsFunction(_ text: String, _ style: Style) -> String {
    guard isOn, !style.codes.isEmpty, !text.isEmpty else { return text }
    return "\u{1B}[\(style.codes.map(String.init).joined(separator: ";"))m\(text)\u{1B}[0m"
  }

  /// The text as a hyperlink, for terminals that know them; others show the text alone.
  public func link(_ text: String, to address: String) -> String {
    let isPlain = address.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    guard isOn, isPlain, !text.isEmpty else { return text }
    return "\u{1B}]8;;\(address)\u{1B}\\\(text)\(Paint.linkEnd)"
  }

  static let linkEnd = "\u{1B}]8;;\u{1B}\\"
}
