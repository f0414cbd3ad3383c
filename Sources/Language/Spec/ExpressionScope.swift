import System
import JSON

/// The names that every expression of a pipeline sees: the definitions it includes, and its variables.
public struct ExpressionScope: Sendable {
  /// The variables that all have; a node may add its own.
  public static let variables = ["now", "vars", "config", "meta"]

  /// The definitions of the included files, named by their paths.
  let library: Library
  /// The files by path, to show where their errors are.
  let files: [String: SourceFile]
  /// Whether some file could not be included.
  let lacksDefinitions: Bool
  package let vars: JSON.Value
  package let config: JSON.Value
  /// The zone of local times, as in `strflocaltime`.
  public let timeZone: String

  init(
    library: Library = Library(), files: [String: SourceFile] = [:],
    lacksDefinitions: Bool = false, vars: JSON.Value = .emptyObject, config: JSON.Value = .emptyObject,
    timeZone: String = "UTC"
  ) {
    self.library = library
    self.files = files
    self.lacksDefinitions = lacksDefinitions
    self.vars = vars
    self.config = config
    self.timeZone = timeZone
  }

  func compile(_ text: String, variables: [String]) throws(ProgramError) -> Program {
    try Program(
      text, name: Self.programName, variables: Self.variables + variables, library: library)
  }

  static let programName = "<expression>"
}

/// A jq expression of a pipeline, compiled.
public final class Expression: Sendable {
  /// As it is written, for listings.
  public let text: String
  public let program: Program
  package let scope: ExpressionScope
  /// Whether it is `.`, which need not be run.
  public let isIdentity: Bool
  /// The names of a path of plain names, as `.status.name`; nil for any other expression.
  package let names: [String]?
  /// The expressions of its members, where it is written as a mapping.
  let members: [String: String]
  /// The place in the pipeline file of a part of the program; nil for a text that is in no file.
  private let origin: (@Sendable (Range<Int>) -> SourceRange)?

  init(
    _ text: String, _ program: Program, _ scope: ExpressionScope, members: [String: String] = [:],
    origin: (@Sendable (Range<Int>) -> SourceRange)? = nil
  ) {
    self.members = members
    self.text = text
    self.program = program
    self.scope = scope
    self.origin = origin
    isIdentity = text.allSatisfy { $0 == "." || $0.isWhitespace } && text.filter { $0 == "." }.count == 1
    names = Self.names(of: text)
  }

  /// The members of the objects that it builds, where their names are constant.
  var constructed: [String]? { NameUsage(text, library: scope.library)?.constructed }

  private static func names(of text: String) -> [String]? {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count > 1, parts[0].isEmpty else { return nil }
    for part in parts.dropFirst() {
      guard let first = part.first, !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= first),
        part.allSatisfy({ $0 == UInt8(ascii: "_") || isWordByte($0) })
      else { return nil }
    }
    return parts.dropFirst().compactMap { String($0) }
  }

  /// Compiles a text that is in no file.
  public convenience init(_ text: String, scope: ExpressionScope? = nil) throws {
    let scope = scope ?? ExpressionScope()
    self.init(text, try scope.compile(text, variables: []), scope)
  }

  /// The place of an error in the pipeline file, or in a file of definitions that it includes.
  package func place(of location: Location) -> SourceRange? {
    if location.source == ExpressionScope.programName { return origin?(location.range) }
    return scope.files[location.source].map { SourceRange($0, location.range) }
  }
}

extension Expression {
  /// The places of the event and of variables that it reads, each once, in the order of the text.
  package var reads: [Expression] {
    guard let usage = NameUsage(text, library: scope.library) else { return [] }
    var texts: [String] = []
    let bytes = Array(text.utf8)
    for read in (usage.members + usage.reads).sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      // A member of a mapping has parentheses around it.
      let part = trimmed(String(decoding: bytes[read.range], as: UTF8.self)[...])
      if !texts.contains(part), part != text { texts.append(part) }
    }
    return texts.compactMap { try? Expression($0, scope: scope) }
  }

  private func trimmed(_ text: Substring) -> String {
    text.hasPrefix("(") && text.hasSuffix("\n)") ? String(text.dropFirst().dropLast(2)) : String(text)
  }
}

