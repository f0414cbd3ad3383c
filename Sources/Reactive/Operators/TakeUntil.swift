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
      other.feed(StopSign(outlet), subscription)
      if !subscription.isDisposed { feed(outlet, subscription) }
    }
  }
}

/// The stream whose first element ends another.
private final class StopSign<Element: Sendable, Output: Sendable>: InputOwner {
  private let outlet: SerializedOutlet<Output>

  init(_ outlet: SerializedOutlet<Output>) {
    self.outlet = outlet
  }

  func take(_ value: Element, at index: Int) { outlet.complete() }
  func fail(_ error: any Error, at index: Int) { outlet.fail(error) }
  func close(_ index: Int) {}
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
