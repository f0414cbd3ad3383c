/// An observer inside a chain, which passes terminals straight on by default.
///
/// Where `next` has `@inline(__always)`, a dynamic call reaches it without a further jump: two nanoseconds an operator.
protocol Stage: Observer {
  associatedtype Output: Sendable
  var downstream: any Observer<Output> { get }
}

extension Stage {
  func fail(_ error: any Error) { downstream.fail(error) }
  func complete() { downstream.complete() }
}

/// A stage with state: its elements are taken one at a time, whichever threads they come from.
protocol SerializedStage: Stage {
  associatedtype Serializing: DrainLoop
  /// The serializer, with which its state may be used.
  var serializer: Serializing { get }

  /// Takes an element, inside the serializer.
  func accept(_ value: Element)
}

extension SerializedStage {
  /// Inlined into each stage, where the compiler knows what `serializer` and `accept` are; by `turn` it takes half as long
  /// again.
  @inline(__always)
  func next(_ value: Element) {
    guard serializer.enter() else { return serializer.later { [self] in accept(value) } }
    accept(value)
    serializer.leave()
  }
}

/// A stage that holds elements back, and has something to do before a terminal goes on.
protocol HoldingStage: SerializedStage {
  var subscription: Subscription { get }

  /// Emits or drops what it holds, inside the serializer; the terminal follows, unless that ends the subscription.
  func close(_ termination: Termination)
}

extension HoldingStage {
  /// An element after the end of the subscription is not left to the one inside: it may be the thread that ended it, here to
  /// drop what is held, and would not come back while others keep sending.
  @inline(__always)
  func next(_ value: Element) {
    guard serializer.enter() else { return later(value) }
    accept(value)
    serializer.leave()
  }

  @inline(never)
  private func later(_ value: Element) {
    if !subscription.isDisposed { serializer.later { [self] in accept(value) } }
  }

  func fail(_ error: any Error) { end(.failed(error)) }
  func complete() { end(.completed) }

  private func end(_ termination: Termination) {
    serializer.pass { [self] in
      close(termination)
      if !subscription.isDisposed { termination.deliver(to: downstream) }
    }
  }
}
