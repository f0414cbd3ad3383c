// What a condition asks of the values of one field.

import JSON

/// A test of one field; where the field is an array, one element that passes is enough.
enum SpaceXTest {
  /// Equal to one of these; null is equal to nothing being there.
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

  /// Regular expressions are those of jq, which differ little.
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
    // An array is looked at itself and element by element.
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

  /// A text that a number or a flag is compared with is read as one.
  private static func cast(_ wanted: Value, for value: Value) -> Value {
    guard let text = wanted.string else { return wanted }
    switch value.kind {
    case .number: return Double(text).map { .number($0) } ?? wanted
    case .boolean: return text == "true" ? .bool(true) : text == "false" ? .bool(false) : wanted
    default: return wanted
    }
  }

  private static func isEqual(_ value: Value, _ wanted: Value) -> Bool { value == cast(wanted, for: value) }

  /// Below, at or above 0; nil where the two are of different kinds, or null is compared with.
  private static func order(_ value: Value, _ wanted: Value) -> Int? {
    let wanted = cast(wanted, for: value)
    guard value.kind == wanted.kind, value.kind != .null || wanted.isNull else { return nil }
    return Value.order(value, wanted)
  }
}
