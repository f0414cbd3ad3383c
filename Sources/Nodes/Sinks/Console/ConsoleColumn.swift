import JSON
import Engine
import Language

/// A column of a table.
struct ConsoleColumn: Sendable {
  let header: String
  let expression: Expression

  /// Columns named after their fields: by the last name, or by the whole path if two have the same one.
  static func named(_ expressions: [Expression]) -> [ConsoleColumn] {
    let short = expressions.map { lastName($0.text) ?? $0.text }
    return zip(expressions, short).map { expression, name in
      let isUnique = short.count { $0 == name } == 1
      return ConsoleColumn(header: isUnique ? name : path(expression.text), expression: expression)
    }
  }

  /// The last name, as `name` of `.after.name` and `$meta.name`; nil for other expressions.
  static func lastName(_ text: String) -> String? {
    let names = path(text).split(separator: ".", omittingEmptySubsequences: false)
    guard text.hasPrefix(".") || text.hasPrefix("$"), let last = names.last,
      names.allSatisfy({ $0.utf8.first.map(isLetter) == true && $0.utf8.allSatisfy(isWord) })
    else { return nil }
    return String(last)
  }

  /// The path without the dot or dollar at its start.
  private static func path(_ text: String) -> String {
    let bare = text.hasPrefix(".") || text.hasPrefix("$") ? text.dropFirst() : text[...]
    return String(bare.hasSuffix("?") ? bare.dropLast() : bare)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "_") || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }

  private static func isWord(_ byte: UInt8) -> Bool { isLetter(byte) || (0x30...0x39).contains(byte) }
}

extension OptionType where Value == [ConsoleColumn] {
  /// A list of expressions, or a mapping of headers to expressions.
  static var columns: OptionType {
    let list = OptionType<[Expression]>.list(of: .expression, count: 1...)
    let mapping = OptionType<[Named<Expression>]>.mapping(of: .expression)
    return OptionType(
      "list or mapping of expressions", sample: "[.name, .net]",
      schema: .record([("anyOf", .array([list.schema, mapping.schema]))])
    ) { node, checker in
      guard case .mapping(let named) = checker.resolved(node) else {
        return list.decode(node, checker).map(ConsoleColumn.named)
      }
      if named.entries.isEmpty {
        checker.report("the table has no columns", at: named.place, hint: "for example { Name: .name }")
        return nil
      }
      return mapping.decode(node, checker).map { columns in
        columns.map { ConsoleColumn(header: $0.name, expression: $0.value) }
      }
    }
  }
}
