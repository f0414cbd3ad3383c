/// A place for the subscription to the present one of several streams in turn, which another subscription ends.
///
/// It is no child of that, which would be put into a list and out of it with each stream.
final class CurrentSubscription: Sendable {
  private struct State: Sendable {
    var current: Subscription?
    var isOver = false
  }

  private let state = Locked(State())

  /// Ends the one before.
  func replace(with new: Subscription?) {
    let old = state.withLock { state in
      if state.isOver { return new }
      defer { state.current = new }
      return state.current
    }
    old?.dispose()
  }

  /// Takes no other from now on; returns the one to end.
  func close() -> Subscription? {
    state.withLock { state in
      state.isOver = true
      return state.current.take()
    }
  }
}
