// Conditions as MongoDB has them: {"upcoming": true}, {"date_utc": {"$gte": "2022"}}, {"$or": […]}.

import JSON

/// A query that the service refuses, in its words.
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

  /// - Parameter texts: the fields that a search for words looks into.
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
