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
    Observable { [self] downstream, subscription in
      let outlet = SerializedOutlet(downstream)
      other.feed(subscription) { SignalInput($0, outlet) }
      if !subscription.isDisposed { attach(outlet, in: subscription) }
    }
  }
}

/// The first element of another stream ends the stream.
extension SerializedOutlet: SignalledOwner {
  func signal() { complete() }
}

extension Observable {
  /// Emits what comes within a duration, and completes at its end.
  ///
  ///     a--b--c--d--|
  ///     a--b--c|        take(for: .seconds(7), on: clock)
  /// ```
  /// Observable.interval(.seconds(1), on: clock).take(for: .milliseconds(2500), on: clock)  // 0, 1, |
  /// ```
  public func take(for duration: Duration, on scheduler: any Scheduler) -> Observable {
    take(until: .timer(after: duration, on: scheduler) as Observable<Int>)
  }
}
