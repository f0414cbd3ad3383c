import Reactive
import Store

// The stored state of a sink: single values, and tables by key.

extension Outbox {
  /// A single stored value of the sink.
  public func cell<Element: StorableValue>(of type: Element.Type = Element.self) throws -> NodeCell<Element> {
    NodeCell(
      try checkpointer.state.value.file.table(
        node: name, description: "", of: type, isOrdered: NodeCell<Element>.isOrdered))
  }

  /// Keyed state of the sink; `part` distinguishes several tables of one sink.
  public func state<Element: StorableValue>(
    of type: Element.Type = Element.self, part: String
  ) throws -> NodeState<Element> {
    NodeState(try checkpointer.state.value.file.table(node: "\(name)@\(part)", description: "", of: type))
  }
}
