// getpath, setpath, delpaths: values changed and read by paths. Changes are made in place where storage has one owner.

private let deepestPath = 10_000

private func checkedPath(_ path: Value) throws(Exception) -> [Value] {
  guard let keys = path.items else { throw Exception("Path must be specified as an array") }
  if keys.count > deepestPath { throw Exception("Path too deep") }
  return keys
}

func getPath(_ root: Value, _ path: Value) throws(Exception) -> Value {
  var value = root
  for key in try checkedPath(path) { value = try index(value, key) }
  return value
}

func setPath(_ root: inout Value, _ path: Value, _ value: Value, _ run: Run) throws(Exception) {
  try updatePath(&root, try checkedPath(path), 0, run) { (target) throws(Exception) in target = value }
}

/// Changes what is at a path.
func updatePath(
  _ root: inout Value, _ path: [Value], _ at: Int, _ run: Run,
  _ change: (inout Value) throws(Exception) -> Void
) throws(Exception) {
  guard at < path.count else { return try change(&root) }
  if at & 31 == 31 { try run.checkStack() }
  var inner = try take(path[at], from: &root)
  try updatePath(&inner, path, at + 1, run, change)
  try put(inner, at: path[at], in: &root, run)
}

/// Takes the value of a key out to change it; what remains in its place is unspecified.
@inline(__always)
func take(_ key: Value, from root: inout Value) throws(Exception) -> Value {
  switch (root.kind, key.kind) {
  case (.object, .string):
    guard let key = Key(key) else { return .null }
    return root.takeMember(key) ?? .null
  case (.array, .number):
    guard let position = key.double, !position.isNaN else { return .null }
    let number = Int(max(-2_147_483_648, min(2_147_483_647, position)))
    return root.takeElement(number < 0 ? number + (root.count ?? 0) : number) ?? .null
  default: return try index(root, key)
  }
}

/// Puts a value at a key.
@inline(__always)
func put(_ value: Value, at key: Value, in root: inout Value, _ run: Run) throws(Exception) {
  switch (root.kind, key.kind) {
  case (.object, .string), (.null, .string):
    guard let key = Key(key) else { return }
    root.setMember(key, value)
    try run.charge(MemoryLayout<Value>.stride)
  case (.array, .number), (.null, .number):
    try putElement(value, at: key.double ?? .nan, in: &root, run)
  case (.array, .object), (.null, .object):
    try putSlice(value, at: key, in: &root, run)
  case (.string, .object):
    throw Exception("Cannot update string slices")
  default:
    throw Exception("Cannot update field at \(key.typeName) index of \(root.typeName)")
  }
}

private func putElement(_ value: Value, at position: Double, in root: inout Value, _ run: Run)
  throws(Exception)
{
  guard !position.isNaN else { throw Exception("Cannot set array element at NaN index") }
  let count = root.count ?? 0
  var number = Int(max(-2_147_483_648, min(2_147_483_647, position)))
  if number < 0 { number += count }
  guard number >= 0 else { throw Exception("Out of bounds negative array index") }
  guard number <= 536_870_911 else { throw Exception("Array index too large") }
  if number >= count { try run.reserve((number - count + 1) * MemoryLayout<Value>.stride) }
  root.setElement(number, value)
}

private func putSlice(_ value: Value, at key: Value, in root: inout Value, _ run: Run) throws(Exception) {
  let bounds = try sliceBounds(
    root.count ?? 0, from: key.member(Names.start) ?? .bool(false), to: key.member(Names.end) ?? .bool(false))
  guard let insert = value.items else {
    throw Exception("A slice of an array can only be assigned another array")
  }
  var items = root.items ?? []
  try run.reserve((items.count + insert.count) * MemoryLayout<Value>.stride)
  items.replaceSubrange(bounds, with: insert)
  root = .array(items)
}

// MARK: - Deleting

// `delpaths`
func deletePaths(_ root: inout Value, _ paths: Value, _ run: Run) throws(Exception) {
  guard let paths = paths.items else { throw Exception("Paths must be specified as an array") }
  var all: [[Value]] = []
  for path in try sorted(.array(paths)).items ?? [] {
    guard let keys = path.items else {
      throw Exception("Path must be specified as array, not \(path.typeName)")
    }
    if keys.count > deepestPath { throw Exception("Path too deep") }
    all.append(keys)
  }
  guard let first = all.first else { return }
  if first.isEmpty {
    root = .null
    return
  }
  try deleteSorted(&root, all[...], 0, run)
}

/// Deletes paths that share their first `level` keys and are in order.
private func deleteSorted(
  _ root: inout Value, _ paths: ArraySlice<[Value]>, _ level: Int, _ run: Run
) throws(Exception) {
  try run.checkStack()
  var doomed: [Value] = []
  var start = paths.startIndex
  while start < paths.endIndex {
    let key = paths[start][level]
    var end = start + 1
    while end < paths.endIndex, try equal(paths[end][level], key) { end += 1 }
    if paths[start].count == level + 1 {
      doomed.append(key)
    } else {
      if !(try index(root, key)).isNull {
        var inner = try take(key, from: &root)
        try deleteSorted(&inner, paths[start..<end], level + 1, run)
        try put(inner, at: key, in: &root, run)
      }
    }
    start = end
  }
  try deleteKeys(&root, doomed)
}

private func deleteKeys(_ root: inout Value, _ keys: [Value]) throws(Exception) {
  guard !keys.isEmpty, !root.isNull else { return }
  switch root.kind {
  case .object:
    for key in keys {
      guard let name = Key(key) else { throw Exception("Cannot delete \(key.typeName) field of object") }
      root.removeMember(name)
    }
  case .array:
    let items = root.items ?? []
    var isDoomed = [Bool](repeating: false, count: items.count)
    for key in keys {
      switch key.kind {
      case .number:
        guard let position = key.double, !position.isNaN else { continue }
        var number = Int(max(-2_147_483_648, min(2_147_483_647, position)))
        if position < 0 { number += items.count }
        if items.indices.contains(number) { isDoomed[number] = true }
      case .object:
        let bounds = try sliceBounds(
          items.count, from: key.member(Names.start) ?? .bool(false),
          to: key.member(Names.end) ?? .bool(false))
        for number in bounds { isDoomed[number] = true }
      default: throw Exception("Cannot delete \(key.typeName) element of array")
      }
    }
    root = .array(items.indices.filter { !isDoomed[$0] }.map { items[$0] })
  default: throw Exception("Cannot delete fields from \(root.typeName)")
  }
}
