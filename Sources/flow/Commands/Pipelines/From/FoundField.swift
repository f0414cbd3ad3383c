import JSON
import Language
import Markup
import System

/// A member of the rows of a page: where its text is found, and what is made of it.
struct FoundField: Sendable {
  enum Kind: String, Sendable { case text, number, date, link, picture }

  var name: String
  /// As `fields` of `decode: { html: … }` has it.
  var field: String
  var kind: Kind

  init(name: String, field: String, kind: Kind) { (self.name, self.field, self.kind) = (name, field, kind) }

  init(name: String, field: String, values: [String]) {
    let kind = Self.kind(of: field, values)
    // “Lamp 1” is a name, though it is a number behind five characters.
    self.init(name: name, field: field, kind: kind == .number && name == "title" ? .text : kind)
  }

  init(_ part: PageOutline.Part) {
    self.init(name: part.name, field: part.field, values: part.values)
    if kind == .number, name.hasPrefix("text") { name = "amount\(name.dropFirst(4))" }
  }

  private static func kind(of field: String, _ values: [String]) -> Kind {
    if field.hasSuffix("@href") { return .link }
    if field.hasSuffix("@src") { return .picture }
    let values = values.filter { !$0.isEmpty }
    if field.hasSuffix("@id") || field.hasSuffix("-id") || values.isEmpty { return .text }
    if values.allSatisfy({ parseTimestamp($0) != nil }) || dateForm(of: values) != nil { return .date }
    return values.count { number(in: $0) != nil } * 10 >= values.count * 8 ? .number : .text
  }

  /// The options `decode` for rows of a page.
  static func decode(_ selector: String, _ fields: [FoundField]) -> String {
    let list = fields.map { "\(FlowYAML.quoted($0.name)): \(FlowYAML.quoted($0.field))" }.joined(
      separator: ", ")
    return "{ html: { select: \(FlowYAML.quoted(selector))\(list.isEmpty ? "" : ", fields: { \(list) }") } }"
  }

  /// The expression that makes numbers and dates of the texts in rows; nil where there is nothing to do.
  static func map(_ fields: [FoundField], of rows: [Value]) -> String? {
    let parts = fields.compactMap { field -> String? in
      let values = rows.compactMap { $0.member(field.name)?.string }.filter { !$0.isEmpty }
      return field.expression(of: values).map { "\(jqPath([field.name])) = (\($0))" }
    }
    return parts.isEmpty ? nil : parts.joined(separator: " | ")
  }

  private func expression(of values: [String]) -> String? {
    let path = jqPath([name])
    switch kind {
    case .number:
      let mark = Self.decimalMark(of: values.compactMap(Self.number))
      let sign = values.contains { $0.hasPrefix("-") } ? "-" : ""
      let text = "\(path) // \"\" | gsub(\"[^0-9\(mark ?? "")\(sign)]\"; \"\")"
      return text + (mark == "," ? " | sub(\",\"; \".\")" : "") + " | tonumber? // null"
    case .date:
      // What reads as a time is one already.
      guard !values.allSatisfy({ parseTimestamp($0) != nil }), let form = Self.dateForm(of: values) else {
        return nil
      }
      return "try (\(path) | strptime(\"\(form)\") | mktime | todate) catch null"
    case .text, .link, .picture: return nil
    }
  }

  // MARK: - Numbers and dates

  /// The digits and marks of a text that is one number, with a sign of a currency or a unit before or behind it.
  private static func number(in text: String) -> String? {
    func isMark(_ character: Character) -> Bool { ".,'’".contains(character) || character.isWhitespace }
    func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }
    guard let first = text.firstIndex(where: isDigit), let last = text.lastIndex(where: isDigit) else {
      return nil
    }
    let (before, number, after) = (text[..<first], text[first...last], text[text.index(after: last)...])
    guard before.count <= 5, after.count <= 5, number.allSatisfy({ isDigit($0) || isMark($0) }) else {
      return nil
    }
    return number.filter { !$0.isWhitespace && $0 != "'" && $0 != "’" }
  }

  /// The mark before decimals in numbers of one page; nil where there are none.
  private static func decimalMark(of numbers: [String]) -> String? {
    for number in numbers {
      guard let last = number.lastIndex(where: { $0 == "." || $0 == "," }) else { continue }
      let isRepeated = number.count { $0 == number[last] } > 1
      if number.contains("."), number.contains(",") { return isRepeated ? nil : String(number[last]) }
      // Three digits behind it are thousands, if not all of the number is less than one.
      if number.distance(from: last, to: number.endIndex) != 4 || number.hasPrefix("0") {
        return String(number[last])
      }
    }
    return nil
  }

  private static let dateForms = [
    "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d-%m-%Y", "%B %d, %Y", "%b %d, %Y", "%d %B %Y",
    "%d %b %Y", "%d. %B %Y",
    "%d.%m.%Y %H:%M", "%d.%m.%Y, %H:%M",
  ]

  /// The first form in which all texts are dates.
  private static func dateForm(of values: [String]) -> String? {
    guard !values.isEmpty, values.allSatisfy({ $0.utf8.count < 30 && $0.contains(where: \.isNumber) }) else {
      return nil
    }
    return dateForms.first { form in
      guard let program = try? Program("strptime(\"\(form)\") | mktime") else { return false }
      return values.prefix(30).allSatisfy { (try? program.outputs(.string($0)))?.first != nil }
    }
  }
}
