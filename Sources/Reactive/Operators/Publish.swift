/// A stream that many can subscribe to before it starts; `connect()` starts it, once, for all of them.
///
/// ```
/// let polls = source.publish()
/// let logging = polls.subscribe(next: { log($0) })
/// let counting = polls.subscribe(next: { count($0) })
/// let connection = polls.connect()
/// ```
///
/// A chain made of it, as any other, holds what it is made of, so that one who has only `polls.map { … }` still has the
/// source. A chain of `polls.observable` leaves the source to those who can connect to it.
public final class ConnectableObservable<Element: Sendable>: Observable<Element>, @unchecked Sendable {
  private let source: Observable<Element>
  private let broadcast: Broadcast<Element>
  private let connection = Connection()

  fileprivate init(_ source: Observable<Element>, _ broadcast: Broadcast<Element>) {
    self.source = source
    self.broadcast = broadcast
    super.init(attaching: { observer, subscription in broadcast.attach(observer, in: subscription) })
  }

  /// Starts the source; a second call gives the subscription of the first, while that lives.
  ///
  /// Once disposed, it can be connected again; once the source has ended, there is nothing to connect any more.
  @discardableResult
  public func connect() -> Subscription {
    connect { _ in }
  }

  private func connect(_ willStart: (Subscription) -> Void) -> Subscription {
    let (subscription, isFirst) = connection.open(unless: broadcast.isOver)
    if isFirst {
      willStart(subscription)
      source.subscribe(broadcast, in: subscription)
    }
    return subscription
  }

  /// Connects when the first subscriber comes, and stays connected until `connection` is disposed, with subscribers or
  /// without.
  public func autoconnect(in connection: Subscription = Subscription()) -> Observable<Element> {
    Observable { [self] observer, subscription in
      broadcast.attach(observer, in: subscription)
      _ = connect { connection.adopt($0) }
    }
  }

  /// Connects when the first subscriber comes, disconnects when the last one leaves, and connects again for the next.
  public func refCount() -> Observable<Element> {
    Observable { [self] observer, subscription in
      broadcast.attach(observer, in: subscription)
      connection.count(1)
      subscription.onDispose { [connection] in connection.count(-1) }
      if subscription.isDisposed { return }
      connect()
      connection.count(0)  // all may have left before there was a connection to end
    }
  }
}

private final class Connection: Sendable {
  private let subscription = Locked<Subscription?>(nil)
  private let subscribers = Locked(0)

  /// Counts subscribers that come or leave, and disconnects when there are none.
  func count(_ change: Int) {
    let unused = subscribers.withLock { subscribers in
      subscribers += change
      return subscribers == 0 ? take() : nil
    }
    unused?.dispose()
  }

  func open(unless isOver: Bool) -> (subscription: Subscription, isFirst: Bool) {
    subscription.withLock { open in
      if let open, isOver || !open.isDisposed { return (open, false) }
      let new = Subscription()
      if isOver {
        new.dispose()
        return (new, false)
      }
      open = new
      return (new, true)
    }
  }

  /// Takes the connection out, so that the next one to connect starts anew.
  private func take() -> Subscription? {
    subscription.withLock { open in
      defer { open = nil }
      return open
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

  /// Makes one subscription to the source serve all who are subscribed to a subject, from `connect()` on.
  ///
  /// `publish()` does so with a `PublishSubject`, `replay(_:)` with a `ReplaySubject`; here the subject may have others to
  /// feed it, and its subscribers before. The end of the source is that of the subject.
  /// ```
  /// Observable.from(1...2).multicast(BehaviorSubject(0)).autoconnect()  // 0, 1, 2, |
  /// ```
  public func multicast(_ subject: Subject<Element>) -> ConnectableObservable<Element> {
    ConnectableObservable(self, subject.broadcast)
  }
}
