/// A key of which it is known that there is nothing under it.
struct MissingKey {
  private var bytes: [UInt8] = []
  private var hash: UInt64?

  func isIt(_ key: StateKey) -> Bool {
    hash == key.hash && bytes.withUnsafeBufferPointer { $0.isSame(as: key.bytes) }
  }

  func withKey(_ body: (StateKey) -> Void) {
    guard let hash else { return }
    bytes.withUnsafeBufferPointer { body(StateKey($0, hash: hash)) }
  }

  mutating func note(_ key: StateKey) {
    bytes.removeAll(keepingCapacity: true)
    bytes.append(contentsOf: key.bytes)
    hash = key.hash
  }

  mutating func forget() { hash = nil }
}
