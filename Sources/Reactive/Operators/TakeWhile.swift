import Synchronization

extension Observable {
  /// Emits elements as long as they satisfy a condition, and completes at the first that does not.
  ///
  ///     1--2--3--4--|
  ///     1--2--|         take(while: { $0 < 3 })
  ///
  /// With `inclusive`, that element is emitted too.
  /// ```
  /// Observable.from(1...9).take(while: { $0 < 3 })  // 1, 2, |
  /// ```
  public func take(
    while condition: @escaping @Sendable (Element) throws -> Bool, inclusive: Bool = false
  ) -> Observable {
    Observable { [self] downstream, subscription in
      attach(TakeWhileObserver(downstream, subscription, condition, inclusive), in: subscription)
    }
  }
}

extension Observable {
  /// Emits elements until one satisfies a condition, and completes there.
  ///
  ///     1--2--3--4--|
  ///     1--2--|         take(until: { $0 > 2 })
  ///
  /// With `inclusive`, that element is emitted too, as it always is in RxJava.
  /// ```
  /// Observable.from(1...9).take(until: { $0 > 2 }, inclusive: true)  // 1, 2, 3, |
  /// ```
  public func take(
    until condition: @escaping @Sendable (Element) throws -> Bool, inclusive: Bool = false
  ) -> Observable {
    take(while: { try !condition($0) }, inclusive: inclusive)
  }
}

private final class TakeWhileObserver<Element: Sendable>: Stage {
  let downstream: any Observer<Element>
  private let subscription: Subscription
  private let condition: @Sendable (Element) throws -> Bool
  private let inclusive: Bool
  private let over = Atomic<Bool>(false)

  init(
    _ downstream: any Observer<Element>, _ subscription: Subscription,
    _ condition: @escaping @Sendable (Element) throws -> Bool, _ inclusive: Bool
  ) {
    self.downstream = downstream
    self.subscription = subscription
    self.condition = condition
    self.inclusive = inclusive
  }

  func next(_ value: Element) {
    if over.load(ordering: .relaxed) { return }
    let holds: Bool
    do { holds = try condition(value) } catch {
      over.store(true, ordering: .relaxed)
      return downstream.fail(error)
    }
    if holds { return downstream.next(value) }
    over.store(true, ordering: .relaxed)
    if inclusive { downstream.next(value) }
    if !subscription.isDisposed { downstream.complete() }
  }

  func fail(_ error: any Error) {
    if !over.load(ordering: .relaxed) { downstream.fail(error) }
  }

  func complete() {
    if !over.load(ordering: .relaxed) { downstream.complete() }
  }
}
