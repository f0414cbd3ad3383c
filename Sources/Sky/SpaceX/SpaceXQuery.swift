// Conditions of a query, as MongoDB has them: {"upcoming": true}, {"date_utc": {"$gte": "2022"}}, {"$or": […]}.

import JSON

/// The message with which the service refuses a query.
struct SpaceXProblem: Error {
  let message: String
}

/// A condition on an entry.
indirect enum SpaceXCondition {
  case all([SpaceXCondition])
  case any([SpaceXCondition])
  case none([SpaceXCondition])
  case not(SpaceXCondition)
  case text(SpaceXText, fields: [String])
  case field(ArraySlice<String>, SpaceXTest)

  /// - Parameter texts: the fields that `$text` searches
  init(_ query: Value, texts: [String]) throws(SpaceXProblem) {
    guard query.kind == .object else {
      throw SpaceXProblem(message: "Parameter \"filter\" to find() must be an object")
    }
    var conditions: [SpaceXCondition] = []
    for key in query.keys {
      let value = query.member(key) ?? .null
      switch key.name {
      case "$and": conditions.append(.all(try Self.list(value, "$and", texts)))
      case "$or": conditions.append(.any(try Self.list(value, "$or", texts)))
      case "$nor": conditions.append(.none(try Self.list(value, "$nor", texts)))
      case "$text":
        if texts.isEmpty { throw SpaceXProblem(message: "text index required for $text query") }
        guard let search = value.member("$search")?.string else {
          throw SpaceXProblem(message: "$search had the wrong type, expected string")
        }
        conditions.append(.text(SpaceXText(search), fields: texts))
      case "$comment": break
      case let name where name.hasPrefix("$"):
        throw SpaceXProblem(message: "unknown top level operator: \(name)")
      case let name: conditions.append(try Self.field(name == "_id" ? "id" : name, value))
      }
    }
    self = .all(conditions)
  }

  private static func list(_ value: Value, _ name: String, _ texts: [String]) throws(SpaceXProblem)
    -> [SpaceXCondition]
  {
    guard let items = value.items, !items.isEmpty else {
      throw SpaceXProblem(message: "\(name) must be a nonempty array")
    }
    var conditions: [SpaceXCondition] = []
    for item in items {
      guard item.kind == .object else {
        throw SpaceXProblem(message: "\(name) argument's entries must be objects")
      }
      conditions.append(try SpaceXCondition(item, texts: texts))
    }
    return conditions
  }

  private static func field(_ name: String, _ value: Value) throws(SpaceXProblem) -> SpaceXCondition {
    let path = SpaceXPath.parts(name)
    guard value.keys.first?.name.hasPrefix("$") == true else { return .field(path, .equal([value])) }
    var conditions: [SpaceXCondition] = []
    for key in value.keys {
      let operand = value.member(key) ?? .null
      switch key.name {
      case "$ne": conditions.append(.not(.field(path, .equal([operand]))))
      case "$nin": conditions.append(.not(.field(path, .equal(try SpaceXTest.list(operand, "$nin")))))
      case "$not": conditions.append(.not(try field(name, operand)))
      case "$options":
        if value.member("$regex") == nil { throw SpaceXProblem(message: "$options needs a $regex") }
      case let test: conditions.append(.field(path, try SpaceXTest(test, operand, beside: value)))
      }
    }
    return .all(conditions)
  }

  func holds(for entry: Value) throws(SpaceXProblem) -> Bool {
    switch self {
    case .all(let conditions):
      for condition in conditions where try !condition.holds(for: entry) { return false }
      return true
    case .any(let conditions):
      for condition in conditions where try condition.holds(for: entry) { return true }
      return false
    case .none(let conditions): return try !SpaceXCondition.any(conditions).holds(for: entry)
    case .not(let condition): return try !condition.holds(for: entry)
    case .text(let text, let fields):
      return text.isFound(in: fields.compactMap { entry.member($0)?.string }.joined(separator: "\n"))
    case .field(let path, let test): return try test.holds(for: SpaceXPath.values(entry, path))
    }
  }
}

/// A test of one field; an array passes with one of its elements.
enum SpaceXTest {
  /// Equal to one of these; a missing field is equal to null.
  case equal([Value])
  case order(Value, (Int) -> Bool)
  case exists(Bool)
  case pattern(Evaluator)
  case size(Int)
  case every([Value])

  private static let pattern = try? Program("test($pattern; $flags)", variables: ["pattern", "flags"])

  init(_ name: String, _ operand: Value, beside others: Value) throws(SpaceXProblem) {
    switch name {
    case "$eq": self = .equal([operand])
    case "$in": self = .equal(try Self.list(operand, "$in"))
    case "$all": self = .every(try Self.list(operand, "$all"))
    case "$gt": self = .order(operand) { $0 > 0 }
    case "$gte": self = .order(operand) { $0 >= 0 }
    case "$lt": self = .order(operand) { $0 < 0 }
    case "$lte": self = .order(operand) { $0 <= 0 }
    case "$exists": self = .exists(operand.isTruthy && operand.double != 0)
    case "$size":
      guard let size = operand.double.flatMap({ Int(exactly: $0) }), size >= 0 else {
        throw SpaceXProblem(message: "Failed to parse $size. Expected a non-negative integer")
      }
      self = .size(size)
    case "$regex": self = .pattern(try Self.evaluator(operand, others.member("$options")?.string ?? ""))
    default: throw SpaceXProblem(message: "unknown operator: \(name)")
    }
  }

