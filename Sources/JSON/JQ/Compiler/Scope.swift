// What names mean at a place in the text. A scope is a chain: each definition, parameter, variable and label adds one
// link in front of what was known before.

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

/// Where a variable's value is.
enum VariableHome {
  case slot(FrameLayout, Int)
  case constant(Value)
  /// Handed in with the environment.
  case global(String)
}

/// What a call of a name leads to.
final class FunctionMeaning {
  enum Kind {
    case definition(Definition)
    /// An argument that is compiled wherever the parameter is named.
    case argument(Node, Here)
    /// An argument that the frame holds.
    case closure(FrameLayout, Int)
  }

  let kind: Kind
  /// The scope that the body sees, before the definition itself.
  let scope: Scope
  /// The function around the definition.
  let layout: FrameLayout
  /// Made at the first call that is not compiled into the caller.
  var code: FunctionCode?
  /// The same for path expressions.
  var pathCode: FunctionCode?
  /// How many outputs a call has; while the body is being compiled, what is assumed of it.
  var outputs = Outputs.one
  /// Names its own name: cannot be compiled into its callers.
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
  /// The text that names are looked up for.
  let source: Source

  init(_ source: Source) {
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

  /// A scope with a definition in it, which the definition sees itself.
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

  func label(_ name: String) -> (FrameLayout, Int)? {
    var scope: Scope? = self
    while let current = scope {
      if case .label(name, let layout, let slot) = current.entry { return (layout, slot) }
      scope = current.outer
    }
    return nil
  }
}

/// A place in the program, as the compiler goes through it.
struct Here {
  let scope: Scope
  let layout: FrameLayout
  /// Nothing remains to be done in the function after the expression.
  var isTail = false

  func with(_ scope: Scope) -> Here { Here(scope: scope, layout: layout, isTail: isTail) }
  /// The same place, for an expression whose output is still worked on.
  var inner: Here { Here(scope: scope, layout: layout, isTail: false) }

  func hops(to target: FrameLayout) -> Int { layout.level - target.level }
}

extension Definition {
  /// Whether the body names a function of its own name and number of parameters.
  var isRecursive: Bool { body.mentions(name, parameters.count) }
}

extension Node {
  /// Whether jq too sees before running that the expression always has the same output.
  var isLiteral: Bool {
    switch form {
    case .number, .text, .null, .yes, .no, .array, .object, .binary: true
    default: false
    }
  }

  /// Whether values of the input stream come out of the expression.
  var readsInputs: Bool { mentions("inputs", 0) || mentions("input", 0) }

  /// Whether a call of `name/arity` stands anywhere in the expression.
  func mentions(_ name: String, _ arity: Int) -> Bool {
    contains { if case .call(name, let arguments) = $0.form { arguments.count == arity } else { false } }
  }

  /// Whether the expression or any beneath it fulfils a condition.
  func contains(_ condition: (Node) -> Bool) -> Bool {
    condition(self) || children.contains { $0.contains(condition) }
  }

  /// The expressions directly beneath.
  var children: [Node] { form.children }
}

extension Form {
  /// The expressions directly beneath.
  var children: [Node] {
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
  var keys: [Node] {
    switch self {
    case .variable: []
    case .array(let patterns): patterns.flatMap(\.keys)
    case .object(let members): members.flatMap { [$0.key] + ($0.pattern?.keys ?? []) }
    }
  }
}
