/// An observer inside a chain, which passes terminals straight on by default.
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
  associatedtype Turns: Turn
  /// The turn, with which its state may be used.
  var turn: Turns { get }

  /// Takes an element, with the turn.
  func accept(_ value: Element)
}

extension SerializedStage {
  /// Inlined into each stage, where the compiler knows what `turn` and `accept` are.
  @inline(__always)
  func next(_ value: Element) {
    guard turn.enter() else { return turn.later { [self] in accept(value) } }
    accept(value)
    turn.leave()
  }
}

/// A stage that holds elements back, and has something to do before a terminal goes on.
protocol HoldingStage: SerializedStage {
  var subscription: Subscription { get }

  /// Emits or drops what it holds, with the turn; the terminal follows, unless that ends the subscription.
  func close(_ termination: Termination)
}

extension HoldingStage {
  func fail(_ error: any Error) { end(.failed(error)) }
  func complete() { end(.completed) }

  private func end(_ termination: Termination) {
    turn.pass { [self] in
      close(termination)
      if !subscription.isDisposed { termination.deliver(to: downstream) }
    }
  }
}
