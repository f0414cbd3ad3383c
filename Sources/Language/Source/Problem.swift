/// One thing that is wrong with a file: where, what, and what to do about it.
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

  public init(_ message: String, at place: SourceRange, hint: String? = nil) {
    self.message = message
    self.place = place
    self.hint = hint
  }

  /// The problem with its line of the file and a caret below.
  public var description: String { description(masking: Secrets()) }

  public func description(masking secrets: Secrets) -> String {
    var lines = ["\(printable(place.file.path)):\(place.position): \(secrets.masked(message))"]
    lines += Excerpt(place, masking: secrets).lines
    if let hint { lines.append("  hint: \(secrets.masked(hint))") }
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
