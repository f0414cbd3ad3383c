import Reactive

/// The memory that connections to one file in write-ahead mode share, and the locks on it.
///
/// It lies in ordinary memory instead of a `-shm` file. Connections of a process that was stopped keep what they had;
/// those that come after begin with a new one, as SQLite does when it finds that it is the first.
final class SharedIndex: Sendable {
  private struct State {
    /// Addresses, since pointers may not be handed from thread to thread.
    var regions: [UInt] = []
    var users: Set<Int> = []
    var readers = Array(repeating: Set<Int>(), count: 8)
    var writers = Array(repeating: Int?.none, count: 8)
  }

  private let state = Locked(State())

  deinit {
    for region in state.withLock({ $0.regions }) { UnsafeMutableRawPointer(bitPattern: region)?.deallocate() }
  }

  /// The start of a region; nil where there is none and none is to be made.
  func region(_ number: Int, size: Int, makes: Bool, for handle: Int) -> UInt? {
    state.withLock { state in
      state.users.insert(handle)
      while makes, state.regions.count <= number {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 64)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        state.regions.append(UInt(bitPattern: memory))
      }
      return state.regions.indices.contains(number) ? state.regions[number] : nil
    }
  }

  /// Answers false where another connection stands against it.
  func lock(_ slots: Range<Int>, isExclusive: Bool, for handle: Int) -> Bool {
    state.withLock { state in
      let isFree = slots.allSatisfy { slot in
        (state.writers[slot] ?? handle) == handle
          && (!isExclusive || state.readers[slot].isSubset(of: [handle]))
      }
      guard isFree else { return false }
      for slot in slots {
        if isExclusive { state.writers[slot] = handle } else { state.readers[slot].insert(handle) }
      }
      return true
    }
  }

  func unlock(_ slots: Range<Int>, for handle: Int) {
    state.withLock { state in
      for slot in slots {
        if state.writers[slot] == handle { state.writers[slot] = nil }
        state.readers[slot].remove(handle)
      }
    }
  }

  /// Returns whether it has no users any more.
  func leave(_ handle: Int) -> Bool {
    unlock(0..<8, for: handle)
    return state.withLock { state in
      state.users.remove(handle)
      return state.users.isEmpty
    }
  }
}
