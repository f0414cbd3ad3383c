import JSON
import Reactive
import Store

/// A sink's way to the state of its pipeline; on the lane alone.
public final class Outbox: Sendable {
  private enum Change {
    case put(OutboxEntry)
    case remove(OutputPlace)
    case written(OutputPlace)
    case bury(OutboxEntry, reason: String, at: Double)
  }

  private struct State {
    var outputs: [(id: String, bytes: [UInt8])] = []
    var pendingBytes = 0
    var changes: [Change] = []
    var serial: Int64?
  }

  let name: String
  private let pipeline: String
  private let ledger: Ledger
  private let state = LaneLocal(State())

  init(_ name: String, pipeline: String, _ ledger: Ledger) {
    self.name = name
    self.pipeline = pipeline
    self.ledger = ledger
  }

  /// Whether what is written now can be made again after a crash, and need not be put here first.
  public var isInStretch: Bool { ledger.isInStretch }

  /// Whether what the run before has written is made again: it is to be compared as it comes.
  public var isRegenerating: Bool { ledger.isRegenerating }

  /// Keeps an output with the present epoch; it comes back by `didCommit`.
  public func put(_ bytes: [UInt8], id: String = "") {
    state.value.outputs.append((id, bytes))
    state.value.pendingBytes += bytes.count + 64
  }

  /// Has the present epoch end with the present turn.
  public func endEpoch() { ledger.state.value.isUrgent = true }

  /// An entry has been dealt with.
  public func remove(_ place: OutputPlace) { change(.remove(place)) }

  /// All up to an entry has been written; known to the state with the next epoch.
  public func markWritten(through place: OutputPlace) { state.value.changes.append(.written(place)) }

  /// An entry was tried in vain, and is to be tried again.
  public func retry(_ entry: OutboxEntry) { change(.put(entry)) }

  /// An entry is given up.
  public func bury(_ entry: OutboxEntry, reason: String) {
    change(.bury(entry, reason: reason, at: ledger.world.wallClock()))
  }

  private func change(_ change: Change) {
    state.value.changes.append(change)
    ledger.touch()
  }

  /// A name for an output that no other has, and that a run after a crash gives it again.
  public func nextID() throws -> String {
    let serial = try (state.value.serial ?? ledger.fact(name, "serial")?.integer ?? 0) + 1
    state.value.serial = serial
    ledger.set(.integer(serial), name, "serial")
    return "\(pipeline)/\(name)/\(ledger.life)-\(serial)"
  }

  /// All that the sink keeps under names that begin like this.
  public func notes(beginning prefix: String) throws -> [(name: String, value: Value)] {
    try ledger.state.value.file.facts(owner: name).compactMap { fact in
      guard fact.name.hasPrefix(prefix), let text = fact.value.text, let value = try? Value.parse(text) else {
        return nil
      }
      return (String(fact.name.dropFirst(prefix.count)), value)
    }
  }

  /// Keeps something under a name, with the present epoch; nil keeps nothing there.
  public func setNote(_ value: Value?, _ name: String) {
    ledger.set(value.map { .text($0.description) }, self.name, name)
  }

  /// One thing that the sink remembers.
  public func cell<Element: Remembered>(of type: Element.Type = Element.self) throws -> NodeCell<Element> {
    NodeCell(try ledger.state.value.file.table(node: name, description: "", of: type))
  }

  // MARK: - For the ledger

  var hasOutputs: Bool { !state.value.outputs.isEmpty }
  var hasChanges: Bool { !state.value.changes.isEmpty }
  var pendingBytes: Int { state.value.pendingBytes }

  func write(to epoch: borrowing Epoch) throws(StoreError) {
    for change in state.value.changes {
      switch change {
      case .put(let entry): try epoch.put(entry)
      case .remove(let place): try epoch.remove(sink: name, at: place)
      case .written(let place): try epoch.markWritten(sink: name, through: place)
      case .bury(let entry, let reason, let time): try epoch.bury(entry, reason: reason, at: time)
      }
    }
    for entry in entries(epoch.number) { try epoch.put(entry) }
  }

  /// The epoch has been committed; hands out what it keeps of this sink.
  func settle(_ epoch: Int64) -> [OutboxEntry] {
    defer { state.value = State(serial: state.value.serial) }
    return entries(epoch)
  }

  private func entries(_ epoch: Int64) -> [OutboxEntry] {
    state.value.outputs.enumerated().map { index, output in
      OutboxEntry(
        sink: name, place: OutputPlace(epoch: epoch, index: Int64(index)), id: output.id, bytes: output.bytes)
    }
  }
}

/// A sink whose outputs the ledger keeps, and how it is reached.
struct KeptSink: Sendable {
  let outbox: Outbox
  let observer: SinkObserver

  var isWaiting: Bool { outbox.hasOutputs }
  var pendingBytes: Int { outbox.pendingBytes }

  func hasSurplus() -> Bool { observer.keeping?.hasSurplus ?? false }

  func endReplay() { observer.keep { try $0.endReplay() } }

  func willCommit() throws { try observer.keeping?.willCommit() }

  func write(to epoch: borrowing Epoch) throws(StoreError) { try outbox.write(to: epoch) }

  func didCommit(_ epoch: Int64) {
    let entries = outbox.settle(epoch)
    observer.keep { try $0.didCommit(entries) }
  }

  func recover(from file: StateFile) throws {
    var last = OutputPlace(epoch: -1, index: 0)
    while case let entries = try file.outbox(sink: outbox.name, after: last, limit: 1000),
      let end = entries.last
    {
      observer.keep { try $0.recover(entries) }
      last = end.place
    }
  }
}
