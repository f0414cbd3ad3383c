extension Observable {
  /// Folds each element into a running value and emits that value each time.
  ///
  ///     1--2--3--|
  ///     1--3--6--|   scan(0) { $0 + $1 }
  /// ```
  /// Observable.from(1...4).scan(0) { $0 + $1 }  // 1, 3, 6, 10, |
  /// ```
  public func scan<Value: Sendable>(
    _ initial: Value, _ accumulate: @escaping @Sendable (Value, Element) throws -> Value
  ) -> Observable<Value> {
    scan(into: initial) { value, element in value = try accumulate(value, element) }
  }

  /// Folds each element into a running value in place and emits that value each time.
  ///
  /// ```
  /// Observable.from(1...3).scan(into: [Int]()) { $0.append($1) }  // [1], [1, 2], [1, 2, 3], |
  /// ```
  public func scan<Value: Sendable>(
    into initial: Value, _ accumulate: @escaping @Sendable (inout Value, Element) throws -> Void
  ) -> Observable<Value> {
    Observable<Value> { [self] downstream, subscription in
      attach(ScanObserver(downstream, initial, accumulate), in: subscription)
    }
  }
}

private final class ScanObserver<Element: Sendable, Value: Sendable>: SerializedStage {
  let downstream: any Observer<Value>
  private let accumulate: @Sendable (inout Value, Element) throws -> Void
  let serializer: Serializer<Value>

  init(
    _ downstream: any Observer<Value>, _ initial: Value,
    _ accumulate: @escaping @Sendable (inout Value, Element) throws -> Void
  ) {
    self.downstream = downstream
    self.accumulate = accumulate
    serializer = Serializer(initial)
  }

  func accept(_ value: Element) {
    do { try accumulate(&serializer.state, value) } catch { return downstream.fail(error) }
    downstream.next(serializer.state)
  }
}
