// Builtins for arrays and objects: keys, order, groups.

extension Builtins {
  static let collections: [String: Builtin] = [
    "keys/0": .zero { (value, _) throws(Exception) in try keys(value, isSorted: true) },
    "keys_unsorted/0": .zero { (value, _) throws(Exception) in try keys(value, isSorted: false) },
    "to_entries/0": .zero { (value, frame) throws(Exception) in
      guard value.kind == .object else {
        // jq evaluates `keys` first, then each value.
        guard value.kind == .array else { throw typeError(value, "has no keys") }
        if value.count == 0 { return .array([]) }
        var entries: [Value] = []
        value.forEachElement { entries.append(.object(Names.keyAndValue, [.number(entries.count), $0])) }
        return .array(entries)
      }
      var entries: [Value] = []
      entries.reserveCapacity(value.count ?? 0)
      try frame.run.charge((value.count ?? 0) * 6 * MemoryLayout<Value>.stride)
      value.forEachMember { key, inner in entries.append(.object(Names.keyAndValue, [key, inner])) }
      return .array(entries)
    },
    "sort/0": .zero { (value, _) throws(Exception) in try sorted(value) },
    "unique/0": .zero { (value, _) throws(Exception) in
      guard let items = value.items else {
        throw typeError(value, "cannot be sorted, as it is not an array")
      }
      return try unique(value, by: items)
    },
    "min/0": .zero { (value, _) throws(Exception) in
      try extreme(value, by: value.items ?? [], wantsLeast: true, isPlain: true)
    },
    "max/0": .zero { (value, _) throws(Exception) in
      try extreme(value, by: value.items ?? [], wantsLeast: false, isPlain: true)
    },
    "reverse/0": .zero { (value, _) throws(Exception) in
      switch value.kind {
      case .array: return .array((value.items ?? []).reversed())
      case .string where value.isText([]): return .array([])
      case .null: return .array([])
      case .object where value.count == 0: return .array([])
      default:
        // jq's definition takes the length first and then indexes with numbers.
        if value.kind == .boolean { throw typeError(value, "has no length") }
        if value.double == 0 { return .array([]) }
        throw Exception("Cannot index \(value.typeName) with number (\(try lastIndex(of: value)))")
      }
    },
    "bsearch/1": .one { (value, wanted, _) throws(Exception) in try search(value, wanted) },
    "transpose/0": .zero { (value, frame) throws(Exception) in try transpose(value, frame.run) },
    "flatten/0": .zero { (value, frame) throws(Exception) in try flatten(value, -1, frame.run) },
    "flatten/1": .one { (value, depth, frame) throws(Exception) in
      if try compare(depth, .number(0)) < 0 { throw Exception("flatten depth must not be negative") }
      guard let levels = depth.double else {
        // What is no number counts down only where there is something to flatten.
        var isDeep = false
        try iterate(value, frame.run) { (item) throws(Exception) in isDeep = isDeep || item.kind == .array }
        if isDeep { throw typeError(depth, .number(1), "cannot be subtracted") }
        return try flatten(value, 0, frame.run)
      }
      return try flatten(value, levels, frame.run)
    },
    "indices/1": .one { (value, wanted, _) throws(Exception) in try indices(value, wanted) },
    "_strindices/1": .one { (value, wanted, _) throws(Exception) in
      guard value.isString else { throw typeError(value, "cannot be searched, as it is not a string") }
      guard wanted.isString else { throw typeError(wanted, "is not a string") }
      return .array(occurrences(of: wanted.textBytes ?? [], in: value.textBytes ?? []))
    },
    "join/1": .one { (value, separator, frame) throws(Exception) in try join(value, separator, frame.run) },
  ]

  private static func lastIndex(of value: Value) throws(Exception) -> String {
    let length: Double =
      switch value.kind {
      case .string: Double(characterCount(value.textBytes ?? []))
      case .number: (value.double ?? 0).magnitude
      default: Double(value.count ?? 0)
      }
    return Value.number(length - 1).description
  }

  private static func keys(_ value: Value, isSorted: Bool) throws(Exception) -> Value {
    switch value.kind {
    case .object: return .array((isSorted ? value.sortedKeys : value.keys).map { .string($0.bytes) })
    case .array: return .array((0..<(value.count ?? 0)).map { .number($0) })
    default: throw typeError(value, "has no keys")
    }
  }

  private static func search(_ value: Value, _ wanted: Value) throws(Exception) -> Value {
    guard let items = value.items else { throw typeError(value, "cannot be searched from") }
    var low = 0
    var high = items.count
    while low < high {
      let middle = (low + high) / 2
      let order = try compare(wanted, items[middle])
      if order == 0 { return .number(middle) }
      if order < 0 { high = middle } else { low = middle + 1 }
    }
    return .number(-1 - low)
  }