  static func list(_ operand: Value, _ name: String) throws(SpaceXProblem) -> [Value] {
    guard let items = operand.items else { throw SpaceXProblem(message: "\(name) needs an array") }
    return items
  }

  /// MongoDB's regular expressions are run as jq's, which differ little.
  private static func evaluator(_ pattern: Value, _ options: String) throws(SpaceXProblem) -> Evaluator {
    guard pattern.isString, let program = Self.pattern else {
      throw SpaceXProblem(message: "$regex has to be a string")
    }
    guard options.allSatisfy({ "imsx".contains($0) }) else {
      throw SpaceXProblem(message: "invalid flag in regex options: \(options)")
    }
    var environment = Environment()
    let flags = options.compactMap { $0 == "s" ? "p" : $0 == "m" ? nil : $0 }
    environment.variables = ["pattern": pattern, "flags": .string(String(flags))]
    environment.budget.steps = 1_000_000
    let evaluator = program.evaluator(environment)
    do {
      _ = try evaluator.first(.string(""))
    } catch {
      throw SpaceXProblem(message: "Regular expression is invalid: \(pattern.string ?? "")")
    }
    return evaluator
  }

  func holds(for values: [Value?]) throws(SpaceXProblem) -> Bool {
    // An array is tested as a whole and element by element.
    let all = values + values.compactMap { $0?.items }.flatMap { $0 }
    switch self {
    case .equal(let wanted):
      return wanted.contains { wanted in
        all.contains { value in value.map { Self.isEqual($0, wanted) } ?? wanted.isNull }
      }
    case .every(let wanted):
      return !wanted.isEmpty
        && wanted.allSatisfy { wanted in all.contains { $0.map { Self.isEqual($0, wanted) } ?? false } }
    case .order(let other, let fits):
      return all.contains { value in value.flatMap { Self.order($0, other) }.map(fits) ?? false }
    case .exists(let isThere): return values.contains { $0 != nil } == isThere
    case .size(let size): return values.contains { $0?.items?.count == size }
    case .pattern(let evaluator):
      for value in all {
        guard let value, value.isString else { continue }
        do {
          if try evaluator.isTrue(value) { return true }
        } catch {
          throw SpaceXProblem(message: "Regular expression took too long")
        }
      }
      return false
    }
  }

  /// A text that is compared with a number or a flag is read as one.
  private static func cast(_ wanted: Value, for value: Value) -> Value {
    guard let text = wanted.string else { return wanted }
    switch value.kind {
    case .number: return Double(text).map { .number($0) } ?? wanted
    case .boolean: return text == "true" ? .bool(true) : text == "false" ? .bool(false) : wanted
    default: return wanted
    }
  }

  private static func isEqual(_ value: Value, _ wanted: Value) -> Bool { value == cast(wanted, for: value) }

  /// Below, at or above 0; nil for values of different kinds.
  private static func order(_ value: Value, _ wanted: Value) -> Int? {
    let wanted = cast(wanted, for: value)
    guard value.kind == wanted.kind, value.kind != .null || wanted.isNull else { return nil }
    return Value.order(value, wanted)
  }
}

/// A `$text` search: one of its words must occur, all of its phrases, and no word with a minus sign.
struct SpaceXText {
  private var words: Set<String> = []
  private var phrases: [String] = []
  private var unwanted: Set<String> = []

  init(_ search: String) {
    for (number, part) in search.split(separator: "\"", omittingEmptySubsequences: false).enumerated() {
      if !number.isMultiple(of: 2) {
        phrases.append(part.lowercased())
        continue
      }
      for word in part.split(separator: " ") {
        if word.hasPrefix("-") {
          unwanted.formUnion(Self.words(word))
        } else {
          words.formUnion(Self.words(word))
        }
      }
    }
  }

  func isFound(in text: String) -> Bool {
    let there = Set(Self.words(text[...]))
    let lower = text.lowercased()
    guard unwanted.isDisjoint(with: there), phrases.allSatisfy({ lower.contains($0) }) else { return false }
    return phrases.isEmpty ? !words.isDisjoint(with: there) : true
  }

  private static func words(_ text: Substring) -> [String] {
    text.lowercased().split { !($0.isLetter || $0.isNumber) }.map(String.init)
  }
}

/// Dotted paths; they lead through each element of an array on their way.
enum SpaceXPath {
  static func parts(_ path: String) -> ArraySlice<String> {
    path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)[...]
  }

  /// The values at a path; nil for each place without one.
  static func values(_ value: Value, _ path: ArraySlice<String>) -> [Value?] {
    guard let name = path.first else { return [value] }
    if let items = value.items {
      if let number = Int(name), items.indices.contains(number) {
        return values(items[number], path.dropFirst())
      }
      return items.flatMap { $0.kind == .object ? values($0, path) : [] }
    }
    guard let member = value.member(name) else { return [nil] }
    return values(member, path.dropFirst())
  }

  /// The entry with the values at a path changed.
  static func changing(_ value: Value, _ path: ArraySlice<String>, _ change: (Value) -> Value) -> Value {
    guard let name = path.first else { return change(value) }
    if let items = value.items { return .array(items.map { changing($0, path, change) }) }
    guard let member = value.member(name) else { return value }
    var changed = value
    changed.setMember(Key(name), changing(member, path.dropFirst(), change))
    return changed
  }
}
