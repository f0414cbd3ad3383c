// The tree that the parser makes and the compiler reads.

/// An expression and its span in the text.
struct SyntaxNode: Sendable {
  let form: Form
  let span: Span
  /// The height of its tree.
  let height: Int

  init(_ form: Form, _ span: Span) {
    self.form = form
    self.span = span
    height = 1 + form.children.reduce(0) { max($0, $1.height) }
  }
}

/// The kinds of expressions.
///
/// A `?` right after a suffix belongs to it alone: `.a.b?` forgives what `.b` cannot look into, not what `.a` cannot.
indirect enum Form: Sendable {
  // `.`
  case identity
  // `..`
  case recurse
  /// A number by its text.
  case number([UInt8])
  /// A string without interpolations.
  case text([UInt8])
  /// `"a\(b)c"`, each interpolated value going through the format.
  case interpolation(format: String, [StringPart])
  /// `@base64` on its own.
  case format(String)
  case null, yes, no
  // `target[key]`, `target.name`
  case index(SyntaxNode, key: SyntaxNode, isOptional: Bool)
  // `target[from:to]`
  case slice(SyntaxNode, from: SyntaxNode?, to: SyntaxNode?, isOptional: Bool)
  // `target[]`
  case iterate(SyntaxNode, isOptional: Bool)
  /// `try body catch handler`, and `body?`, which has no handler.
  case attempt(SyntaxNode, handler: SyntaxNode?)
  case negate(SyntaxNode)
  case pipe(SyntaxNode, SyntaxNode)
  // `a, b, c`
  case commas([SyntaxNode])
  case binary(Operator, SyntaxNode, SyntaxNode)
  case and(SyntaxNode, SyntaxNode)
  case or(SyntaxNode, SyntaxNode)
  // `a // b`
  case alternative(SyntaxNode, SyntaxNode)
  // `path = value`
  case assign(SyntaxNode, SyntaxNode)
  // `path |= expression`
  case update(SyntaxNode, SyntaxNode)
  /// `path += value` and its like; no operator for `//=`.
  case updateWith(Operator?, SyntaxNode, SyntaxNode)
  case object([ObjectMember])
  case array(SyntaxNode?)
  case reduce(SyntaxNode, [Pattern], initial: SyntaxNode, update: SyntaxNode)
  case foreach(SyntaxNode, [Pattern], initial: SyntaxNode, update: SyntaxNode, extract: SyntaxNode?)
  case conditional(SyntaxNode, then: SyntaxNode, otherwise: SyntaxNode?)
  case label(String, SyntaxNode)
  case breakOut(String)
  case variable(String)
  // `$__loc__`
  case location(line: Int)
  case call(String, [SyntaxNode])
  case define(Definition, SyntaxNode)
  // `source as pattern ?// pattern | body`
  case bind(SyntaxNode, [Pattern], SyntaxNode)
}

/// Operators that take two values and give one.
enum Operator: Sendable {
  case add, subtract, multiply, divide, modulo
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
}

enum StringPart: Sendable {
  case text([UInt8])
  case value(SyntaxNode)
}

/// A member of an object construction: `key: value`, or a shorthand whose value the parser has filled in.
struct ObjectMember: Sendable {
  let key: SyntaxNode
  let value: SyntaxNode
  /// Whether the value is the input's member of the name that the key has calculated.
  var isOfThatName = false
}

/// The left side of `as`.
indirect enum Pattern: Sendable {
  case variable(String)
  case array([Pattern])
  case object([PatternMember])
}

/// `key: pattern`; `$name` and `$name: pattern` bind the variable too.
struct PatternMember: Sendable {
  let key: SyntaxNode
  let variable: String?
  let pattern: Pattern?
}

// `def name(parameters): body;`
final class Definition: Sendable {
  let name: String
  let parameters: [Parameter]
  let body: SyntaxNode
  let span: Span

  init(name: String, parameters: [Parameter], body: SyntaxNode, span: Span) {
    self.name = name
    self.parameters = parameters
    self.body = body
    self.span = span
  }
}

struct Parameter: Sendable {
  let name: String
  /// `$name`: the argument's values rather than the argument itself.
  let isValue: Bool
}

// `import "path" as name {metadata};`
struct Import: Sendable {
  let path: String
  /// Without it: `include`.
  let alias: String?
  /// `as $name`: a JSON file.
  let isData: Bool
  /// A constant object.
  let metadata: SyntaxNode?
  let span: Span
}

/// A parsed file or program.
struct Module: Sendable {
  let source: ProgramText
  let metadata: SyntaxNode?
  let imports: [Import]
  let definitions: [Definition]
  /// Absent from a library.
  let main: SyntaxNode?
}

extension Pattern {
  /// The variables it binds, each once.
  var variables: [String] {
    var names: [String] = []
    collect(into: &names)
    return names
  }

  private func collect(into names: inout [String]) {
    switch self {
    case .variable(let name):
      if !names.contains(name) { names.append(name) }
    case .array(let patterns):
      for pattern in patterns { pattern.collect(into: &names) }
    case .object(let members):
      for member in members {
        if let name = member.variable, !names.contains(name) { names.append(name) }
        member.pattern?.collect(into: &names)
      }
    }
  }
}
