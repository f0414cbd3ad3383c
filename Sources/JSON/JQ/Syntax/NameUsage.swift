// What a program refers to, for checks before it runs.

/// The names in a program's text: the members of variables and the environment that it reads, and what decides it.
///
///     let usage = NameUsage("$vars.limit > 3 and .a = 2")
///     usage?.reads.first?.path       // ["limit"]
///     usage?.conditions.first?.kind  // .assignment
package struct NameUsage {
  /// A member that is read by a constant name, as in `$vars.limit` or `$vars["limit"]`.
  package struct Read {
    package let variable: String
    package let path: [String]
    package let range: Range<Int>
    /// Whether the program provides for its absence, as in `$config.unit // "m"`.
    package let mayBeAbsent: Bool
  }

  /// A part of a condition that does not depend on its input.
  package struct Flaw: Equatable {
    package enum Kind: Equatable {
      case assignment, update, constant(Bool)
      /// A member of a boolean: `not .a`.
      case negated
      /// Several outputs: `.a, .b`.
      case several
    }

    package let kind: Kind
    package let range: Range<Int>
  }

  package private(set) var reads: [Read] = []
  /// Uses of `env` and `$ENV`, each with the name of the variable where it is constant.
  package private(set) var environment: [(name: String?, range: Range<Int>)] = []
  /// The flaws of the program as a condition.
  package private(set) var conditions: [Flaw] = []
  /// Assignments in the argument of a `select`, which lets everything through.
  package private(set) var selections: [Flaw] = []

  /// Members whose names look as if they had a dash, as `.content-type`, which subtracts.
  package private(set) var dashes: [(name: String, range: Range<Int>)] = []
  /// The parts that make an argument of `path` no path: values that are computed rather than found in the input.
  package private(set) var computed: [Range<Int>] = []
  /// Members of the program's own input, as `.a.b`, as far as it is certain that they are its.
  package private(set) var members: [Read] = []
  /// Members of the input that are compared with a text.
  package private(set) var comparisons: [(path: [String], text: String, range: Range<Int>)] = []
  /// The members of the objects that the program gives, where it builds them of constant names.
  package private(set) var constructed: [String]?
  /// Calls of `input` and `inputs`.
  package private(set) var inputs: [Range<Int>] = []

  private let source: ProgramText

  /// Surveys a program; nil for a text that is none.
  ///
  /// The definitions of libraries hide the builtins of the same name.
  package init?(_ text: String, library: Library = Library()) {
    source = ProgramText(name: "", text: Array(text.utf8))
    guard let module = try? Parser.parse(source), let main = module.main else { return nil }
    var hidden: Set<String> = []
    for definition in library.modules.flatMap(\.definitions) where definition.parameters.isEmpty {
      hidden.insert(definition.name)
    }
    for definition in module.definitions { visit(definition, &hidden) }
    visit(main, hidden, mayBeAbsent: false)
    conditions = flaws(of: main)
    noteMembers(main, mayBeAbsent: false)
    constructed = Self.constructed(by: main)
  }

  private static func constructed(by node: SyntaxNode) -> [String]? {
    switch node.form {
    case .pipe(_, let last), .bind(_, _, let last), .define(_, let last): return constructed(by: last)
    case .object(let members):
      var names: [String] = []
      for member in members {
        guard case .text(let name) = member.key.form else { return nil }
        names.append(String(decoding: name, as: UTF8.self))
      }
      return names.isEmpty ? nil : names
    default: return nil
    }
  }

  /// Builtins whose arguments are given what they are given; of those of `any(a; b)` and `sub(a; b)` the first.
  private static let transparent: Set = [
    "select", "test", "startswith", "endswith", "contains", "inside", "has", "in", "index", "strftime",
    "split", "join",
    "ltrimstr", "rtrimstr", "sub", "gsub", "match", "capture", "scan", "splits", "any", "all",
  ]

  /// Notes members of the input in parts that are given the input of the whole.
  private mutating func noteMembers(_ node: SyntaxNode, mayBeAbsent: Bool) {
    var path: [String] = []
    var target = node
    var mayBeAbsent = mayBeAbsent
    while case .index(let inner, let key, let isOptional) = target.form {
      if case .text(let name) = key.form {
        path.insert(String(decoding: name, as: UTF8.self), at: 0)
      } else {
        path = []
      }
      mayBeAbsent = mayBeAbsent || isOptional
      target = inner
    }
    if case .identity = target.form, !path.isEmpty {
      let range = node.span.start..<node.span.end
      return members.append(Read(variable: ".", path: path, range: range, mayBeAbsent: mayBeAbsent))
    }
    switch node.form {
    case .pipe(let left, _): noteMembers(left, mayBeAbsent: mayBeAbsent)
    case .alternative(let left, let right):
      noteMembers(left, mayBeAbsent: true)
      noteMembers(right, mayBeAbsent: mayBeAbsent)
    case .attempt(let body, _): noteMembers(body, mayBeAbsent: true)
    case .binary(.equal, let left, let right), .binary(.notEqual, let left, let right):
      for (side, other) in [(left, right), (right, left)] {
        let count = members.count
        noteMembers(side, mayBeAbsent: mayBeAbsent || left.isNull || right.isNull)
        guard case .text(let text) = other.form, let read = members.last, members.count == count + 1,
          read.range == side.span.start..<side.span.end
        else { continue }
        let range = other.span.start..<other.span.end
        comparisons.append((read.path, String(decoding: text, as: UTF8.self), range))
      }
    case .call(let name, let arguments):
      guard Self.transparent.contains(name) else { return }
      let isOfFirst = ["any", "all", "sub", "gsub"].contains(name)
      // `any(.name == 1)` asks the elements.
      if isOfFirst, arguments.count < 2 { return }
      for argument in isOfFirst ? [arguments[0]] : arguments {
        noteMembers(argument, mayBeAbsent: mayBeAbsent)
      }
    case .slice(let target, _, _, _), .iterate(let target, _): noteMembers(target, mayBeAbsent: mayBeAbsent)
    case .interpolation, .negate, .commas, .binary, .and, .or, .object, .array, .conditional:
      for child in node.children { noteMembers(child, mayBeAbsent: mayBeAbsent) }
    default: return
    }
  }

  /// Names that are bound within the program hide those outside: variables with `$`, functions without.
  private mutating func visit(_ node: SyntaxNode, _ hidden: Set<String>, mayBeAbsent: Bool) {
    func all(_ nodes: [SyntaxNode], _ names: Set<String>, _ mayBeAbsent: Bool = false) {
      for node in nodes { visit(node, names, mayBeAbsent: mayBeAbsent) }
    }
    if noteAccess(node, hidden, mayBeAbsent) { return }
    if let name = dashedName(node) { dashes.append((name, node.span.start..<node.span.end)) }
    if case .call(let name, let arguments) = node.form, arguments.isEmpty,
      ["input", "inputs"].contains(name),
      !hidden.contains(name)
    {
      inputs.append(node.span.start..<node.span.end)
    }
    if case .call("path", let arguments) = node.form, arguments.count == 1 {
      computed += computedParts(of: arguments[0], hidden)
    }
    if case .call("select", let arguments) = node.form, arguments.count == 1 {
      selections += flaws(of: arguments[0]).filter { $0.kind == .assignment || $0.kind == .update }
    }
    switch node.form {
    case .alternative(let left, let right):
      visit(left, hidden, mayBeAbsent: true)
      visit(right, hidden, mayBeAbsent: mayBeAbsent)
    case .attempt(let body, let handler):
      visit(body, hidden, mayBeAbsent: true)
      all([handler].compactMap(\.self), hidden)
    case .conditional(let condition, let then, let otherwise):
      visit(condition, hidden, mayBeAbsent: true)
      all([then] + [otherwise].compactMap(\.self), hidden, mayBeAbsent)
    case .binary(.equal, let left, let right), .binary(.notEqual, let left, let right):
      let isTest = left.isNull || right.isNull
      all([left, right], hidden, mayBeAbsent || isTest)
    case .bind(let items, let patterns, let body):
      visit(items, hidden, mayBeAbsent: false)
      all(patterns.flatMap(\.keys), hidden)
      visit(body, hidden.union(patterns.bound), mayBeAbsent: mayBeAbsent)
    case .reduce(let items, let patterns, let initial, let update):
      all([items, initial] + patterns.flatMap(\.keys), hidden)
      visit(update, hidden.union(patterns.bound), mayBeAbsent: false)
    case .foreach(let items, let patterns, let initial, let update, let extract):
      all([items, initial] + patterns.flatMap(\.keys), hidden)
      all([update] + [extract].compactMap(\.self), hidden.union(patterns.bound))
    case .define(let definition, let body):
      var hidden = hidden
      visit(definition, &hidden)
      visit(body, hidden, mayBeAbsent: mayBeAbsent)
    default: all(node.children, hidden, mayBeAbsent && node.form.passesAbsence)
    }
  }

  /// The name of the definition hides those outside, in its own body too.
  private mutating func visit(_ definition: Definition, _ hidden: inout Set<String>) {
    if definition.parameters.isEmpty { hidden.insert(definition.name) }
    let parameters = definition.parameters.flatMap { $0.isValue ? ["$" + $0.name, $0.name] : [$0.name] }
    visit(definition.body, hidden.union(parameters), mayBeAbsent: false)
  }

  /// Notes a member of a variable, or the environment; whether the node is one, with nothing else beneath it.
  private mutating func noteAccess(_ node: SyntaxNode, _ hidden: Set<String>, _ mayBeAbsent: Bool) -> Bool {
    var path: [String] = []
    var target = node
    var mayBeAbsent = mayBeAbsent
    // `$vars.a.b` is an index of an index; what stands behind a key that is not constant is not followed.
    while case .index(let inner, let key, let isOptional) = target.form, case .text(let name) = key.form {
      path.insert(String(decoding: name, as: UTF8.self), at: 0)
      mayBeAbsent = mayBeAbsent || isOptional
      target = inner
    }
    let range = node.span.start..<node.span.end
    switch target.form {
    case .variable("ENV") where !hidden.contains("$ENV"):
      environment.append((path.first, range))
      return true
    case .call("env", let arguments) where arguments.isEmpty && !hidden.contains("env"):
      environment.append((path.first, range))
      return true
    case .variable(let name) where !path.isEmpty:
      if !hidden.contains("$" + name) {
        reads.append(Read(variable: name, path: path, range: range, mayBeAbsent: mayBeAbsent))
      }
      return true
    default: return false
    }
  }

  /// `content-type` of `.content-type`: a member minus a function without arguments, with no blanks between them.
  private func dashedName(_ node: SyntaxNode) -> String? {
    guard case .binary(.subtract, let left, let right) = node.form, case .index(_, let key, _) = left.form,
      case .text(let first) = key.form, case .call(let second, let arguments) = right.form, arguments.isEmpty,
      right.span.start == left.span.end + 1
    else { return nil }
    return String(decoding: first, as: UTF8.self) + "-" + second
  }

  /// Builtins that give values of their own, among those that are taken for places.
  private static let computing: Set = [
    "length", "keys", "add", "join", "map", "map_values", "not", "tostring", "tonumber", "type", "to_entries",
    "from_entries", "ascii_downcase", "ascii_upcase", "split", "test", "sort", "unique", "min", "max", "now",
  ]

  private func computedParts(of node: SyntaxNode, _ hidden: Set<String>) -> [Range<Int>] {
    func all(_ nodes: [SyntaxNode]) -> [Range<Int>] { nodes.flatMap { computedParts(of: $0, hidden) } }
    switch node.form {
    case .number, .text, .interpolation, .format, .yes, .no, .negate, .binary, .and, .or, .object, .array,
      .assign, .update, .updateWith:
      return [node.span.start..<node.span.end]
    case .call(let name, _) where Self.computing.contains(name) && !hidden.contains(name):
      return [node.span.start..<node.span.end]
    case .index(let target, _, _), .slice(let target, _, _, _), .iterate(let target, _): return all([target])
    case .pipe(let left, let right), .alternative(let left, let right): return all([left, right])
    case .commas(let parts): return all(parts)
    case .conditional(_, let then, let otherwise): return all([then] + [otherwise].compactMap(\.self))
    case .attempt(let body, _), .label(_, let body), .bind(_, _, let body): return all([body])
    default: return []
    }
  }

  /// The parts of a condition that decide nothing.
  private func flaws(of node: SyntaxNode) -> [Flaw] {
    let range = node.span.start..<node.span.end
    switch node.form {
    case .and(let left, let right), .or(let left, let right): return flaws(of: left) + flaws(of: right)
    case .pipe(let left, let right):
      // `.a = 2 | not` is as constant as `.a = 2`.
      if case .call("not", _) = right.form { return flaws(of: left) }
      return flaws(of: right)
    case .assign: return [Flaw(kind: .assignment, range: range)]
    case .update, .updateWith: return [Flaw(kind: .update, range: range)]
    case .commas: return [Flaw(kind: .several, range: range)]
    case .index(let target, _, _):
      if case .call("not", _) = target.form { return [Flaw(kind: .negated, range: range)] }
      return []
    default:
      guard node.isConstant else { return [] }
      let text = String(decoding: source.bytes[range], as: UTF8.self)
      guard let output = try? Program(text).outputs(.null).first else { return [] }
      return [Flaw(kind: .constant(output.isTruthy), range: range)]
    }
  }
}

extension SyntaxNode {
  fileprivate var isNull: Bool { if case .null = form { true } else { false } }

  /// Whether its value does not depend on its input or a variable.
  fileprivate var isConstant: Bool {
    switch form {
    case .number, .text, .null, .yes, .no: true
    case .interpolation, .object, .array, .negate, .binary, .and, .or: children.allSatisfy(\.isConstant)
    default: false
    }
  }
}

extension Form {
  /// Whether it is absent where what it reads is: a member of a member.
  fileprivate var passesAbsence: Bool {
    switch self {
    case .index, .slice, .iterate, .pipe, .and, .or, .commas: true
    default: false
    }
  }
}

extension [Pattern] {
  /// The variables that the patterns bind, with `$`.
  fileprivate var bound: [String] { flatMap(\.variables).map { "$" + $0 } }
}
