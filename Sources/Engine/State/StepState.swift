import Language
import System
import JSON
import Reactive
import Store

extension StepContext {
  /// What becomes of what a step remembers when its key expression is another than before.
  public enum KeyChange: Sendable {
    /// It is of no use under other keys.
    case forget
    /// It waits for its time, whatever its key.
    case keep
  }

  /// Whether what the step remembers is there for the next run.
  public var isKept: Bool { lane.checkpointer != nil }

  /// What the step remembers by key; `part` tells the tables of one step apart.
  public func state<Element: Remembered>(
    of type: Element.Type = Element.self, by key: String, part: String? = nil, whenKeyChanges: KeyChange
  ) throws -> NodeState<Element> {
    NodeState(try table(of: type, by: key, part, whenKeyChanges))
  }

  /// One thing that the step remembers: as long as it goes by a key, and with `forRun` until the run has come to its
  /// end.
  public func cell<Element: Remembered>(
    of type: Element.Type = Element.self, part: String? = nil, by key: String = "", forRun: Bool = false
  ) throws -> NodeCell<Element> {
    let table = try table(of: type, by: key, part, .forget)
    if forRun, let table { lane.checkpointer?.state.value.runTables.append(ForgottenTable(table: table)) }
    return NodeCell(table)
  }

  /// A queue that the step has in memory, as it is kept for the next run.
  public func queue<Element: Remembered>(
    of type: Element.Type = Element.self, part: String? = nil
  ) throws -> NodeQueue<Element> {
    NodeQueue(try table(of: type, by: "", part, .keep))
  }

  /// What the step has under keys that are bytes, in no order; nil where there is no state.
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
      log.warning("its key was \(former) and is \(key) now: what it remembered is forgotten")
    case .keep: log.warning("its key was \(former) and is \(key) now: what waits goes by its old key")
    }
  }
}

private struct ForgottenTable<Element: Storable>: Forgetful {
  let table: TypedTable<Element>
  func forget() { table.removeAll() }
}
