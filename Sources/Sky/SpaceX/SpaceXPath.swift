// Dotted paths, which look into each element of an array on their way.

import JSON

/// Where a path leads in an entry.
enum SpaceXPath {
  static func parts(_ path: String) -> ArraySlice<String> {
    path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)[...]
  }

  /// The values at a path; nil for each place where there is none.
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

  /// The entry with what is at a path changed.
  static func changing(_ value: Value, _ path: ArraySlice<String>, _ change: (Value) -> Value) -> Value {
    guard let name = path.first else { return change(value) }
    if let items = value.items { return .array(items.map { changing($0, path, change) }) }
    guard let member = value.member(name) else { return value }
    var changed = value
    changed.setMember(Key(name), changing(member, path.dropFirst(), change))
    return changed
  }
}
