/// A stream that many can subscribe to before it starts; `connect()` starts it, once, for all of them.
///
/// ```
/// let polls = source.publish()
/// polls.observable.subscribe(next: { log($0) })
/// polls.observable.subscribe(next: { count($0) })
/// let connection = polls.connect()
/// ```
public struct ConnectableObservable<Element: Sendable>: Sendable {
  private let source: Observable<Element>
  private let broadcast: Broadcast<Element>
  private let connection = Connection()

  fileprivate init(_ source: Observable<Element>, _ broadcast: Broadcast<Element>) {
    self.source = source
    self.broadcast = broadcast
  }

  /// What the source emits while connected.
  public var observable: Observable<Element> {
    Observable { [broadcast] observer, subscription in broadcast.attach(observer, in: subscription) }
  }

  /// Starts the source; a second call gives the subscription of the first, while that lives.
  ///
  /// Once disposed, it can be connected again; once the source has ended, there is nothing to connect any more.
  @discardableResult
  public func connect() -> Subscription {
    let (subscription, isFirst) = connection.open(unless: broadcast.isOver)
    if isFirst { source.subscribe(broadcast, in: subscription) }
    return subscription
  }

  /// Connects when the first subscriber comes, and stays connected.
  public func autoconnect() -> Observable<Element> {
    Observable { observer, subscription in
      broadcast.attach(observer, in: subscription)
      connect()
    }
  }
}

private final class Connection: Sendable {
  private let subscription = Locked<Subscription?>(nil)

  func open(unless isOver: Bool) -> (subscription: Subscription, isFirst: Bool) {
    subscription.withLock { open in
      if let open, isOver || !open.isDisposed { return (open, false) }
      let new = Subscription()
      open = new
      return (new, true)
    }
  }
}

extension Observable {
  /// Makes one subscription to the source serve many, from `connect()` on; late ones miss what was before.
  ///
  ///     --a--b--c--|
  ///     --a--b--c--|   publish(), subscribed to at the start
  ///     -----b--c--|   the same, subscribed to later
  /// ```
  /// Observable.from(1...2).publish().autoconnect()  // 1, 2, |
  /// ```
  public func publish() -> ConnectableObservable<Element> {
    ConnectableObservable(self, Broadcast())
  }

  /// Makes one subscription to the source serve many; late ones get the last `limit` elements first.
  ///
  /// ```
  /// Observable.from(1...3).replay(2).autoconnect()  // 1, 2, 3, |
  /// ```
  public func replay(_ limit: Int) -> ConnectableObservable<Element> {
    ConnectableObservable(self, Broadcast(memory: max(0, limit)))
  }
}
