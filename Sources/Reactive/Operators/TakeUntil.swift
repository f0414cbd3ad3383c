extension Observable {
  /// Emits elements until another stream emits one.
  ///
  ///     a--b--c--d--|
  ///     -------x
  ///     a--b--c|        take(until: stop)
  /// ```
  /// Observable.from(1...3).take(until: Observable<Int>.never())  // 1, 2, 3, |
  /// ```
  public func take<Other: Sendable>(until other: Observable<Other>) -> Observable {
    Observable { downstream, subscription in
      let outlet = Outlet(downstream)
      other.feed(
        subscription, next: { _ in outlet.complete() }, fail: { outlet.fail($0) }, complete: {})
      if subscription.isDisposed { return }
      feed(
        subscription, next: { outlet.next($0) }, fail: { outlet.fail($0) }, complete: { outlet.complete() })
    }
  }
}
