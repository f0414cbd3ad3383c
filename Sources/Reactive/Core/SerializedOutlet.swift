/// The serialised output of an operator with several inputs: one call at a time, and nothing after a terminal.
final class SerializedOutlet<Element: Sendable>: Observer {
  private let downstream: any Observer<Element>
  private let turn = Serializer(false)  // whether a terminal has passed

  init(_ downstream: any Observer<Element>) {
    self.downstream = downstream
  }

  func next(_ value: Element) {
    guard turn.enter() else { return turn.later { [self] in send(value) } }
    send(value)
    turn.leave()
  }

  /// Keeps what is sent back until `letGo`: true if nothing is being sent.
  func hold() -> Bool { turn.enter() }

  func letGo() { turn.leave() }

  func fail(_ error: any Error) {
    turn.pass { [self] in end(.failed(error)) }
  }

  func complete() {
    turn.pass { [self] in end(.completed) }
  }

  private func send(_ value: Element) {
    if !turn.state { downstream.next(value) }
  }

  private func end(_ terminal: Termination) {
    if turn.state { return }
    turn.state = true
    terminal.deliver(to: downstream)
  }
}

/// An outlet as the owner of inputs, each of which ends the stream.
extension SerializedOutlet: InputOwner {
  func take(_ value: Element, at index: Int) { next(value) }
  func fail(_ error: any Error, at index: Int) { fail(error) }
  func close(_ index: Int) { complete() }
}
