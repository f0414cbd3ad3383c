import Language
import System
import JSON
import Reactive
import Store

extension StepContext {
  /// What happens to stored state when the key expression of a step has changed.
  public enum KeyChange: Sendable {
    /// It is discarded: it is useless under other keys.
    case forget
    /// It stays, and waits for its time under the old keys.
    case keep
  }

  /// Whether the state of the step is durable.
  public var isKept: Bool { lane.checkpointer != nil }

  /// The keyed state of the step; `part` distinguishes several tables of one step.
  public func state<Element: Remembered>(
    of type: Element.Type = Element.self, by key: String, part: String? = nil, whenKeyChanges: KeyChange
  ) throws -> NodeState<Element> {
    NodeState(try table(of: type, by: key, part, whenKeyChanges))
  }

  /// A single stored value: discarded when the key expression changes, with `forRun` also when a run has completed.
  public func cell<Element: Remembered>(
    of type: Element.Type = Element.self, part: String? = nil, by key: String = "", forRun: Bool = false
  ) throws -> NodeCell<Element> {
    let table = try table(of: type, by: key, part, .forget)
    if forRun, let table { lane.checkpointer?.state.value.runTables.append(ForgottenTable(table: table)) }
    return NodeCell(table)
  }

  /// The durable copy of a queue that the step has in memory; discarded when the key expression changes, if there is one.
  public func queue<Element: Remembered>(
    of type: Element.Type = Element.self, part: String? = nil, by key: String = ""
  ) throws -> NodeQueue<Element> {
    NodeQueue(try table(of: type, by: key, part, key.isEmpty ? .keep : .forget))
  }

  /// An unordered table under byte keys; nil without state.
  public func bytes(by key: String, part: String? = nil, whenKeyChanges: KeyChange) throws -> KeyedTable? {
    guard let checkpointer = lane.checkpointer else { return nil }
    let table = try checkpointer.state.value.file.table(node: node(part), description: key, isOrdered: false)
    notice(table.formerDescription, key, count: table.count, whenKeyChanges) { table.removeAll() }
    return table
  }

  private func table<Element: Storable>(
    of type: Element.Type, by key: String, _ part: String?, _ whenKeyChanges: KeyChange
  ) throws -> TypedTable<Element>? {
    guard let checkpointer = lane.checkpointer else { return nil }
    let table = try checkpointer.state.value.file.table(node: node(part), description: key, of: type)
    notice(table.formerDescription, key, count: table.count, whenKeyChanges) { table.removeAll() }
    return table
  }

  private func node(_ part: String?) -> String { part.map { "\(name)@\($0)" } ?? name }

  private func notice(
    _ former: String?, _ key: String, count: Int, _ change: KeyChange, forget: () -> Void
  ) {
    guard let former, count > 0 else { return }
    switch change {
    case .forget:
      forget()
      log.warning("its key changed from \(former) to \(key): its state was discarded")
    case .keep: log.warning("its key was \(former) and is \(key) now: what waits goes by its old key")
    }
  }
}

private struct ForgottenTable<Element: Storable>: Forgetful {
  let table: TypedTable<Element>
  func forget() { table.removeAll() }
}
