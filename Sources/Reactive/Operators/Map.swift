extension Observable {
  /// Turns each element into another.
  ///
  ///     a---b---c--|
  ///     A---B---C--|   map { $0.uppercased() }
  /// ```
  /// Observable.from(1...3).map { $0 * 2 }  // 2, 4, 6, |
  /// ```
  public func map<Output: Sendable>(
    _ transform: @escaping @Sendable (Element) throws -> Output
  ) -> Observable<Output> {
    Observable<Output> { [self] downstream, subscription in
      attach(MapObserver(downstream, transform), in: subscription)
    }
  }
}

private final class MapObserver<Element: Sendable, Output: Sendable>: Stage {
  let downstream: any Observer<Output>
  private let transform: @Sendable (Element) throws -> Output

  init(_ downstream: any Observer<Output>, _ transform: @escaping @Sendable (Element) throws -> Output) {
    self.downstream = downstream
    self.transform = transform
  }

  func next(_ value: Element) {
    let output: Output
    do { output = try transform(value) } catch { return downstream.fail(error) }
    downstream.next(output)
  }
}
