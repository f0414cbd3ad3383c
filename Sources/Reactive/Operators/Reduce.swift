extension Observable {
  /// Folds all elements into one value, emitted when the stream completes.
  ///
  ///     1--2--3--|
  ///     ---------(6|)   reduce(0) { $0 + $1 }
  /// ```
  /// Observable.from(1...4).reduce(0) { $0 + $1 }  // 10, |
  /// ```
  public func reduce<Value: Sendable>(
    _ initial: Value, _ accumulate: @escaping @Sendable (Value, Element) throws -> Value
  ) -> Observable<Value> {
    reduce(into: initial) { value, element in value = try accumulate(value, element) }
  }

  /// Folds all elements into one value in place, emitted when the stream completes.
  ///
  /// ```
  /// Observable.from(1...3).reduce(into: [Int]()) { $0.append($1) }  // [1, 2, 3], |
  /// ```
  public func reduce<Value: Sendable>(
    into initial: Value, _ accumulate: @escaping @Sendable (inout Value, Element) throws -> Void
  ) -> Observable<Value> {
    Observable<Value> { [self] downstream, subscription in
      attach(ReduceObserver(downstream, subscription, initial, accumulate), in: subscription)
    }
  }
}

private final class ReduceObserver<Element: Sendable, Value: Sendable>: HoldingStage {
  let downstream: any Observer<Value>
  let subscription: Subscription
  private let accumulate: @Sendable (inout Value, Element) throws -> Void
  let serializer: Serializer<Value>

  init(
    _ downstream: any Observer<Value>, _ subscription: Subscription, _ initial: Value,
    _ accumulate: @escaping @Sendable (inout Value, Element) throws -> Void
  ) {
    self.downstream = downstream
    self.subscription = subscription
    self.accumulate = accumulate
    serializer = Serializer(initial)
  }

  func close(_ termination: Termination) {
    if case .completed = termination { downstream.next(serializer.state) }
  }

  func accept(_ value: Element) {
    do { try accumulate(&serializer.state, value) } catch { downstream.fail(error) }
  }
}
