/// A problem in a file: where, what, and how to fix it.
///
/// ```
/// a.yaml:9:5: there is no step “filtr”
///     9 |   - filtr: .a
///       |     ^^^^^
///   hint: did you mean “filter”?
/// ```
public struct Problem: Error, Hashable, Comparable, Sendable, CustomStringConvertible {
  public var place: SourceRange
  public var message: String
  public var hint: String?
  /// Whether the file can be run all the same.
  public var isWarning: Bool

  public init(_ message: String, at place: SourceRange, hint: String? = nil, isWarning: Bool = false) {
    self.message = message
    self.place = place
    self.hint = hint
    self.isWarning = isWarning
  }

  /// The problem with its line of the file and a caret below.
  public var description: String { description(masking: Secrets()) }

  /// With colours all of it is printable.
  public func description(masking secrets: Secrets, _ paint: Paint = .off) -> String {
    func shown(_ text: String) -> String {
      paint.isOn ? printableLines(secrets.masked(text)) : secrets.masked(text)
    }
    let kind = isWarning ? paint("warning: ", .yellow) : ""
    let start = paint("\(printable(place.file.path)):\(place.position):", .bold)
    var lines = ["\(start) \(kind)\(shown(message))"]
    let excerpt = Excerpt(place, masking: secrets)
    lines += [excerpt.line, excerpt.margin + paint(excerpt.carets, isWarning ? .yellow : .red)]
    if let hint { lines.append("  \(paint("hint:", .cyan)) \(shown(hint))") }
    return lines.joined(separator: "\n")
  }

  /// The problem on one line, as in `a.yaml:9:5: there is no step “filtr”; did you mean “filter”?`.
  public func summary(masking secrets: Secrets = Secrets()) -> String {
    let end = hint.map { "; \($0)" } ?? ""
    return secrets.masked("\(printable(place.file.path)):\(place.position): \(message)\(end)")
  }

  public static func < (left: Problem, right: Problem) -> Bool {
    (left.place, left.message) < (right.place, right.message)
  }
}

/// A collection of problems: each once, in the order of the files.
///
/// What counts are errors. Warnings are kept beside them, and prevent nothing.
public struct Problems: Sendable, CustomStringConvertible {
  /// How many are kept; the rest are counted.
  public static let limit = 200

  private var known: Set<Problem> = []
  private var knownWarnings: Set<Problem> = []
  /// How many were found after the limit was reached.
  public private(set) var omitted = 0

  public init() {}

  public var isEmpty: Bool { known.isEmpty }
  public var count: Int { known.count + omitted }

  /// All errors, sorted by file and place.
  public var sorted: [Problem] { known.sorted() }

  public var warnings: [Problem] { knownWarnings.sorted() }

  public mutating func report(_ problem: Problem) {
    if problem.isWarning {
      if knownWarnings.count < Problems.limit { knownWarnings.insert(problem) }
      return
    }
    if known.contains(problem) { return }
    if known.count < Problems.limit { known.insert(problem) } else { omitted += 1 }
  }

  public mutating func report(_ message: String, at place: SourceRange, hint: String? = nil) {
    report(Problem(message, at: place, hint: hint))
  }

  /// Drops errors in places about whose text nothing can be said; returns those places.
  mutating func dropErrors(within places: [SourceRange]) -> [SourceRange] {
    let judged = places.filter { place in
      known.contains { $0.place.file === place.file && place.range.contains($0.place.range.lowerBound) }
    }
    known = known.filter { problem in
      !judged.contains { $0.file === problem.place.file && $0.range.contains(problem.place.range.lowerBound) }
    }
    return judged
  }

  public mutating func add(_ others: Problems) {
    for problem in others.known.union(others.knownWarnings) { report(problem) }
    omitted += others.omitted
  }

  public var description: String { description(masking: Secrets()) }

  /// All errors, and the warnings where they are wanted.
  public func description(masking secrets: Secrets, withWarnings: Bool = false, _ paint: Paint = .off)
    -> String
  {
    var blocks = (withWarnings ? (sorted + warnings).sorted() : sorted).map {
      $0.description(masking: secrets, paint)
    }
    if omitted > 0 { blocks.append("… and \(omitted) more") }
    return blocks.joined(separator: "\n")
  }
}