  private static func transpose(_ value: Value, _ run: Run) throws(Exception) -> Value {
    var rows: [Value] = []
    var width = 0
    // As jq: there are as many columns as the greatest length of anything in it; only then are rows looked into.
    var odd: Value?
    var isEmpty = true
    try iterate(value, run) { (row) throws(Exception) in
      isEmpty = try Builtins.length(row).double == 0 && isEmpty
      if row.kind != .array, !row.isNull { odd = odd ?? row }
      rows.append(row)
      width = max(width, row.count ?? 0)
    }
    if isEmpty { return .array([]) }
    if let odd { throw Exception("Cannot index \(odd.typeName) with number (0)") }
    try run.reserve(width * rows.count * MemoryLayout<Value>.stride)
    return .array((0..<width).map { column in .array(rows.map { $0.element(column) ?? .null }) })
  }

  private static func flatten(_ value: Value, _ depth: Double, _ run: Run) throws(Exception) -> Value {
    var items: [Value] = []
    func add(_ container: Value, _ level: Double) throws(Exception) {
      try run.checkStack()
      try iterate(container, run) { (item) throws(Exception) in
        if item.kind == .array, level != 0 {
          try add(item, level - 1)
        } else {
          try run.charge(MemoryLayout<Value>.stride)
          items.append(item)
        }
      }
    }
    try add(value, depth)
    return .array(items)
  }

  static func indices(_ value: Value, _ wanted: Value) throws(Exception) -> Value {
    switch (value.kind, wanted.kind) {
    case (.array, .array): return .array(try positions(of: wanted, in: value))
    case (.array, _): return .array(try positions(of: .array([wanted]), in: value))
    case (.string, .string):
      return .array(occurrences(of: wanted.textBytes ?? [], in: value.textBytes ?? []))
    default: return try index(value, wanted)
    }
  }

  /// The positions of a text in another, overlaps included, in characters.
  private static func occurrences(of wanted: [UInt8], in text: [UInt8]) -> [Value] {
    var found: [Value] = []
    var start = 0
    var counted = 0
    var characters = 0
    while let hit = find(wanted, in: text, from: start) {
      for byte in text[counted..<hit] where byte & 0xc0 != 0x80 { characters += 1 }
      counted = hit
      found.append(.number(characters))
      start = hit + 1
    }
    return found
  }

  private static func join(_ value: Value, _ separator: Value, _ run: Run) throws(Exception) -> Value {
    var result: Value = .null
    var isFirst = true
    try iterate(value, run) { (item) throws(Exception) in
      if isFirst { result = .string([UInt8]()) } else { try add(separator, to: &result, run) }
      isFirst = false
      let text: Value =
        switch item.kind {
        case .boolean, .number: try textValue(item, run)
        case .null: .string([UInt8]())
        default: item
        }
      try add(text, to: &result, run)
    }
    return result.isTruthy ? result : .string([UInt8]())
  }
}

// MARK: - Order

/// The array in order; equal elements keep theirs.
func sorted(_ value: Value) throws(Exception) -> Value {
  guard let items = value.items else { throw typeError(value, "cannot be sorted, as it is not an array") }
  return .array(try order(of: items).map { items[$0] })
}

func sorted(_ value: Value, by keys: [Value], _ complaint: String) throws(Exception) -> Value {
  guard let items = value.items, items.count == keys.count else {
    throw typeError(value, .array(keys), complaint)
  }
  return .array(try order(of: keys).map { items[$0] })
}

/// The places of elements in ascending order.
private func order(of keys: [Value]) throws(Exception) -> [Int] {
  if keys.count(where: { $0.depth > 10_001 }) > 1 { throw Exception("Comparison too deep") }
  return keys.sortedPlaces()
}

func grouped(_ value: Value, by keys: [Value]) throws(Exception) -> Value {
  guard let items = value.items, items.count == keys.count else {
    throw typeError(value, .array(keys), "cannot be sorted, as they are not both arrays")
  }
  var groups: [Value] = []
  var group: [Value] = []
  var key: Value?
  for place in try order(of: keys) {
    if let current = key, try !equal(current, keys[place]) {
      groups.append(.array(group))
      group = []
    }
    key = keys[place]
    group.append(items[place])
  }
  if !group.isEmpty { groups.append(.array(group)) }
  return .array(groups)
}

func unique(_ value: Value, by keys: [Value]) throws(Exception) -> Value {
  guard let items = value.items, items.count == keys.count else {
    throw typeError(value, .array(keys), "cannot be sorted, as they are not both arrays")
  }
  var kept: [Value] = []
  var key: Value?
  for place in try order(of: keys) {
    if let current = key, try equal(current, keys[place]) { continue }
    key = keys[place]
    kept.append(items[place])
  }
  return .array(kept)
}

/// The least element, the first of equals; or the greatest, the last of equals.
func extreme(_ value: Value, by keys: [Value], wantsLeast: Bool, isPlain: Bool = false) throws(Exception)
  -> Value
{
  guard let items = value.items else {
    throw typeError(value, isPlain ? value : .array(keys), "cannot be iterated over")
  }
  guard var best = items.first, var bestKey = keys.first else { return .null }
  for (item, key) in zip(items, keys).dropFirst() where (try compare(key, bestKey) < 0) == wantsLeast {
    best = item
    bestKey = key
  }
  return best
}
