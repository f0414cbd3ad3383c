extension Observable {
  /// Lets everything through, and calls the closures on the way: a place for side effects.
  ///
  ///     a--b--|
  ///     a--b--|   do(next: { … })
  /// ```
  /// Observable.from(1...2).do(next: { print($0) })  // 1, 2, |
  /// ```
  public func `do`(
    next: @escaping @Sendable (Element) throws -> Void = { _ in },
    fail: @escaping @Sendable (any Error) -> Void = { _ in },
    complete: @escaping @Sendable () -> Void = {},
    subscribe: @escaping @Sendable () -> Void = {},
    dispose: @escaping @Sendable () -> Void = {}
  ) -> Observable {
    Observable { [self] downstream, subscription in
      subscribe()
      subscription.onDispose(dispose)
      attach(DoObserver(downstream, next, fail, complete), in: subscription)
    }
  }
}

private final class DoObserver<Element: Sendable>: Stage {
  let downstream: any Observer<Element>
  private let onNext: @Sendable (Element) throws -> Void
  private let onFail: @Sendable (any Error) -> Void
  private let onComplete: @Sendable () -> Void

  init(
    _ downstream: any Observer<Element>, _ onNext: @escaping @Sendable (Element) throws -> Void,
    _ onFail: @escaping @Sendable (any Error) -> Void, _ onComplete: @escaping @Sendable () -> Void
  ) {
    self.downstream = downstream
    self.onNext = onNext
    self.onFail = onFail
    self.onComplete = onComplete
  }

  func next(_ value: Element) {
    do { try onNext(value) } catch { return downstream.fail(error) }
    downstream.next(value)
  }

  func fail(_ error: any Error) {
    onFail(error)
    downstream.fail(error)
  }

  func complete() {
    onComplete()
    downstream.complete()
  }
}

extension Observable {
  /// Lets everything through, and writes a line about each thing that happens.
  ///
  ///     a--b--|
  ///     a--b--|   debug("polls", to: { log($0) })
  /// ```
  /// Observable.just(1).debug("one", to: { print($0) })  // 1, |
  /// ```
  public func debug(_ label: String, to write: @escaping @Sendable (String) -> Void) -> Observable {
    `do`(
      next: { write("\(label): next \($0)") },
      fail: { write("\(label): fail \($0)") },
      complete: { write("\(label): complete") },
      subscribe: { write("\(label): subscribe") },
      dispose: { write("\(label): dispose") })
  }
}
