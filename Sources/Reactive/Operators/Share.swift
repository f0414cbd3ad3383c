import Synchronization

extension Observable {
  /// Makes one subscription to the source serve all who are subscribed.
  ///
  /// It starts with the first and ends with the last of them. After that, or after the end of the source, the next
  /// one starts it again.
  ///
  ///     --a--b--c--|
  ///     --a--b--c--|   share(), subscribed to at the start
  ///     -----b--c--|   the same, subscribed to later
  ///
  /// With `replay`, a late subscriber gets that many of the last elements first. With the scope `forever` these stay when
  /// there are no subscribers, and the end stays too: later ones get both, and the source is not started again after it.
  /// ```
  /// Observable.from(1...2).share()  // 1, 2, |
  /// ```
  public func share(replay: Int = 0, scope: ShareScope = .whileConnected) -> Observable {
    if scope == .forever { return self.replay(replay).refCount() }
    let hub = Hub(self, replay: max(0, replay))
    return Observable { observer, subscription in hub.join(observer, subscription) }
  }
}

/// How long `share` keeps what it replays.
public enum ShareScope: Sendable {
  /// As long as there are subscribers.
  case whileConnected
  /// As long as the shared stream itself.
  case forever
}

private final class Hub<Element: Sendable>: Sendable {
  private let source: Observable<Element>
  private let replay: Int
  private let session = Locked<Session<Element>?>(nil)

  init(_ source: Observable<Element>, replay: Int) {
    self.source = source
    self.replay = replay
  }

  func join(_ observer: any Observer<Element>, _ subscription: Subscription) {
    let (session, isFirst) = self.session.withLock { current in
      if let open = current, open.enter() { return (open, false) }
      let new = Session<Element>(replay: replay)
      current = new
      return (new, true)
    }
    session.broadcast.attach(observer, in: subscription)
    subscription.onDispose { [weak self, weak session] in
      if let session, session.exit() { self?.forget(session) }
    }
    guard isFirst, !session.connection.isDisposed else { return }
    source.attach(SessionObserver(session), in: session.connection)
  }

  private func forget(_ session: Session<Element>) {
    self.session.withLock { if $0 === session { $0 = nil } }
  }
}

/// One connection to the source and those it serves.
private final class Session<Element: Sendable>: Sendable {
  let broadcast: Broadcast<Element>
  let connection = Subscription()
  /// Zero when the last one has left or the source has ended; no observer can join then.
  private let members = Atomic<Int>(1)

  init(replay: Int) {
    broadcast = Broadcast(memory: replay)
  }

  func enter() -> Bool { change(by: 1) != nil }

  /// True if the session is over.
  func exit() -> Bool {
    let left = change(by: -1) ?? 0
    if left == 0 { connection.dispose() }
    return left == 0
  }

  func close() {
    members.store(0, ordering: .releasing)
    connection.dispose()
  }

  /// The new number of members; nil if the session is over.
  private func change(by step: Int) -> Int? {
    var count = members.load(ordering: .relaxed)
    while count > 0 {
      let attempt = members.compareExchange(
        expected: count, desired: count + step, ordering: .acquiringAndReleasing)
      if attempt.exchanged { return count + step }
      count = attempt.original
    }
    return nil
  }
}

private final class SessionObserver<Element: Sendable>: Observer {
  private let session: Session<Element>

  init(_ session: Session<Element>) {
    self.session = session
  }

  func next(_ value: Element) { session.broadcast.next(value) }
  func next(batch: [Element]) { session.broadcast.next(batch: batch) }
  var takesBatches: Bool { true }

  func fail(_ error: any Error) {
    session.close()
    session.broadcast.fail(error)
  }

  func complete() {
    session.close()
    session.broadcast.complete()
  }
}
