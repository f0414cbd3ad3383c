extension Observable {
  /// Turns an element into a stream and emits that; elements that come while it runs are discarded.
  ///
  ///     a-b------c------|
  ///     -1--2|                what a is turned into
  ///              -1--2|       what c is turned into
  ///     -1--2-----1--2--|     flatMapFirst { … }
  ///
  /// For polls: while one is under way, the next tick starts no other.
  /// ```
  /// Observable.from(1...3).flatMapFirst { Observable.just($0 * 10).delay(for: .seconds(1), on: clock) }  // 10, |
  /// ```
  public func flatMapFirst<Output: Sendable>(
    _ transform: @escaping @Sendable (Element) throws -> Observable<Output>
  ) -> Observable<Output> {
    Observable<Output> { [self] downstream, subscription in
      let observer = FlatMapFirstObserver(downstream, subscription, transform)
      attach(observer, in: observer.outer)
    }
  }
}

private final class FlatMapFirstObserver<Element: Sendable, Output: Sendable>: Observer, InputOwner {
  let outer: Subscription
  private let subscription: Subscription
  private let outlet: SerializedOutlet<Output>
  private let transform: @Sendable (Element) throws -> Observable<Output>
  private let state = Locked((busy: false, outerOpen: true))

  init(
    _ downstream: any Observer<Output>, _ subscription: Subscription,
    _ transform: @escaping @Sendable (Element) throws -> Observable<Output>
  ) {
    self.subscription = subscription
    self.transform = transform
    outlet = SerializedOutlet(downstream)
    outer = subscription.child()
  }

  func next(_ value: Element) {
    let starts = state.withLock { state in
      defer { state.busy = true }
      return !state.busy
    }
    guard starts else { return }
    let inner: Observable<Output>
    do { inner = try transform(value) } catch { return fail(error) }
    if inner.takeSole({ outlet.next($0) }) {
      if !subscription.isDisposed { finishInner() }
    } else {
      inner.feed(self, subscription)
    }
  }

  func fail(_ error: any Error) {
    outlet.fail(error)
    outer.dispose()
  }

  func complete() {
    outer.dispose()
    let busy = state.withLock { state in
      state.outerOpen = false
      return state.busy
    }
    if !busy { outlet.complete() }
  }

  // The inner stream:
  func take(_ value: Output, at index: Int) { outlet.next(value) }
  func fail(_ error: any Error, at index: Int) { fail(error) }
  func close(_ index: Int) { finishInner() }

  private func finishInner() {
    let outerOpen = state.withLock { state in
      state.busy = false
      return state.outerOpen
    }
    if !outerOpen { outlet.complete() }
  }
}
