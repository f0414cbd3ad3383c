import Foundation
import Testing

/// The difference of two values as a message of bounded length: both of them, and of long ones the place where they part.
struct Mismatch: CustomStringConvertible {
  let description: String

  init(of actual: some Any, and expected: some Any) {
    let (left, right) = (text(of: actual), text(of: expected))
    let isLong = max(left.count, right.count) > longest
    if isLong, let lists = Self.difference(actual, expected) {
      description = lists
    } else if isLong {
      let shared = zip(left, right).prefix { $0 == $1 }.count
      let from = max(0, shared - 40)
      description =
        "they differ from character \(shared) on: \(part(left, from)) is not \(part(right, from)) "
        + "(\(left.count) and \(right.count) characters)"
    } else {
      description = "\(left) is not \(right)"
    }
  }

  /// The first difference of two lists.
  private static func difference(_ actual: some Any, _ expected: some Any) -> String? {
    guard let left = actual as? [Any], let right = expected as? [Any] else { return nil }
    let shared = zip(left, right).prefix { text(of: $0) == text(of: $1) }.count
    func element(_ list: [Any]) -> String {
      shared < list.count ? shortened(text(of: list[shared])) : "nothing"
    }
    return "they differ from element \(shared) on: \(element(left)) is not \(element(right)) "
      + "(\(left.count) and \(right.count) elements)"
  }
}

/// The most characters of a value in a message.
private let longest = 600

/// The value as it would be written in a test.
func text(of value: some Any) -> String {
  var text = ""
  // A string in quotation marks, and nil as nil.
  debugPrint(value, terminator: "", to: &text)
  return text.hasPrefix("Optional(") && text.hasSuffix(")") ? String(text.dropFirst(9).dropLast()) : text
}

func shortened(_ text: String) -> String { part(text, 0) }

private func part(_ text: String, _ start: Int) -> String {
  let rest = text.dropFirst(start)
  return (start > 0 ? "…" : "") + rest.prefix(longest) + (rest.count > longest ? "…" : "")
}

/// The line of a test's source, where it can still be read.
func sourceLine(_ place: SourceLocation) -> String? {
  let lines = try? String(contentsOfFile: place.filePath, encoding: .utf8).components(separatedBy: "\n")
  guard let lines, lines.indices.contains(place.line - 1) else { return nil }
  return lines[place.line - 1].trimmingCharacters(in: .whitespaces)
}
