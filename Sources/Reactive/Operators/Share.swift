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
  private let place = SharedPlace()
  /// Looked up once, not for each connection.
  private let types = (broadcast: Broadcast<Element>.self, member: Member<Element>.self)

  init(_ source: Observable<Element>, replay: Int) {
    self.source = source
    self.replay = replay
  }

  deinit {
    place.clear()
  }

  func join(_ observer: any Observer<Element>, _ subscription: Subscription) {
    let (open, connection) = place.enter {
      types.broadcast.init(memory: replay, to: $0, memberType: types.member)
    }
    let broadcast = known(open, as: Broadcast<Element>.self)
    broadcast.attach(observer, in: subscription)
    if let connection, !connection.isDisposed { source.attach(broadcast.observer, in: connection) }
  }
}

/// The place of the open connection of a shared stream: of no particular element type, so that it looks up none.
///
/// The members of a connection hold this to empty it when they have left, but not what is in it: their observers are.
private final class SharedPlace: Sendable {
  private struct Open: Sendable {
    let connection: SharedConnection
    let broadcast: any AnyObject & Sendable
  }

  private let open = Locked<Open?>(nil)

  /// Enters the open connection, or opens one with the broadcast that `make` makes; that one is still to be connected.
  func enter(
    _ make: (ObserverList) -> any AnyObject & Sendable
  ) -> (broadcast: any AnyObject & Sendable, toConnect: Subscription?) {
    let (present, isNew, dropped) = open.withLock { open in
      if let open, open.connection.admit() { return (open, false, nil as Open?) }
      let connection = SharedConnection(self)
      let new = Open(connection: connection, broadcast: make(connection))
      let old = open
      open = new
      return (new, true, old)
    }
    _ = dropped  // released outside the lock: its deinit may run any code
    return (present.broadcast, isNew ? present.connection.subscription : nil)
  }

  func clear(_ connection: ObserverList? = nil) {
    let dropped = open.withLock { open in
      if let connection, open?.connection !== connection { return nil as Open? }
      return open.take()
    }
    _ = dropped  // released outside the lock: its deinit may run any code
  }
}

/// One connection of a shared stream to the source, with those it serves.
private final class SharedConnection: ObserverList, @unchecked Sendable {
  let subscription = Subscription()
  private let place: SharedPlace
  /// Zero when the last one has left or the source has ended; no observer can join then.
  private let users = Atomic<Int>(1)

  init(_ place: SharedPlace) {
    self.place = place
  }

  func admit() -> Bool { change(by: 1) != nil }

  override func memberHasLeft() {
    if change(by: -1) == 0 { sourceHasEnded() }
  }

  override func sourceHasEnded() {
    users.store(0, ordering: .releasing)
    place.clear(self)
    subscription.dispose()
  }

  /// The new number of users; nil if the connection is over.
  private func change(by step: Int) -> Int? {
    var count = users.load(ordering: .relaxed)
    while count > 0 {
      let attempt = users.compareExchange(
        expected: count, desired: count + step, ordering: .acquiringAndReleasing)
      if attempt.exchanged { return count + step }
      count = attempt.original
    }
    return nil
  }
}
