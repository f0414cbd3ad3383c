extension Observable {
  /// Emits the last `count` elements when the stream completes.
  ///
  ///     a--b--c--|
  ///     ---------(bc|)   takeLast(2)
  /// ```
  /// Observable.from(1...9).takeLast(2)  // 8, 9, |
  /// ```
  public func takeLast(_ count: Int) -> Observable {
    Observable { [self] downstream, subscription in
      attach(TakeLastObserver(downstream, subscription, count), in: subscription)
    }
  }
}

private final class TakeLastObserver<Element: Sendable>: HoldingStage {
  let downstream: any Observer<Element>
  let subscription: Subscription
  let serializer: Serializer<Ring<Element>>

  init(_ downstream: any Observer<Element>, _ subscription: Subscription, _ count: Int) {
    self.downstream = downstream
    self.subscription = subscription
    serializer = Serializer(Ring(limit: count))
  }

  func close(_ termination: Termination) {
    guard case .completed = termination else { return }
    for value in serializer.state.takeAll() where !subscription.isDisposed { downstream.next(value) }
  }

  func accept(_ value: Element) {
    _ = serializer.state.append(value)
  }
}
