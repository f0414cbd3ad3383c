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
      let gate = Gate(downstream)
      other.take(1).feed(subscription) { SignalInput($0, gate) }
      if !subscription.isDisposed { attach(gate, in: subscription) }
    }
  }
}

private final class Gate<Element: Sendable>: Observer, SignalledOwner {
  private let outlet: SerializedOutlet<Element>
  private let isOpen = Atomic<Bool>(false)

  init(_ downstream: any Observer<Element>) {
    outlet = SerializedOutlet(downstream)
  }

  func signal() { isOpen.store(true, ordering: .releasing) }

  func next(_ value: Element) {
    if isOpen.load(ordering: .acquiring) { outlet.next(value) }
  }

  func fail(_ error: any Error) { outlet.fail(error) }
  func complete() { outlet.complete() }
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
