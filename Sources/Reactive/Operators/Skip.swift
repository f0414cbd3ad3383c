import Synchronization

extension Observable {
  /// Skips the first `count` elements.
  ///
  ///     a--b--c--d--|
  ///     ------c--d--|   skip(2)
  /// ```
  /// Observable.from(1...4).skip(2)  // 3, 4, |
  /// ```
  public func skip(_ count: Int) -> Observable {
    Observable { [self] downstream, subscription in
      attach(SkipObserver(downstream, count), in: subscription)
    }
  }
}

private final class SkipObserver<Element: Sendable>: Stage {
  let downstream: any Observer<Element>
  private let left: Atomic<Int>

  init(_ downstream: any Observer<Element>, _ count: Int) {
    self.downstream = downstream
    left = Atomic(count)
  }

  func next(_ value: Element) {
    // Only the one caller of the moment writes, so a load and a store do.
    let left = left.load(ordering: .relaxed)
    if left <= 0 { return downstream.next(value) }
    self.left.store(left - 1, ordering: .relaxed)
  }
}
