import System
import JSON

/// What every expression of a pipeline sees: the definitions it includes, and its variables.
public struct ExpressionScope: Sendable {
  /// What all have; a node may add its own.
  public static let variables = ["now", "vars", "config", "meta"]

  /// The included files: their paths, and the definitions in them.
  let library: [(name: String, source: String)]
  /// The same by path, to show where their errors are.
  let files: [String: SourceFile]
  /// Whether some file could not be included.
  let lacksDefinitions: Bool
  package let vars: JSON.Value
  package let config: JSON.Value
  /// The zone of local times, as in `strflocaltime`.
  public let timeZone: String

  init(
    library: [(name: String, source: String)] = [], files: [String: SourceFile] = [:],
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

  init(_ text: String, _ program: Program, _ scope: ExpressionScope) {
    self.text = text
    self.program = program
    self.scope = scope
    isIdentity = text.allSatisfy { $0 == "." || $0.isWhitespace } && text.filter { $0 == "." }.count == 1
  }

  /// Compiles a text that is in no file.
  public convenience init(_ text: String, scope: ExpressionScope? = nil) throws {
    let scope = scope ?? ExpressionScope()
    self.init(text, try scope.compile(text, variables: []), scope)
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
  func expression(_ scalar: Scalar, variables: [String] = [], isCondition: Bool = false) -> Expression? {
    let code = scalar.asExpression
    return compile(scalar, code.text, variables, isCondition: isCondition) { code.place(of: $0) }
  }

  /// Compiles a program made from a scalar (or several); `place` finds the program's bytes in the file.
  func compile(
    _ shown: Scalar?, _ program: String, _ variables: [String], isCondition: Bool = false,
    place: (Range<Int>) -> SourceRange
  ) -> Expression? {
    do throws(ProgramError) {
      let shownText = shown.map { $0.insertions.isEmpty ? $0.text : $0.written }
      let compiled = try scope.compile(program, variables: variables)
      guard isSound(program, isCondition: isCondition, place: place) else { return nil }
      return Expression(shownText ?? program, compiled, scope)
    } catch {
      if error.source == ExpressionScope.programName {
        // What a file would define that could not be read is not missing for another reason.
        if scope.lacksDefinitions, error.message.hasSuffix(" is not defined"), !error.message.hasPrefix("$") {
          return nil
        }
        report(
          "in this expression: \(error.message)", at: place(error.location.range),
          hint: hint(for: error.message, variables))
      } else if let file = scope.files[error.source] {
        report(error.message, at: SourceRange(file, error.location.range))
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
