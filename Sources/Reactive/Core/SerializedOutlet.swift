/// The serialised output of an operator with several inputs: one call at a time, and nothing after a terminal.
final class SerializedOutlet<Element: Sendable>: DrainLoop, Observer, @unchecked Sendable {
  private let downstream: any Observer<Element>
  /// Whether a terminal has passed: only inside the serializer.
  @exclusivity(unchecked) private var isOver = false

  init(_ downstream: any Observer<Element>) {
    self.downstream = downstream
  }

  func next(_ value: Element) {
    guard enter() else { return later { [self] in send(value) } }
    send(value)
    leave()
  }

  func fail(_ error: any Error) {
    pass { [self] in end(.failed(error)) }
  }

  func complete() {
    pass { [self] in end(.completed) }
  }

  private func send(_ value: Element) {
    if !isOver { downstream.next(value) }
  }

  private func end(_ terminal: Termination) {
    if isOver { return }
    isOver = true
    terminal.deliver(to: downstream)
  }
}

/// An outlet as the owner of inputs, each of which ends the stream.
extension SerializedOutlet: InputOwner {
  func take(_ value: Element, at index: Int) { next(value) }
  func fail(_ error: any Error, at index: Int) { fail(error) }
  func close(_ index: Int) { complete() }
}