/// A range of bytes in a file: what an error points at.
public struct SourceRange: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let file: SourceFile
  public let range: Range<Int>

  /// The range is cut to what the file has.
  public init(_ file: SourceFile, _ range: Range<Int>) {
    self.file = file
    let start = min(max(0, range.lowerBound), file.bytes.count)
    self.range = start..<min(max(start, range.upperBound), file.bytes.count)
  }

  public var position: SourceFile.Position { file.position(of: range.lowerBound) }

  /// As in `pipelines/launches.yaml:9:5`.
  public var description: String { "\(file.path):\(position)" }

  /// The line of the file, and carets below the range.
  package var excerpt: [String] { Excerpt(self, masking: Secrets()).lines }

  public static func == (left: SourceRange, right: SourceRange) -> Bool {
    left.file.path == right.file.path && left.range == right.range
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(file.path)
    hasher.combine(range)
  }

  public static func < (left: SourceRange, right: SourceRange) -> Bool {
    (left.file.path, left.range.lowerBound, left.range.upperBound)
      < (right.file.path, right.range.lowerBound, right.range.upperBound)
  }
}

/// An error in a text that has no place in a file yet.
///
/// The range counts bytes of the text; ``Scalar/problem(_:)`` finds them in the file.
public struct TextError: Error, Equatable, Sendable {
  public var range: Range<Int>
  public var message: String
  public var hint: String?

  public init(_ message: String, at range: Range<Int>, hint: String? = nil) {
    self.range = range
    self.message = message
    self.hint = hint
  }

  /// An error of the whole text.
  public init(_ message: String, in text: String, hint: String? = nil) {
    self.init(message, at: 0..<text.utf8.count, hint: hint)
  }
}

/// A text as an error message quotes it: short, and without characters that a terminal obeys.
///
///     quoted("90x")  // “90x”
public func quoted(_ text: String) -> String {
  let limit = 48
  let short = text.unicodeScalars.prefix(limit + 1)
  return
    "“\(printable(String(String.UnicodeScalarView(short.prefix(limit)))))\(short.count > limit ? "…" : "")”"
}

/// An excerpt: the line of a file that a problem is about, with carets below the range, for any terminal.
struct Excerpt {
  /// The most columns shown of a line.
  static let width = 96

  let line: String
  /// The text before the carets in the line below.
  let margin: String
  let carets: String

  var lines: [String] { [line, margin + carets] }

  init(_ place: SourceRange, masking secrets: Secrets) {
    let number = place.position.line
    let range = place.file.range(ofLine: number)
    let start = min(place.range.lowerBound, range.upperBound)
    let end = max(start, min(place.range.upperBound, range.upperBound))
    let bytes = place.file.bytes
    let pieces = [range.lowerBound..<start, start..<end, end..<range.upperBound].map { piece in
      // A tab takes one column, as a blank does.
      let blanks = bytes[piece].map { $0 == UInt8(ascii: "\t") ? UInt8(ascii: " ") : $0 }
      return Array(printable(String(decoding: blanks, as: UTF8.self)).unicodeScalars)
    }
    let whole = String(String.UnicodeScalarView(pieces.joined()))
    var shown = Array(secrets.maskedInPlace(whole).unicodeScalars)
    var before = pieces[0].count
    // A long line is shown from a little before the place.
    if before > Excerpt.width * 2 / 3 {
      let cut = before - Excerpt.width / 3
      shown = ["…"] + shown.dropFirst(cut)
      before -= cut - 1
    }
    if shown.count > Excerpt.width { shown = shown.prefix(Excerpt.width) + ["…"] }
    let marked = shown.dropFirst(before).prefix(pieces[1].count)
    let left = String(repeating: " ", count: max(0, 5 - String(number).count))
    let indent = String(repeating: " ", count: shown.prefix(before).reduce(0) { $0 + $1.columns })
    carets = String(repeating: "^", count: max(1, marked.reduce(0) { $0 + $1.columns }))
    line = "\(left)\(number) | \(String(String.UnicodeScalarView(shown)))"
    margin = "      | \(indent)"
  }
}
