/// An array that was built rather than read.
public final class ArrayStorage: @unchecked Sendable {
  var items: [Value]
  /// How deep containers nest here, as `Value.depth` counts.
  var depth: UInt32

  init(_ items: [Value]) {
    self.items = items
    depth = nesting(over: items)
  }

  init(copying other: ArrayStorage) {
    items = other.items
    depth = other.depth
  }

  deinit { if depth > deepNesting { dismantle(&items) } }
}

/// From here on nested containers are taken apart in a loop: releasing them one inside another would use the stack
/// once a level.
let deepNesting: UInt32 = 500

@inline(__always)
func nesting(over values: [Value]) -> UInt32 {
  var deepest: UInt32 = 0
  for value in values { deepest = max(deepest, value.nesting) }
  return deepest &+ 1
}

/// Empties `values` without recursion on nested containers that nobody else holds.
@inline(never)
func dismantle(_ values: inout [Value]) {
  var pending: [Value] = []
  moveDeep(&values, to: &pending)
  while !pending.isEmpty {
    var next = pending.removeLast()
    // Only with `next` emptied is the storage's last holder here.
    if case .array(var storage) = next {
      next = .null
      if isKnownUniquelyReferenced(&storage) { moveDeep(&storage.items, to: &pending) }
    } else if case .object(var storage) = next {
      next = .null
      if isKnownUniquelyReferenced(&storage) { moveDeep(&storage.values, to: &pending) }
    }
  }
}

private func moveDeep(_ values: inout [Value], to pending: inout [Value]) {
  for index in values.indices where values[index].nesting > deepNesting / 2 {
    pending.append(values[index])
    values[index] = .null
  }
}
