extension Observable {
  /// Combines the latest element of this stream with the latest of another, each time either emits; completes when both
  /// have.
  ///
  ///     a-----b--|
  ///     --1-2----|
  ///     --x-y-z--|   combineLatest(digits) { $0 + $1 }   x = a1, y = a2, z = b2
  /// ```
  /// Observable.just(1).combineLatest(Observable.from([10, 20])) { $0 + $1 }  // 11, 21, |
  /// ```
  public func combineLatest<Other: Sendable, Output: Sendable>(
    _ other: Observable<Other>, _ transform: @escaping @Sendable (Element, Other) throws -> Output
  ) -> Observable<Output> {
    Observable<Output> { [self] downstream, subscription in
      let pair = LatestPair(downstream, transform)
      feed(pair, subscription)
      if !subscription.isDisposed { other.feed(RightInput(pair), subscription) }
    }
  }
}

extension Observable {
  /// Combines the latest elements of two streams, each time either emits.
  ///
  /// ```
  /// Observable.combineLatest(Observable.just(1), Observable.just("a")) { "\($0)\($1)" }  // 1a, |
  /// ```
  public static func combineLatest<First: Sendable, Second: Sendable>(
    _ first: Observable<First>, _ second: Observable<Second>,
    _ transform: @escaping @Sendable (First, Second) throws -> Element
  ) -> Observable {
    first.combineLatest(second, transform)
  }
}

private final class RightInput<Left: Sendable, Right: Sendable, Output: Sendable>: InputOwner {
  private let pair: LatestPair<Left, Right, Output>

  init(_ pair: LatestPair<Left, Right, Output>) {
    self.pair = pair
  }

  func take(_ value: Right, at index: Int) { pair.right(value) }
  func fail(_ error: any Error, at index: Int) { pair.fail(error, at: index) }
  func close(_ index: Int) { pair.closeRight() }
}

/// The latest of both, and the input of the left ones.
private final class LatestPair<Left: Sendable, Right: Sendable, Output: Sendable>: SerializedOutput<Output>,
  InputOwner, @unchecked Sendable
{
  // Only inside the serializer:
  private let latestLeft = Unguarded<Left>()
  private let latestRight = Unguarded<Right>()
  private var open = (left: true, right: true)
  private let transform: @Sendable (Left, Right) throws -> Output

  init(
    _ downstream: any Observer<Output>, _ transform: @escaping @Sendable (Left, Right) throws -> Output
  ) {
    self.transform = transform
    super.init(downstream)
  }

  func take(_ value: Left, at index: Int) {
    turn(self, value) { $0.take(left: $1) }
  }

  func right(_ value: Right) {
    turn(self, value) { $0.take(right: $1) }
  }

  func close(_ index: Int) {
    pass { [self] in
      open.left = false
      if !open.right { end(.completed) }
    }
  }

  func closeRight() {
    pass { [self] in
      open.right = false
      if !open.left { end(.completed) }
    }
  }

  private func take(left value: Left) {
    latestLeft.fill(value)
    if !latestRight.isVacant { emit() } else if !open.right { end(.completed) }
  }

  private func take(right value: Right) {
    latestRight.fill(value)
    if !latestLeft.isVacant { emit() } else if !open.left { end(.completed) }
  }

  private func emit() {
    emit { try transform(latestLeft.value, latestRight.value) }
  }
}
