/// The owner of an alarm, which it wakes.
package protocol AlarmOwner: AnyObject, Sendable {
  /// The time asked for has come.
  func ring()
}

/// The one timer of an operator, postponed again and again at the price of a comparison.
///
/// An operator such as `debounce` moves its deadline with each element. Only the time wanted is noted then; the timer
/// that is already set finds out when it fires, and sets itself again. It goes when the subscription ends.
package final class Alarm: TeardownTarget {
  private struct State: Sendable {
    var wanted: Instant?
    var timer: (due: Instant, subscription: Subscription)?
    var ended = false
  }

  private let scheduler: any Scheduler
  private let state = Locked(State())

  package init(on scheduler: any Scheduler, in subscription: Subscription) {
    self.scheduler = scheduler
    subscription.onDispose(self, 0)
  }

  package var now: Instant { scheduler.now }

  /// When it rings next; nil while it is not set.
  package var deadline: Instant? { state.withLock { $0.ended ? nil : $0.wanted } }

  /// Rings `owner` at `deadline` instead of when it was last asked for.
  package func set(at deadline: Instant, for owner: some AlarmOwner) {
    let late: Subscription?? = state.withLock { state in
      if state.ended { return nil }
      state.wanted = deadline
      if let timer = state.timer, timer.due <= deadline { return nil }
      defer { state.timer = nil }
      return .some(state.timer?.subscription)
    }
    guard let late else { return }
    late?.dispose()
    arm(at: deadline, for: owner)
  }

  /// Does not ring, until set again.
  package func clear() {
    state.withLock { $0.wanted = nil }
  }

  private func arm(at deadline: Instant, for owner: some AlarmOwner) {
    let subscription = scheduler.schedule(at: deadline) { [self, owner] in fire(owner) }
    let unused: Subscription? = state.withLock { state in
      if subscription.isDisposed { return nil }  // it has fired already
      if state.ended { return subscription }
      // Another call may have set one meanwhile: the earlier of the two stays.
      if let timer = state.timer, timer.due <= deadline { return subscription }
      defer { state.timer = (deadline, subscription) }
      return state.timer?.subscription
    }
    unused?.dispose()
  }

  private func fire(_ owner: some AlarmOwner) {
    let (rings, again) = state.withLock { state -> (Bool, Instant?) in
      state.timer = nil
      guard let wanted = state.wanted else { return (false, nil) }
      if wanted > scheduler.now { return (false, wanted) }
      state.wanted = nil
      return (true, nil)
    }
    if rings { owner.ring() }
    if let again { arm(at: again, for: owner) }
  }

  /// The subscription has ended.
  package func tearDown(_: Int) {
    let timer = state.withLock { state in
      defer { state.timer = nil }
      state.ended = true
      return state.timer
    }
    timer?.subscription.dispose()
  }
}
