extension Observable {
  /// Turns each element into a stream and emits the newest of them, disposing the one before.
  ///
  ///     a-b------|
  ///     -1--2|        what a is turned into
  ///       -3--4|      what b is turned into
  ///     -1-3--4--|    flatMapLatest { … }
  /// ```
  /// Observable.from(1...3).flatMapLatest { Observable.just($0 * 10).delay(for: .seconds(1), on: clock) }  // 30, |
  /// ```
  public func flatMapLatest<Output: Sendable>(
    _ transform: @escaping @Sendable (Element) throws -> Observable<Output>
  ) -> Observable<Output> {
    Observable<Output> { [self] downstream, subscription in
      let observer = FlatMapLatestObserver(downstream, subscription, transform)
      attach(observer, in: observer.outer)
    }
  }
}

private struct Latest: Sendable {
  /// The current inner stream; what an older one still emits is discarded.
  var running: Subscription?
  var outerOpen = true
  var over = false
}

private final class FlatMapLatestObserver<Element: Sendable, Output: Sendable>: Observer {
  let outer: Subscription
  private let downstream: any Observer<Output>
  private let subscription: Subscription
  private let transform: @Sendable (Element) throws -> Observable<Output>
  private let turn = Serializer(Latest())

  init(
    _ downstream: any Observer<Output>, _ subscription: Subscription,
    _ transform: @escaping @Sendable (Element) throws -> Observable<Output>
  ) {
    self.downstream = downstream
    self.subscription = subscription
    self.transform = transform
    outer = subscription.child()
  }

  func next(_ value: Element) {
    let inner: Observable<Output>
    do { inner = try transform(value) } catch { return fail(error) }
    if inner.takeSole({ joinSole($0) }) { return }
    let child = subscription.child()
    // Joining happens in turn, attaching after it: an inner stream that never pauses must find the way free.
    if turn.enter() {
      join(child)
      turn.leave()
    } else {
      turn.later { [self] in join(child) }
    }
    inner.attach(InnerObserver(self, child), in: child)
  }

  private func join(_ child: Subscription?) {
    turn.state.running?.dispose()
    turn.state.running = child
  }

  /// What `just` emits needs no subscription.
  private func joinSole(_ value: Output) {
    guard turn.enter() else { return turn.later { [self] in send(value) } }
    send(value)
    turn.leave()
  }

  private func send(_ value: Output) {
    join(nil)
    if !turn.state.over, !subscription.isDisposed { downstream.next(value) }
  }

  func fail(_ error: any Error) {
    turn.pass { [self] in end(.failed(error)) }
    outer.dispose()
  }

  func complete() {
    outer.dispose()
    turn.pass { [self] in
      turn.state.outerOpen = false
      if turn.state.running == nil { end(.completed) }
    }
  }

  private func end(_ terminal: Termination) {
    if turn.state.over { return }
    turn.state.over = true
    turn.state.running = nil
    terminal.deliver(to: downstream)
  }

  private func finish(_ child: Subscription) {
    child.dispose()
    turn.state.running = nil
    if !turn.state.outerOpen { end(.completed) }
  }

  private final class InnerObserver: Observer {
    private let parent: FlatMapLatestObserver
    private let child: Subscription

    init(_ parent: FlatMapLatestObserver, _ child: Subscription) {
      self.parent = parent
      self.child = child
    }

    private var isHeard: Bool { parent.turn.state.running === child }

    func next(_ value: Output) {
      guard parent.turn.enter() else { return parent.turn.later { [self] in send(value) } }
      send(value)
      parent.turn.leave()
    }

    func fail(_ error: any Error) {
      parent.turn.pass { [self] in
        if isHeard { parent.end(.failed(error)) }
      }
    }

    func complete() {
      guard parent.turn.enter() else { return parent.turn.later { [self] in finish() } }
      finish()
      parent.turn.leave()
    }

    private func finish() {
      if isHeard { parent.finish(child) }
    }

    private func send(_ value: Output) {
      if isHeard { parent.downstream.next(value) }
    }
  }
}

extension Observable {
  /// Emits the newest of the streams that this stream emits, disposing the one before.
  ///
  ///     A-B------|
  ///     -1--2|        A
  ///       -3--4|      B
  ///     -1-3--4--|    switchLatest()
  /// ```
  /// Observable.from([Observable.just(1), Observable.just(2)]).switchLatest()  // 1, 2, |
  /// ```
  public func switchLatest<Output: Sendable>() -> Observable<Output> where Element: Observable<Output> {
    flatMapLatest { $0 }
  }
}
