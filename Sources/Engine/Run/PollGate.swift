import Reactive

/// A gate for the polls of a list's entries: so many run at once, the others wait in line and occupy no thread.
final class PollGate: Sendable {
  private struct State: Sendable {
    var free: Int
    var waiting = Queue<@Sendable () -> Void>()
  }

  private let state: Locked<State>

  /// A gate for at most so many at once.
  init(_ limit: Int) { state = Locked(State(free: max(1, limit))) }

  /// Runs `proceed` at once, or when one before it leaves.
  func enter(_ proceed: @escaping @Sendable () -> Void) {
    let isAdmitted = state.withLock { state in
      if state.free > 0 {
        state.free -= 1
        return true
      }
      state.waiting.append(proceed)
      return false
    }
    if isAdmitted { proceed() }
  }

  func leave() {
    let next = state.withLock { state in
      let next = state.waiting.popFirst()
      if next == nil { state.free += 1 }
      return next
    }
    next?()
  }
}
