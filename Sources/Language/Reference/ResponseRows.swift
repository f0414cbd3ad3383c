import JSON

/// The place of the rows in a response: its longest list of objects, or an object whose members are the rows.
///
///     ResponseRows(in: value)?.expression   // .items[]
public struct ResponseRows {
  private static let deepest = 4

  /// The members that lead to it.
  public let path: [String]
  /// Whether the rows are the members of an object.
  public let isObject: Bool
  /// Nil for rows that are not objects.
  private let taken: Set<String>?

  /// Nil where the response itself is one row.
  public init?(in response: JSON.Value) {
    if let list = Self.longestList(in: response, []), list.path.isEmpty || list.count > 1 || response.isShort
    {
      (path, isObject, taken) = (list.path, false, [])
    } else if let found = Self.entries(in: response, []) {
      (path, isObject, taken) = (found.path, true, found.members)
    } else {
      return nil
    }
  }

  /// The rows alone.
  public var expression: String {
    let place = jqPath(path)
    if !isObject { return "\(place)[]" }
    return (path.isEmpty ? "" : "\(place) | ") + "to_entries[]" + (taken == nil ? "" : " | .value")
  }

  /// The rows of an object with the names of its members, and the member of a row that has the name.
  public var named: (expression: String, key: String)? {
    guard isObject else { return nil }
    guard let taken else { return (expression, "key") }
    let name = ["key", "name", "entry", "_key"].first { !taken.contains($0) } ?? "__key"
    let member = name == "key" ? "{ key }" : "{ \(name): .key }"
    return (expression.replacing(" | .value", by: " | \(member) + .value"), name)
  }

  /// The array of objects with the most elements; of equally long ones the outermost.
  private static func longestList(in value: JSON.Value, _ path: [String]) -> (path: [String], count: Int)? {
    if value.kind == .array {
      let isList = path.isEmpty || value.items?.contains { $0.kind == .object } == true
      return isList ? (path, value.count ?? 0) : nil
    }
    guard value.kind == .object, path.count < deepest else { return nil }
    var best: (path: [String], count: Int)?
    for key in value.keys.map(\.name) {
      guard let member = value.member(key), let found = longestList(in: member, path + [key]) else {
        continue
      }
      if found.count > best?.count ?? 0 { best = found }
    }
    return best
  }

  /// The outermost object of objects that are alike, or of many numbers below another member.
  private static func entries(in value: JSON.Value, _ path: [String]) -> (
    path: [String], members: Set<String>?
  )? {
    guard value.kind == .object, path.count < deepest else { return nil }
    let members = value.keys.compactMap { key in value.member(key.name).map { (key.name, $0) } }
    if members.count > 1, members.allSatisfy({ $0.1.kind == .object }) {
      let names = members.map { Set($0.1.keys.map(\.name)) }
      let shared = names.reduce(names[0]) { $0.intersection($1) }
      if !shared.isEmpty, shared.count * 2 >= names[0].count {
        return (path, names.reduce([]) { $0.union($1) })
      }
    }
    if !path.isEmpty, members.count > 4, members.allSatisfy({ $0.1.kind == .number }) { return (path, nil) }
    for (name, member) in members {
      if let found = entries(in: member, path + [name]) { return found }
    }
    return nil
  }
}

extension JSON.Value {
  /// Whether a list of one may be the point of it: an object with many members is rather a row itself.
  fileprivate var isShort: Bool { keys.count <= 6 }
}

/// A path as jq has it: `.name`, or `.["last-seen"]`; `.` for none.
public func jqPath(_ names: some Sequence<String>) -> String {
  let path = names.reduce("") { path, name in
    let isName =
      name.utf8.allSatisfy { isWordByte($0) || $0 == UInt8(ascii: "_") }
      && name.utf8.first.map { $0 > 0x39 } == true
    if isName { return path + ".\(name)" }
    return (path.isEmpty ? "." : path) + "[\(JSON.Value.string(name))]"
  }
  return path.isEmpty ? "." : path
}
