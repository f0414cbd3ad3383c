extension Observable {
  /// Combines the latest element of this stream with the latest of another, each time either emits.
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
      feed(
        subscription, next: { pair.left($0) }, fail: { pair.fail($0) }, complete: { pair.completeLeft() })
      if subscription.isDisposed { return }
      other.feed(
        subscription, next: { pair.right($0) }, fail: { pair.fail($0) }, complete: { pair.completeRight() })
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

private struct PairProgress: Sendable {
  var leftOpen = true
  var rightOpen = true
  var over = false
}

private final class LatestPair<Left: Sendable, Right: Sendable, Output: Sendable>: Sendable {
  private let turn = Serializer(PairProgress())
  private let latestLeft = Unguarded<Left>()
  private let latestRight = Unguarded<Right>()
  private let downstream: any Observer<Output>
  private let transform: @Sendable (Left, Right) throws -> Output

  init(
    _ downstream: any Observer<Output>, _ transform: @escaping @Sendable (Left, Right) throws -> Output
  ) {
    self.downstream = downstream
    self.transform = transform
  }

  func left(_ value: Left) {
    guard turn.enter() else { return turn.later { [self] in take(left: value) } }
    take(left: value)
    turn.leave()
  }

  func right(_ value: Right) {
    guard turn.enter() else { return turn.later { [self] in take(right: value) } }
    take(right: value)
    turn.leave()
  }

  func fail(_ error: any Error) {
    turn.pass { [self] in end(.failed(error)) }
  }

  func completeLeft() {
    turn.pass { [self] in
      turn.state.leftOpen = false
      if latestLeft.isVacant || !turn.state.rightOpen { end(.completed) }
    }
  }

  func completeRight() {
    turn.pass { [self] in
      turn.state.rightOpen = false
      if latestRight.isVacant || !turn.state.leftOpen { end(.completed) }
    }
  }

  private func take(left value: Left) {
    latestLeft.fill(value)
    if !latestRight.isVacant { emit() }
  }

  private func take(right value: Right) {
    latestRight.fill(value)
    if !latestLeft.isVacant { emit() }
  }

  private func emit() {
    if turn.state.over { return }
    let output: Output
    do { output = try transform(latestLeft.value, latestRight.value) } catch { return end(.failed(error)) }
    downstream.next(output)
  }

  private func end(_ terminal: Termination) {
    if turn.state.over { return }
    turn.state.over = true
    terminal.deliver(to: downstream)
  }
}
