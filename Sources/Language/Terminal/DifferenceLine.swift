import System

/// A line of a text that contains unified differences, as `text_diff` writes them.
///
///     DifferenceLine.lines(of: "terms:\n@@ -1 +1 @@\n-a\n+b")  // terms:, @@ -1 +1 @@, -a, +b
public struct DifferenceLine: Equatable, Sendable {
  public enum Part: Sendable { case outside, hunk, same, removed, added }

  public let text: String
  public let part: Part

  public init(text: String, part: Part) {
    self.text = text
    self.part = part
  }

  /// How a terminal shows it; nil for what is outside of a difference.
  public var style: Style? {
    switch part {
    case .outside: nil
    case .hunk: .cyan
    case .same: .plain
    case .removed: .red
    case .added: .green
    }
  }

  /// The lines of a text; nil where it contains no difference.
  ///
  /// What is between differences is one line, whatever line breaks it has: only those of a difference are known to be
  /// meant.
  public static func lines(of text: String) -> [DifferenceLine]? {
    guard text.has("@@ -") else { return nil }
    // Not by characters, of which CR LF is one.
    let parts = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(
      Substring.init)
    var lines: [DifferenceLine] = []
    var outside: [Substring] = []
    var hasHunk = false
    var next = 0
    func endOutside() {
      if !outside.isEmpty { lines.append(.init(text: outside.joined(separator: "\n"), part: .outside)) }
      outside = []
    }
    while next < parts.count {
      guard let hunk = hunk(parts[next...]) else {
        outside.append(parts[next])
        next += 1
        continue
      }
      endOutside()
      lines += hunk
      next += hunk.count
      hasHunk = true
    }
    endOutside()
    return hasHunk ? lines : nil
  }

  /// The hunk that begins with the first line, as far as the text has it: notifications are cut.
  private static func hunk(_ lines: ArraySlice<Substring>) -> [DifferenceLine]? {
    guard let head = lines.first, var (old, new) = counts(of: head) else { return nil }
    var hunk = [DifferenceLine(text: String(head), part: .hunk)]
    lines: for line in lines.dropFirst() {
      let part: Part
      switch line.utf8.first {
      case UInt8(ascii: "\\"): part = .hunk
      case UInt8(ascii: "-") where old > 0: (part, old) = (.removed, old - 1)
      case UInt8(ascii: "+") where new > 0: (part, new) = (.added, new - 1)
      case UInt8(ascii: " ") where old > 0 && new > 0: (part, old, new) = (.same, old - 1, new - 1)
      default: break lines
      }
      hunk.append(.init(text: String(line), part: part))
    }
    return hunk.count > 1 ? hunk : nil
  }

  /// How many lines of both sides a hunk has, from `@@ -1,4 +1,5 @@`.
  private static func counts(of head: Substring) -> (Int, Int)? {
    let words = head.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 4, words[0] == "@@", words[3] == "@@", words[1].hasPrefix("-"),
      words[2].hasPrefix("+")
    else { return nil }
    func count(_ range: Substring) -> Int? {
      let numbers = range.dropFirst().split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
      switch numbers.count {
      case 1: return numbers[0] == nil ? nil : 1
      case 2: return numbers[0] == nil ? nil : numbers[1]
      default: return nil
      }
    }
    guard let old = count(words[1]), let new = count(words[2]), old >= 0, new >= 0 else { return nil }
    return (old, new)
  }
}
