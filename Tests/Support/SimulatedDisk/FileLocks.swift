/// Who holds which of SQLite's locks on a file, handles by their numbers.
struct FileLocks {
  enum Level: Int32, Comparable {
    case none, shared, reserved, pending, exclusive
    static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
  }

  private var shared: Set<Int> = []
  private var reserved, pending, exclusive: Int?

  var isReserved: Bool { reserved != nil || exclusive != nil }

  /// Answers false where another holds what stands against it.
  mutating func raise(_ handle: Int, to level: Level) -> Bool {
    let isFree = { (holder: Int?) in holder == nil || holder == handle }
    switch level {
    case .none: return true
    case .shared:
      guard shared.contains(handle) || isFree(pending) && isFree(exclusive) else { return false }
      shared.insert(handle)
    case .reserved:
      guard isFree(reserved) else { return false }
      reserved = handle
    case .pending, .exclusive:
      guard isFree(pending) else { return false }
      pending = handle
      guard shared.isSubset(of: [handle]) else { return false }
      exclusive = handle
    }
    return true
  }

  mutating func lower(_ handle: Int, to level: Level) {
    guard level <= .shared else { return }
    if reserved == handle { reserved = nil }
    if pending == handle { pending = nil }
    if exclusive == handle { exclusive = nil }
    if level == .none { shared.remove(handle) }
  }
}
