/// An array that was built rather than read.
public final class ArrayStorage: @unchecked Sendable {
  var items: [Value]
  /// How deep containers nest here, counting those that were built and not those that are views.
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
  for value in values { deepest = max(deepest, value.builtDepth) }
  return deepest &+ 1
}

/// Empties `values` without recursion on nested containers that nobody else holds.
@inline(never)
func dismantle(_ values: inout [Value]) {
  var pending: [Value] = []
  moveDeep(&values, to: &pending)
  while let next = pending.popLast() {
    switch consume next {
    case .array(var storage):
      if isKnownUniquelyReferenced(&storage) { moveDeep(&storage.items, to: &pending) }
    case .object(var storage):
      if isKnownUniquelyReferenced(&storage) { moveDeep(&storage.values, to: &pending) }
    default: break
    }
  }
}

private func moveDeep(_ values: inout [Value], to pending: inout [Value]) {
  for index in values.indices where values[index].builtDepth > deepNesting / 2 {
    pending.append(values[index])
    values[index] = .null
  }
}
