// Scopes: the meaning of names at a position in the text. A scope is a chain, to which each definition, parameter,
// variable and label adds a link in front.

/// The variables of one function that has frames of its own.
///
/// Functions that are compiled into their callers use their caller's.
final class FrameLayout {
  let level: Int
  private(set) var slots = 0

  init(inside parent: FrameLayout?) { level = (parent?.level ?? -1) + 1 }

  func newSlot() -> Int {
    slots += 1
    return slots - 1
  }
}

/// The storage of a variable's value.
enum VariableHome {
  case slot(FrameLayout, Int)
  case constant(Value)
  /// A variable of the environment.
  case global(String)
}

/// The meaning of a function's name.
final class FunctionMeaning {
  enum Kind {
    case definition(Definition)
    /// An argument that is compiled wherever the parameter is named.
    case argument(SyntaxNode, Here)
    /// An argument that the frame holds.
    case closure(FrameLayout, Int)
  }

  let kind: Kind
  /// The scope of the body, before the definition itself.
  let scope: Scope
  /// The function around the definition.
  let layout: FrameLayout
  /// Made at the first call that is not compiled into the caller.
  var code: FunctionCode?
  /// The same for path expressions.
  var pathCode: FunctionCode?
  /// How many outputs a call has; while the body is being compiled, what is assumed of it.
  var outputs = Outputs.one
  /// Whether it calls itself, and so cannot be compiled into its callers.
  private(set) lazy var isRecursive: Bool =
    if case .definition(let definition) = kind { definition.isRecursive } else { false }

  init(_ kind: Kind, scope: Scope, layout: FrameLayout) {
    self.kind = kind
    self.scope = scope
    self.layout = layout
  }
}

/// How many outputs an expression can have.
enum Outputs: Int {
  case one, optional, many
}

final class Scope {
  enum Entry {
    case start
    case variable(String, VariableHome)
    case function(String, Int, FunctionMeaning)
    case label(String, FrameLayout, Int)
  }

  let entry: Entry
  let outer: Scope?
  /// The text that the scope belongs to.
  let source: ProgramText

  init(_ source: ProgramText) {
    entry = .start
    outer = nil
    self.source = source
  }

  private init(_ entry: Entry, in outer: Scope) {
    self.entry = entry
    self.outer = outer
    source = outer.source
  }

  func adding(_ entry: Entry) -> Scope { Scope(entry, in: self) }

  /// The scope with a definition added, which the definition is in as well.
  func defining(_ definition: Definition, as name: String? = nil, in layout: FrameLayout) -> Scope {
    let meaning = FunctionMeaning(.definition(definition), scope: self, layout: layout)
    return adding(.function(name ?? definition.name, definition.parameters.count, meaning))
  }

  func variable(_ name: String) -> VariableHome? {
    var scope: Scope? = self
    while let current = scope {
      if case .variable(name, let home) = current.entry { return home }
      scope = current.outer
    }
    return nil
  }

  func function(_ name: String, _ arity: Int) -> FunctionMeaning? {
    var scope: Scope? = self
    while let current = scope {
      if case .function(name, arity, let meaning) = current.entry { return meaning }
      scope = current.outer
    }
    return nil
  }

  /// The functions that can be called, as in `map/1`.
  var functions: [String] {
    sequence(first: self, next: \.outer).compactMap { scope in
      if case .function(let name, let arity, _) = scope.entry { "\(name)/\(arity)" } else { nil }
    }
  }

  func label(_ name: String) -> (FrameLayout, Int)? {
    var scope: Scope? = self
    while let current = scope {
      if case .label(name, let layout, let slot) = current.entry { return (layout, slot) }
      scope = current.outer
    }
    return nil
  }
}

/// The compiler's position in the program: scope, frame, and whether it is a tail position.
struct Here {
  let scope: Scope
  let layout: FrameLayout
  /// Whether the expression is the last thing its function does.
  var isTail = false

  func with(_ scope: Scope) -> Here { Here(scope: scope, layout: layout, isTail: isTail) }
  /// The same position for an expression whose output is processed further.
  var inner: Here { Here(scope: scope, layout: layout, isTail: false) }

  func hops(to target: FrameLayout) -> Int { layout.level - target.level }
}

extension Definition {
  /// Whether the body names a function of its own name and number of parameters.
  var isRecursive: Bool { body.mentions(name, parameters.count) }
}

extension SyntaxNode {
  /// Whether jq as well knows before a run that the expression always has the same output.
  var isLiteral: Bool {
    switch form {
    case .number, .text, .null, .yes, .no, .array, .object, .binary: true
    default: false
    }
  }

  /// Whether values of the input stream come out of the expression.
  var readsInputs: Bool { mentions("inputs", 0) || mentions("input", 0) }

  /// Whether the expression contains a call of `name/arity`.
  func mentions(_ name: String, _ arity: Int) -> Bool {
    contains { if case .call(name, let arguments) = $0.form { arguments.count == arity } else { false } }
  }

  /// Whether the expression or any beneath it fulfils a condition.
  func contains(_ condition: (SyntaxNode) -> Bool) -> Bool {
    condition(self) || children.contains { $0.contains(condition) }
  }

  /// The expressions directly beneath.
  var children: [SyntaxNode] { form.children }
}

extension Form {
  /// The expressions directly beneath.
  var children: [SyntaxNode] {
    switch self {
    case .identity, .recurse, .number, .text, .format, .null, .yes, .no, .breakOut, .variable, .location:
      return []
    case .interpolation(_, let parts):
      return parts.compactMap { if case .value(let node) = $0 { node } else { nil } }
    case .index(let a, let b, _), .pipe(let a, let b), .binary(_, let a, let b),
      .and(let a, let b),
      .or(let a, let b), .alternative(let a, let b), .assign(let a, let b), .update(let a, let b),
      .updateWith(_, let a, let b):
      return [a, b]
    case .slice(let target, let from, let to, _): return [target] + [from, to].compactMap(\.self)
    case .iterate(let node, _), .negate(let node), .label(_, let node): return [node]
    case .attempt(let body, let handler): return [body] + [handler].compactMap(\.self)
    case .object(let members): return members.flatMap { [$0.key, $0.value] }
    case .commas(let nodes): return nodes
    case .array(let items): return [items].compactMap(\.self)
    case .reduce(let items, let patterns, let initial, let update):
      return [items, initial, update] + patterns.flatMap(\.keys)
    case .foreach(let items, let patterns, let initial, let update, let extract):
      return [items, initial, update] + [extract].compactMap(\.self) + patterns.flatMap(\.keys)
    case .conditional(let condition, let then, let otherwise):
      return [condition, then] + [otherwise].compactMap(\.self)
    case .call(_, let arguments): return arguments
    case .define(let definition, let body): return [definition.body, body]
    case .bind(let items, let patterns, let body): return [items, body] + patterns.flatMap(\.keys)
    }
  }
}

extension Pattern {
  /// The key expressions in it.
  var keys: [SyntaxNode] {
    switch self {
    case .variable: []
    case .array(let patterns): patterns.flatMap(\.keys)
    case .object(let members): members.flatMap { [$0.key] + ($0.pattern?.keys ?? []) }
    }
  }
}
