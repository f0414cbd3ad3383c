// Which members of an entry are answered, and in which order entries are.

import JSON

/// Members that are answered alone, or that are left out.
enum SpaceXSelection {
  case everything
  case only([ArraySlice<String>])
  case without([ArraySlice<String>])

  /// `"name -links"`, `{"name": 1}` or `["name"]`.
  init(_ option: Value?) throws(SpaceXProblem) {
    var chosen: [String] = []
    var left: [String] = []
    func add(_ word: some StringProtocol) {
      if word.hasPrefix("-") { left.append(String(word.dropFirst())) } else { chosen.append(String(word)) }
    }
    if let text = option?.string { text.split(separator: " ").forEach(add) }
    for item in option?.items ?? [] { if let text = item.string { add(text) } }
    option?.forEachMember { key, value in
      guard let name = key.string else { return }
      if value.isTruthy && value.double != 0 { chosen.append(name) } else { left.append(name) }
    }
    left.removeAll { ["id", "_id"].contains($0) }
    if let first = left.first, !chosen.isEmpty {
      throw SpaceXProblem(message: "Cannot do exclusion on field \(first) in inclusion projection")
    }
    if !chosen.isEmpty {
      self = .only(chosen.map(SpaceXPath.parts) + [["id"]])
    } else {
      self = left.isEmpty ? .everything : .without(left.map(SpaceXPath.parts))
    }
  }

  func of(_ entry: Value) -> Value {
    switch self {
    case .everything: entry
    case .only(let paths): Self.only(entry, paths)
    case .without(let paths): Self.without(entry, paths)
    }
  }

  private static func only(_ value: Value, _ paths: [ArraySlice<String>]) -> Value {
    if let items = value.items { return .array(items.filter { $0.kind == .object }.map { only($0, paths) }) }
    var kept = Value.emptyObject
    for key in value.keys {
      guard let member = value.member(key) else { continue }
      let inner = paths.filter { $0.first == key.name }.map { $0.dropFirst() }
      if inner.contains(where: \.isEmpty) {
        kept.setMember(key, member)
      } else if !inner.isEmpty, member.kind == .object || member.kind == .array {
        kept.setMember(key, only(member, inner))
      }
    }
    return kept
  }

  private static func without(_ value: Value, _ paths: [ArraySlice<String>]) -> Value {
    if let items = value.items { return .array(items.map { $0.kind == .object ? without($0, paths) : $0 }) }
    guard value.kind == .object else { return value }
    var kept = Value.emptyObject
    for key in value.keys {
      guard let member = value.member(key) else { continue }
      let inner = paths.filter { $0.first == key.name }.map { $0.dropFirst() }
      if inner.contains(where: \.isEmpty) { continue }
      kept.setMember(key, inner.isEmpty ? member : without(member, inner))
    }
    return kept
  }
}

/// The order of entries.
struct SpaceXOrder {
  private var keys: [(path: ArraySlice<String>, isDescending: Bool)] = []

  /// `"-date_utc name"` or `{"date_utc": "desc"}`.
  init(_ option: Value?) throws(SpaceXProblem) {
    guard let option, !option.isNull else { return }
    if let text = option.string {
      keys = text.split(separator: " ").map { word in
        word.hasPrefix("-")
          ? (SpaceXPath.parts(String(word.dropFirst())), true) : (SpaceXPath.parts(String(word)), false)
      }
      return
    }
    guard option.kind == .object else {
      throw SpaceXProblem(message: "Invalid sort() argument. Must be a string, object, or array.")
    }
    for key in option.keys {
      let value = option.member(key) ?? .null
      let direction =
        value.string?.lowercased() ?? value.double.flatMap { Int(exactly: $0) }.map(String.init) ?? ""
      switch direction {
      case "1", "asc", "ascending": keys.append((SpaceXPath.parts(key.name), false))
      case "-1", "desc", "descending": keys.append((SpaceXPath.parts(key.name), true))
      default:
        throw SpaceXProblem(
          message: "Invalid sort value: { \(key.name): \(value.string ?? value.description) }")
      }
    }
  }

  /// The entries in this order; those that are alike stay as they were.
  func sorted(_ entries: [Value]) -> [Value] {
    if keys.isEmpty { return entries }
    let rows = entries.enumerated().map { place, entry in
      (place: place, entry: entry, keys: keys.map { Self.key(entry, $0.path, $0.isDescending) })
    }
    return rows.sorted { one, other in
      for (number, key) in keys.enumerated() {
        let order = Value.order(one.keys[number], other.keys[number])
        if order != 0 { return key.isDescending ? order > 0 : order < 0 }
      }
      return one.place < other.place
    }.map(\.entry)
  }

  /// Of several values the least counts, or the greatest where these come first.
  private static func key(_ entry: Value, _ path: ArraySlice<String>, _ isDescending: Bool) -> Value {
    let values = SpaceXPath.values(entry, path).flatMap { value in value?.items ?? [value ?? .null] }
    return (isDescending ? values.max() : values.min()) ?? .null
  }
}
