import Synchronization

extension Observable {
  /// Skips elements as long as they satisfy a condition.
  ///
  ///     1--2--3--1--|
  ///     ------3--1--|   skip(while: { $0 < 3 })
  /// ```
  /// Observable.from([1, 2, 3, 1]).skip(while: { $0 < 3 })  // 3, 1, |
  /// ```
  public func skip(while condition: @escaping @Sendable (Element) throws -> Bool) -> Observable {
    Observable { [self] downstream, subscription in
      attach(SkipWhileObserver(downstream, condition), in: subscription)
    }
  }
}

private final class SkipWhileObserver<Element: Sendable>: Stage {
  let downstream: any Observer<Element>
  private let condition: @Sendable (Element) throws -> Bool
  private let open = Atomic<Bool>(false)

  init(_ downstream: any Observer<Element>, _ condition: @escaping @Sendable (Element) throws -> Bool) {
    self.downstream = downstream
    self.condition = condition
  }

  func next(_ value: Element) {
    if !open.load(ordering: .relaxed) {
      do { if try condition(value) { return } } catch { return downstream.fail(error) }
      open.store(true, ordering: .relaxed)
    }
    downstream.next(value)
  }
}
