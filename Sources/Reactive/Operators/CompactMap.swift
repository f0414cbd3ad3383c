extension Observable {
  /// Turns each element into another or into nothing.
  ///
  ///     1--x--3--|
  ///     1-----3--|   compactMap { Int($0) }
  /// ```
  /// Observable.from(["1", "x", "3"]).compactMap { Int($0) }  // 1, 3, |
  /// ```
  public func compactMap<Output: Sendable>(
    _ transform: @escaping @Sendable (Element) throws -> Output?
  ) -> Observable<Output> {
    Observable<Output> { [self] downstream, subscription in
      attach(CompactMapObserver(downstream, transform), in: subscription)
    }
  }
}

private final class CompactMapObserver<Element: Sendable, Output: Sendable>: Stage {
  let downstream: any Observer<Output>
  private let transform: @Sendable (Element) throws -> Output?

  init(_ downstream: any Observer<Output>, _ transform: @escaping @Sendable (Element) throws -> Output?) {
    self.downstream = downstream
    self.transform = transform
  }

  @inline(__always)
  func next(_ value: Element) {
    do {
      if let output = try transform(value) { downstream.next(output) }
    } catch { downstream.fail(error) }
  }
}
