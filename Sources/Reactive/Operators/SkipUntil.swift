import Synchronization

extension Observable {
  /// Skips elements until another stream emits one.
  ///
  ///     a--b--c--d--|
  ///     ----x
  ///     ------c--d--|   skip(until: start)
  /// ```
  /// Observable.from(1...3).skip(until: Observable.just("now"))  // 1, 2, 3, |
  /// ```
  public func skip<Other: Sendable>(until other: Observable<Other>) -> Observable {
    Observable { [self] downstream, subscription in
      let outlet = SerializedOutlet(downstream)
      let gate = Gate()
      other.take(1).feed(
        subscription, next: { _ in gate.open() }, fail: { outlet.fail($0) }, complete: {})
      if subscription.isDisposed { return }
      feed(
        subscription, next: { if gate.isOpen { outlet.next($0) } }, fail: { outlet.fail($0) },
        complete: { outlet.complete() })
    }
  }
}

private final class Gate: Sendable {
  private let opened = Atomic<Bool>(false)
  var isOpen: Bool { opened.load(ordering: .acquiring) }
  func open() { opened.store(true, ordering: .releasing) }
}

extension Observable {
  /// Skips what comes within a duration.
  ///
  ///     a--b--c--d--|
  ///     ------c--d--|   skip(for: .seconds(5), on: clock)
  /// ```
  /// Observable.interval(.seconds(1), on: clock).skip(for: .milliseconds(1500), on: clock).take(2)  // 1, 2, |
  /// ```
  public func skip(for duration: Duration, on scheduler: any Scheduler) -> Observable {
    skip(until: .timer(after: duration, on: scheduler) as Observable<Int>)
  }
}
