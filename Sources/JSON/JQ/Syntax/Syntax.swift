// The tree that the parser makes and the compiler reads.

/// An expression and where it stands.
struct Node: Sendable {
  let form: Form
  let span: Span
  /// Levels of expressions in it.
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
  case index(Node, key: Node, isOptional: Bool)
  // `target[from:to]`
  case slice(Node, from: Node?, to: Node?, isOptional: Bool)
  // `target[]`
  case iterate(Node, isOptional: Bool)
  /// `try body catch handler`, and `body?`, which has no handler.
  case attempt(Node, handler: Node?)
  case negate(Node)
  case pipe(Node, Node)
  // `a, b, c`
  case commas([Node])
  case binary(Operator, Node, Node)
  case and(Node, Node)
  case or(Node, Node)
  // `a // b`
  case alternative(Node, Node)
  // `path = value`
  case assign(Node, Node)
  // `path |= expression`
  case update(Node, Node)
  /// `path += value` and its like; no operator for `//=`.
  case updateWith(Operator?, Node, Node)
  case object([Member])
  case array(Node?)
  case reduce(Node, [Pattern], initial: Node, update: Node)
  case foreach(Node, [Pattern], initial: Node, update: Node, extract: Node?)
  case conditional(Node, then: Node, otherwise: Node?)
  case label(String, Node)
  case breakOut(String)
  case variable(String)
  // `$__loc__`
  case location(line: Int)
  case call(String, [Node])
  case define(Definition, Node)
  // `source as pattern ?// pattern | body`
  case bind(Node, [Pattern], Node)
}

/// Operators that take two values and give one.
enum Operator: Sendable {
  case add, subtract, multiply, divide, modulo
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
}

enum StringPart: Sendable {
  case text([UInt8])
  case value(Node)
}

/// A member of an object construction: `key: value`, or a shorthand whose value the parser has filled in.
struct Member: Sendable {
  let key: Node
  let value: Node
}

/// The left side of `as`.
indirect enum Pattern: Sendable {
  case variable(String)
  case array([Pattern])
  case object([PatternMember])
}

/// `key: pattern`; `$name` and `$name: pattern` bind the variable too.
struct PatternMember: Sendable {
  let key: Node
  let variable: String?
  let pattern: Pattern?
}

// `def name(parameters): body;`
final class Definition: Sendable {
  let name: String
  let parameters: [Parameter]
  let body: Node
  let span: Span

  init(name: String, parameters: [Parameter], body: Node, span: Span) {
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
  let metadata: Node?
  let span: Span
}

/// A parsed file or program.
struct Module: Sendable {
  let source: Source
  let metadata: Node?
  let imports: [Import]
  let definitions: [Definition]
  /// Absent from a library.
  let main: Node?
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