/// A text with expressions in it, as the inside of a jq string: `Launch \(.name) slipped`.
public final class Template: Sendable {
  public let expression: Expression
  /// The text, when there are no expressions in it.
  public let constant: String?

  init(_ expression: Expression, constant: String?) {
    self.expression = expression
    self.constant = constant
  }
}

extension Checker {
  /// Compiles the text of a scalar; problems are reported where they stand.
  ///
  /// - Parameter isOfEvent: Whether its input is the event that the node is given.
  func expression(
    _ scalar: Scalar, variables: [String] = [], isCondition: Bool = false, isOfEvent: Bool
  ) -> Expression? {
    let code = scalar.asExpression
    return compile(scalar, code.text, variables, isCondition: isCondition, isOfEvent: isOfEvent) {
      code.place(of: $0)
    }
  }

  /// Compiles a program made from a scalar (or several); `place` finds the program's bytes in the file.
  func compile(
    _ shown: Scalar?, _ program: String, _ variables: [String], isCondition: Bool = false,
    isOfEvent: Bool = false, members: [String: String] = [:],
    place: @escaping @Sendable (Range<Int>) -> SourceRange
  ) -> Expression? {
    do throws(ProgramError) {
      let shownText = shown.map { $0.insertions.isEmpty ? $0.text : $0.written }
      let compiled = try scope.compile(program, variables: variables)
      guard passesLint(program, isCondition: isCondition, place: place) else { return nil }
      if isOfEvent { warnOfMissingMembers(in: program, place: place) }
      return Expression(shownText ?? program, compiled, scope, members: members, origin: place)
    } catch {
      if error.source == ExpressionScope.programName {
        // What a file would define that could not be read is not missing for another reason.
        if scope.lacksDefinitions, error.message.hasSuffix(" is not defined"), !error.message.hasPrefix("$") {
          return nil
        }
        let message = error.undefined?.message ?? error.message
        report(
          "in this expression: \(message)", at: place(error.location.range),
          hint: error.undefined?.hint(in: program, at: error.location.range) ?? error.hint
            ?? hint(for: error.message, variables))
      } else if let file = scope.files[error.source] {
        report(error.message, at: SourceRange(file, error.location.range), hint: error.hint)
      }
      return nil
    }
  }

  private func hint(for message: String, _ variables: [String]) -> String? {
    guard message.hasPrefix("$"), message.has(" is not defined") else { return nil }
    let name = message.dropFirst().prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    let known = (ExpressionScope.variables + variables).map { "$" + $0 }
    if vars.member(String(name)) != nil { return "did you mean $vars.\(name)?" }
    return suggestion(for: "$" + name, among: known)
  }
}

extension UndefinedFunction {
  /// Names that other languages have for functions.
  private static let usualNames = [
    "none": "null", "nil": "null", "undefined": "null", "true": "true", "false": "false",
    "lower": "ascii_downcase", "lowercase": "ascii_downcase", "tolowercase": "ascii_downcase",
    "upper": "ascii_upcase", "uppercase": "ascii_upcase", "touppercase": "ascii_upcase", "len": "length",
    "count": "length", "size": "length", "sum": "add", "substring": "a slice, as in .name[0:3]",
    "slice": "a slice, as in .name[0:3]", "replace": "gsub(\"from\"; \"to\")",
    "match_all": "[match(\"…\"; \"g\")]",
    "parseint": "tonumber", "int": "tonumber", "float": "tonumber", "number": "tonumber", "str": "tostring",
    "string": "tostring", "concat": "add, or + between two values", "date": "todate", "parse": "fromjson",
    "json": "tojson", "exists": ". != null", "is_null": ". == null", "isnull": ". == null",
    "avg": "add / length",
    "average": "add / length", "strlen": "length", "trimspace": "trim", "strip": "trim",
  ]

