extension Observable {
  /// Emits the last `count` elements when the stream completes.
  ///
  ///     a--b--c--|
  ///     ---------(bc|)   takeLast(2)
  /// ```
  /// Observable.from(1...9).takeLast(2)  // 8, 9, |
  /// ```
  public func takeLast(_ count: Int) -> Observable {
    Observable { downstream, subscription in
      attach(TakeLastObserver(downstream, subscription, count), in: subscription)
    }
  }
}

private final class TakeLastObserver<Element: Sendable>: Stage {
  let downstream: any Observer<Element>
  private let subscription: Subscription
  private let turn: Turnstile<Ring<Element>>

  init(_ downstream: any Observer<Element>, _ subscription: Subscription, _ count: Int) {
    self.downstream = downstream
    self.subscription = subscription
    turn = Turnstile(Ring(limit: count))
  }

  func next(_ value: Element) {
    guard turn.enter() else { return turn.later { [self] in keep(value) } }
    keep(value)
    turn.leave()
  }

  func complete() {
    turn.pass { [self] in
      for value in turn.state.takeAll() {
        if subscription.isDisposed { return }
        downstream.next(value)
      }
      if !subscription.isDisposed { downstream.complete() }
    }
  }

  private func keep(_ value: Element) {
    _ = turn.state.append(value)
  }
}
