import Language
import System
import JSON
import Reactive
import Store

extension StepContext {
  /// The fate of stored state when the key expression of a step has changed.
  public enum KeyChange: Sendable {
    /// It is discarded: it is useless under other keys.
    case forget
    /// It stays, and waits for its time under the old keys.
    case keep
  }

  /// The part of a step's state for events that wait, which are not counted as keys that it holds.
  public static let waiting = "waiting"

  /// The answer of the step to more than it may hold.
  public var bound: StepBound { StepBound(meter, log, group) }

  /// When the run before this one ended or, after a kill, stored something last, by the clock of the lane; nil without
  /// such a run.
  public var endOfLastRun: Instant? {
    lane.checkpointer?.state.value.countsPauses = true
    return lane.checkpointer?.former?.instant
  }

  /// Whether the state of the step is durable.
  public var hasDurableState: Bool { lane.checkpointer != nil }

  /// The keyed state of the step; `part` distinguishes several tables of one step.
  public func state<Element: StorableValue>(
    of type: Element.Type = Element.self, by key: String, part: String? = nil, whenKeyChanges: KeyChange
  ) throws -> NodeState<Element> {
    NodeState(try table(of: type, by: key, part, whenKeyChanges, rows), bound)
  }

  /// State of a few keys that have nothing to do with those of events: every task of a partition has all of them.
  public func sharedState<Element: StorableValue>(
    of type: Element.Type = Element.self, by key: String, part: String
  ) throws -> NodeState<Element> {
    NodeState(try table(of: type, by: key, part, .keep, .copied), bound)
  }

  /// A single stored value: discarded when the key expression changes, with `forRun` also when a run has completed.
  public func cell<Element: StorableValue>(
    of type: Element.Type = Element.self, part: String? = nil, by key: String = "", forRun: Bool = false
  ) throws -> NodeCell<Element> {
    let table = try table(of: type, by: key, part, .forget, .copied, isOrdered: NodeCell<Element>.isOrdered)
    if forRun, let table { lane.checkpointer?.state.value.runTables.append(RunScopedTable(table: table)) }
    return NodeCell(table)
  }

  /// The durable copy of a queue that the step has in memory; discarded when the key expression changes, if there is one.
  public func queue<Element: StorableValue>(
    of type: Element.Type = Element.self, part: String? = nil, by key: String = ""
  ) throws -> NodeQueue<Element> {
    NodeQueue(try table(of: type, by: key, part, key.isEmpty ? .keep : .forget, .queued))
  }

  /// An unordered table under byte keys; nil without state.
  public func bytes(by key: String, part: String? = nil, whenKeyChanges: KeyChange) throws -> KeyedTable? {
    guard let checkpointer = lane.checkpointer else { return nil }
    try divide(part, rows, checkpointer)
    let table = try checkpointer.state.value.file.table(
      node: node(part), description: description(key), isOrdered: false, shares: place?.count ?? 1)
    notice(table.formerDescription, description(key), count: table.count, whenKeyChanges) {
      table.removeAll()
    }
    return table
  }

  /// Whether what the step has stored may lack a form that later versions give it; asked once, as it has the form then.
  public func lacksForm(_ form: String, part: String) throws -> Bool {
    guard let checkpointer = lane.checkpointer else { return false }
    let name = "\(form) of \(node(part))"
    if try checkpointer.fact(Checkpointer.owner, name) != nil { return false }
    checkpointer.set(.integer(1), Checkpointer.owner, name, isLazy: true)
    return true
  }

  /// Whether a key belongs to this step's task; always where there is no partition, or the step has another key.
  public func owns(_ key: Value) -> Bool {
    guard let place, !place.hasFinerKey else { return true }
    return KeyHash.task(of: key.keyBytes, among: place.count) == place.number
  }

  private func table<Element: Storable>(
    of type: Element.Type, by key: String, _ part: String?, _ whenKeyChanges: KeyChange,
    _ sharing: StateFile.Sharing, isOrdered: Bool = true
  ) throws -> TypedTable<Element>? {
    guard let checkpointer = lane.checkpointer else { return nil }
    try divide(part, sharing, checkpointer)
    let table = try checkpointer.state.value.file.table(
      node: node(part), description: description(key), of: type, isOrdered: isOrdered,
      shares: place?.count ?? 1)
    notice(table.formerDescription, description(key), count: table.count, whenKeyChanges) {
      table.removeAll()
    }
    return table
  }

  private func node(_ part: String?) -> String {
    let node = part.map { "\(name)@\($0)" } ?? name
    guard let place else { return node }
    return StateFile.table(of: node, task: place.number, of: place.count)
  }

  /// The expressions that the state is keyed by; the rows of a step whose key is within that of the partition go
  /// by both.
  private func description(_ key: String) -> String {
    guard let place, place.hasFinerKey, !key.isEmpty else { return key }
    return "\(key) within \(place.key)"
  }

  /// How the rows of the step's state belong to tasks.
  private var rows: StateFile.Sharing {
    guard let place else { return .divided { _ in 0 } }
    if place.hasFinerKey { return .discarded }
    // The bytes of a key may be any that mean it.
    return .divided { KeyHash.task(of: Value(keyBytes: $0).keyBytes, among: place.count) }
  }

  /// Divides what is stored among as many tasks as there are now.
  private func divide(
    _ part: String?, _ sharing: StateFile.Sharing, _ checkpointer: Checkpointer
  ) throws {
    let node = part.map { "\(name)@\($0)" } ?? name
    let tasks = place?.count ?? 1
    guard let (before, keys) = try checkpointer.state.value.file.divide(node, among: tasks, sharing), keys > 0
    else { return }
    if case .discarded = sharing {
      let message = "its state was discarded: its key does not say to which of \(tasks) tasks it belongs"
      if place?.group.isFirst(message) ?? true { log.warning(message) }
    } else {
      checkpointer.reportDivision(from: before, to: tasks)
    }
  }

  private func notice(
    _ former: String?, _ key: String, count: Int, _ change: KeyChange, forget: () -> Void
  ) {
    guard let former, count > 0 else { return }
    if case .forget = change { forget() }
    let message =
      switch change {
      case .forget: "its key changed from \(former) to \(key): its state was discarded"
      case .keep: "its key was \(former) and is \(key) now: what waits goes by its old key"
      }
    // A step has several tables by one key.
    let isFirst =
      group?.isFirst(message)
      ?? lane.checkpointer?.state.value.keyChanges.insert("\(name): \(message)").inserted ?? true
    if isFirst { log.warning(message) }
  }
}

private struct RunScopedTable<Element: Storable>: RunScoped {
  let table: TypedTable<Element>
  func forget() { table.removeAll() }
}
