import Synchronization

extension Observable {
  /// Emits the first `count` elements and completes.
  ///
  ///     a--b--c--d--|
  ///     a--(b|)         take(2)
  /// ```
  /// Observable.from(1...9).take(2)  // 1, 2, |
  /// ```
  public func take(_ count: Int) -> Observable {
    if count <= 0 { return .empty() }
    return Observable { [self] downstream, subscription in
      attach(TakeObserver(downstream, subscription, count), in: subscription)
    }
  }
}

private final class TakeObserver<Element: Sendable>: Stage {
  let downstream: any Observer<Element>
  private let subscription: Subscription
  private let left: Atomic<Int>

  init(_ downstream: any Observer<Element>, _ subscription: Subscription, _ count: Int) {
    self.downstream = downstream
    self.subscription = subscription
    left = Atomic(count)
  }

  func next(_ value: Element) {
    // Counted before the element goes on, so that one sent from inside its delivery is counted too.
    let left = left.subtract(1, ordering: .relaxed).newValue
    if left < 0 { return }
    downstream.next(value)
    if left == 0, !subscription.isDisposed { downstream.complete() }
  }

  func fail(_ error: any Error) {
    if left.load(ordering: .relaxed) > 0 { downstream.fail(error) }
  }

  func complete() {
    if left.load(ordering: .relaxed) > 0 { downstream.complete() }
  }
}

extension Observable {
  /// Emits the first element that satisfies a condition and completes.
  ///
  ///     1--2--3--|
  ///     ---(2|)      first(where: { $0 > 1 })
  /// ```
  /// Observable.from(1...9).first(where: { $0 > 3 })  // 4, |
  /// ```
  public func first(where condition: @escaping @Sendable (Element) throws -> Bool) -> Observable {
    filter(condition).take(1)
  }

  /// Emits the first element and completes.
  ///
  /// ```
  /// Observable.from(1...9).first()  // 1, |
  /// ```
  public func first() -> Observable {
    take(1)
  }
}
