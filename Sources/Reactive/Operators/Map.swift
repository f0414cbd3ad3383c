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

  /// Turns each element into those that the closure emits: none, one or many.
  ///
  ///     1-----0--2---|
  ///     A--------BB--|   mapMany { number, emit in for _ in 0..<number { emit(letter) } }
  ///
  /// It is `transform` without a state, and so without turns: for elements that come one at a time.
  package func mapMany<Output: Sendable>(
    _ transform: @escaping @Sendable (Element, _ emit: (Output) -> Void) throws -> Void
  ) -> Observable<Output> {
    Observable<Output> { [self] downstream, subscription in
      attach(MapManyObserver(downstream, transform), in: subscription)
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

  @inline(__always)
  func next(_ value: Element) {
    // In one statement, the output is where the closure put it, and not moved out of `do` first.
    do { downstream.next(try transform(value)) } catch { downstream.fail(error) }
  }
}

private final class MapManyObserver<Element: Sendable, Output: Sendable>: Stage {
  let downstream: any Observer<Output>
  private let transform: @Sendable (Element, (Output) -> Void) throws -> Void

  init(
    _ downstream: any Observer<Output>,
    _ transform: @escaping @Sendable (Element, (Output) -> Void) throws -> Void
  ) {
    self.downstream = downstream
    self.transform = transform
  }

  @inline(__always)
  func next(_ value: Element) {
    do { try transform(value) { downstream.next($0) } } catch { downstream.fail(error) }
  }
}
