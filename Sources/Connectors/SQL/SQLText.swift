import System

/// The text of a query, with the names of its parameters: `:shop`, but not within quotes, comments and casts.
struct SQLText {
  private enum Part {
    case text(Substring)
    case parameter(String)
  }

  private var parts: [Part] = []

  init(_ text: String) {
    // A semicolon at the end would not be one within parentheses.
    var end = text.endIndex
    while end > text.startIndex, case let last = text[text.index(before: end)],
      last.isWhitespace || last == ";"
    {
      end = text.index(before: end)
    }
    var rest = text[..<end]
    var start = rest.startIndex
    while let sign = rest.first {
      if let skipped = Self.skipped(rest) {
        rest = rest[skipped...]
        continue
      }
      let name = rest.dropFirst().prefix { $0.isLetter || $0.isNumber || $0 == "_" }
      if sign == ":", name.first?.isNumber == false {
        parts.append(.text(text[start..<rest.startIndex]))
        parts.append(.parameter(String(name)))
        start = name.endIndex
      }
      rest = rest[(sign == ":" ? name.endIndex : rest.index(after: rest.startIndex))...]
    }
    parts.append(.text(text[start..<end]))
  }

  /// The end of a quoted text, a comment or a cast at the beginning; nil where there is none.
  private static func skipped(_ text: Substring) -> String.Index? {
    func end(of sign: String, after count: Int) -> String.Index {
      text.dropFirst(count).place(of: sign)?.upperBound ?? text.endIndex
    }
    switch text.first {
    case "'", "\"", "`": return end(of: String(text.prefix(1)), after: 1)
    case "-" where text.hasPrefix("--"): return end(of: "\n", after: 2)
    case "/" where text.hasPrefix("/*"): return end(of: "*/", after: 2)
    case ":" where text.hasPrefix("::"): return text.index(text.startIndex, offsetBy: 2)
    case "$":
      let tag = text.dropFirst().prefix { $0.isLetter || $0 == "_" }
      guard text[tag.endIndex...].first == "$" else { return nil }
      return end(of: "$\(tag)$", after: tag.count + 2)
    default: return nil
    }
  }

  /// The names of the parameters, each once, in their order.
  var parameters: [String] {
    var names: [String] = []
    for case .parameter(let name) in parts where !names.contains(name) { names.append(name) }
    return names
  }

  /// The text with other signs for its parameters.
  func text(_ sign: (String) -> String) -> String {
    parts.map { part in
      switch part {
      case .text(let text): String(text)
      case .parameter(let name): sign(name)
      }
    }.joined()
  }

  /// A name as SQL writes it, whatever it is.
  static func quoted(_ name: String) -> String { "\"\(name.replacing("\"", by: "\"\""))\"" }
}
