// The options of a query: the page, the order, the members that are selected, and ids that are replaced by entries.

import JSON

/// The options of a query: `{"limit": 5, "page": 2, "sort": {…}, "select": {…}, "populate": […]}`.
struct SpaceXPage {
  private let selection: SpaceXSelection
  private let order: SpaceXOrder
  private let populations: [SpaceXPopulation]
  private let limit: Int
  private let page: Int?
  private let offset: Int?
  private let isPaged: Bool

  init(_ options: Value, crewPath: String) throws(SpaceXProblem) {
    selection = try SpaceXSelection(options.member("select"))
    order = try SpaceXOrder(options.member("sort"))
    populations = try SpaceXPopulation.list(options.member("populate"), crewPath: crewPath)
    isPaged = options.member("pagination").map { $0.bool != false } ?? true
    limit = max(0, Self.number(options.member("limit")) ?? 10)
    let offset = Self.number(options.member("offset"))
    let page = Self.number(options.member("page"))
    // Without either, the answer has an offset of 0.
    self.offset = offset.map { max(0, $0) } ?? (page == nil ? 0 : nil)
    self.page = offset == nil ? page.map { max(1, $0) } : nil
  }

  /// A number, or a text of one.
  private static func number(_ value: Value?) -> Int? {
    value.flatMap { $0.double ?? $0.string.flatMap { Double($0) } }.flatMap {
      Int(exactly: $0.rounded(.towardZero))
    }
  }

  /// The page as the service answers it.
  func value(of found: [Value], in world: SpaceXWorld) -> Value {
    let total = found.count
    let sorted = order.sorted(found)
    let page = self.page ?? (limit > 0 ? (offset ?? 0) / limit + ((offset ?? 0) % limit > 0 ? 1 : 0) + 1 : 1)
    let (first, isOver) =
      self.page.map { ($0 - 1).multipliedReportingOverflow(by: limit) } ?? (offset ?? 0, false)
    let rows = isPaged ? sorted.dropFirst(isOver ? total : first).prefix(limit) : sorted[...]
    let docs = rows.map { row in
      selection.of(populations.reduce(row) { $1.populating($0, in: world) })
    }
    let pages = isPaged && limit > 0 ? max(1, (total + limit - 1) / limit) : 1
    let number = isPaged && limit > 0 ? page : 1
    let hasOffset = (offset ?? 0) > 0
    let isFollowing = isPaged && limit > 0 && (number > 1 || hasOffset)
    let isFollowed = isPaged && limit > 0 && number < pages
    var members: [(String, Value)] = [("docs", .array(docs)), ("totalDocs", .number(total))]
    if let offset { members.append(("offset", .number(offset))) }
    members += [
      ("limit", .number(isPaged ? limit : total)), ("totalPages", .number(pages)), ("page", .number(number)),
      ("pagingCounter", .number(isPaged ? (isOver ? total : (number - 1) * limit) + 1 : 1)),
      ("hasPrevPage", .bool(isFollowing)), ("hasNextPage", .bool(isFollowed)),
      ("prevPage", isFollowing ? .number(max(1, number - 1)) : .null),
      ("nextPage", isFollowed ? .number(number + 1) : .null),
    ]
    return .object(Shape(members.map { Key($0.0) }), members.map(\.1))
  }
}

/// Which members of an entry are answered.
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

  /// The entries in this order; equal ones keep theirs.
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

  /// An array sorts by its least value, or by its greatest in descending order.
  private static func key(_ entry: Value, _ path: ArraySlice<String>, _ isDescending: Bool) -> Value {
    let values = SpaceXPath.values(entry, path).flatMap { value in value?.items ?? [value ?? .null] }
    return (isDescending ? values.max() : values.min()) ?? .null
  }
}

/// A path whose ids are replaced by entries, in which further ids may be replaced.
struct SpaceXPopulation {
  /// The greatest depth: entries refer to each other in circles.
  private static let deepest = 4

  private let path: ArraySlice<String>
  private let selection: SpaceXSelection
  private let inner: [SpaceXPopulation]

  /// `"rocket payloads"`, `["rocket"]`, `{"path": "rocket", "select": …, "populate": …}`, or a list of such.
  static func list(_ option: Value?, crewPath: String, depth: Int = 0) throws(SpaceXProblem)
    -> [SpaceXPopulation]
  {
    guard let option, depth < deepest else { return [] }
    if let text = option.string {
      return text.split(separator: " ").map { SpaceXPopulation(path: String($0), crewPath: crewPath) }
    }
    if let items = option.items {
      var all: [SpaceXPopulation] = []
      for item in items { all += try list(item, crewPath: crewPath, depth: depth) }
      return all
    }
    guard let path = option.member("path")?.string else { return [] }
    let selection = try SpaceXSelection(option.member("select"))
    let inner = try list(option.member("populate"), crewPath: crewPath, depth: depth + 1)
    return path.split(separator: " ").map {
      SpaceXPopulation(path: String($0), crewPath: crewPath, selection: selection, inner: inner)
    }
  }

  private init(
    path: String, crewPath: String, selection: SpaceXSelection = .everything, inner: [SpaceXPopulation] = []
  ) {
    self.path = SpaceXPath.parts(path == "crew" ? crewPath : path)
    self.selection = selection
    self.inner = inner
  }

  /// The collection to which the ids under a name belong.
  private static let collections = [
    "rocket": "rockets", "rockets": "rockets", "launchpad": "launchpads", "landpad": "landpads",
    "payloads": "payloads", "launch": "launches", "launches": "launches", "core": "cores", "ships": "ships",
    "capsule": "capsules", "capsules": "capsules", "crew": "crew", "dragon": "dragons",
  ]

  func populating(_ entry: Value, in world: SpaceXWorld) -> Value {
    guard let name = path.last, let collection = Self.collections[name] else { return entry }
    func entryOf(_ id: Value) -> Value? {
      guard let found = id.string.flatMap({ world.entry($0, of: collection) }) else { return nil }
      return selection.of(inner.reduce(found) { $1.populating($0, in: world) })
    }
    return SpaceXPath.changing(entry, path) { value in
      if let items = value.items {
        // A value that is no id stays; an id without an entry is dropped.
        return .array(items.compactMap { $0.isString ? entryOf($0) : $0 })
      }
      return value.isString ? entryOf(value) ?? .null : value
    }
  }
}
