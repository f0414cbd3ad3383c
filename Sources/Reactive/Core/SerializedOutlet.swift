/// The output of an operator with several inputs: one call at a time, and nothing after a terminal.
///
/// The operators derive from it; `send`, `emit` and `end` are called inside the serializer.
class SerializedOutput<Element: Sendable>: DrainLoop, @unchecked Sendable {
  final let downstream: any Observer<Element>
  /// Whether a terminal has passed: only inside the serializer.
  @exclusivity(unchecked) final private(set) var isOver = false

  init(_ downstream: any Observer<Element>) {
    self.downstream = downstream
    super.init()
  }

  final func send(_ value: Element) {
    if !isOver { downstream.next(value) }
  }

  /// Sends what `make` returns, or ends with what it throws.
  @inline(__always)
  final func emit(_ make: () throws -> Element) {
    if isOver { return }
    do { downstream.next(try make()) } catch { end(.failed(error)) }
  }

  final func end(_ terminal: Termination) {
    if isOver { return }
    isOver = true
    terminal.deliver(to: downstream)
  }

  func fail(_ error: any Error) {
    pass { [self] in end(.failed(error)) }
  }

  func fail(_ error: any Error, at index: Int) { fail(error) }
}

/// The output alone, for operators that keep what else they have under a lock of their own.
final class SerializedOutlet<Element: Sendable>: SerializedOutput<Element>, Observer, InputOwner,
  @unchecked Sendable
{
  func next(_ value: Element) { turn(self, value) { $0.send($1) } }

  func complete() {
    pass { [self] in end(.completed) }
  }

  // As the owner of inputs, each of which ends the stream:
  func take(_ value: Element, at index: Int) { next(value) }
  func close(_ index: Int) { complete() }
}