  /// The numbers of arguments with which functions of this name exist.
  private var arities: [Int] {
    known.compactMap { entry in
      let parts = entry.split(separator: "/")
      return parts.count == 2 && parts[0] == name ? Int(parts[1]) : nil
    }.sorted()
  }

  var message: String {
    guard let least = arities.first else { return "there is no function \(quoted(name))" }
    let wanted = Set(arities).sorted().map(String.init).joined(separator: " or ")
    let noun = wanted == "1" ? "argument" : "arguments"
    return least == 0 && arities.count == 1
      ? "the function \(quoted(name)) takes no arguments"
      : "the function \(quoted(name)) takes \(wanted) \(noun), not \(arity)"
  }

  func hint(in program: String, at range: Range<Int>) -> String? {
    if let arity = arities.first {
      let holes = Array(repeating: "…", count: arity).joined(separator: "; ")
      return arity == 0 ? "write \(name)" : "write \(name)(\(holes))"
    }
    // As in `.content-type`, which subtracts.
    let before = String(decoding: program.utf8.prefix(range.lowerBound), as: UTF8.self)
    if before.last == "-", let end = before.dropLast().last, end.isLetter || end.isNumber {
      let member = before.dropLast().reversed().prefix { $0.isLetter || $0.isNumber || "_-".contains($0) }
      return "a key with a dash is written .[\"\(String(member.reversed()))-\(name)\"]"
    }
    if let usual = UndefinedFunction.usualNames[name.lowercased()] { return "did you mean \(usual)?" }
    let names = known.compactMap { $0.split(separator: "/").first.map(String.init) }
    if let near = nearest(to: name, among: names) { return "did you mean \(quoted(near))?" }
    return arity == 0 ? "for a member write .\(name), for a text \"\(name)\"" : nil
  }
}

extension ExpressionScope {
  /// The members that `$meta` may have.
  package static let metaMembers: [(name: String, doc: String)] = [
    ("source", "the name of the source"),
    ("poll", "the number of the poll, from 1; null for a source without polls"),
    ("at", "when it was read, as `2026-01-01T12:00:00Z`"),
    (
      "coverage",
      "how much of the list the poll has seen: `complete`, `truncated` (its beginning) or `partial` (rows are missing)"
    ),
    ("order", "of a truncated list, the member it is sorted by: `.net`, or `-.net` for descending"),
    ("last", "of a truncated list, that member of the last row; nothing beyond it is added or removed"),
    ("moves", "of a truncated list, true if rows may move beyond its end"),
    ("stale", "true if the service failed and its last good response is used, by the source or by `enrich`"),
    ("age", "of a stale response, its age in seconds"),
    ("screenshot", "the path of the picture of the page, with `browser: { screenshot: … }`"),
    ("screenshot_before", "the path of the picture of the same page before, if there is one"),
    ("simulated", "true for responses of the simulated sky"),
    ("event", "the type of a server-sent event"),
    ("id", "its id; null without one"),
    ("each", "the entry that was polled, of a source with `each`"),
    ("entry", "what that entry is known by, unless it is the entry itself"),
    (
      "gone",
      "of the last, empty poll of an entry that has left the list: `remove` or `forget`, as `when_gone` says"
    ),
  ]

  /// The functions that the jq language of this package has in addition to jq's.
  package static let functions: [(call: String, doc: String)] = [
    (
      #"format_time("%H:%M %Z"; "Asia/Tokyo")"#,
      "seconds since 1970, or broken down time, as text in a time zone"
    ),
    (#"localtime_in("Europe/Warsaw")"#, "seconds since 1970 as broken down time in a time zone"),
    ("ago", "seconds since 1970 or a date as `3 hours ago`, `in 2 days`"),
    ("feet", "metres in feet"), ("pounds", "kilograms in pounds"),
    ("slug", "text in lower case with single hyphens, without accents: for file names and addresses"),
    (
      "text_diff(.before; .after)",
      "the lines in which two texts differ, as `diff -u` shows them; null counts as an empty text"
    ),
  ]
}
