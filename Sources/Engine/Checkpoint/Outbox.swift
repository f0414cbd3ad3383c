import Language
import System
import JSON
import Reactive
import Store

/// The outbox of a sink: what it is about to write, and its way to the state of the pipeline; on the lane alone.
///
/// That of a step has its dead letters, see `StepLetters`.
public final class Outbox: Sendable {
  private enum Change {
    case put(OutboxEntry)
    case remove(OutputPlace)
    case written(OutputPlace)
    case giveUp(OutboxEntry, reason: String, at: Double)
    case resolve(DeadLetter, DeadLetterEnd)
  }

  private struct State {
    var outputs: [(id: String, bytes: [UInt8])] = []
    var pendingBytes = 0
    var changes: [Change] = []
    var serial: Int64?
  }

  let name: String
  private let pipeline: String
  let checkpointer: Checkpointer
  private let state = LaneLocal(State())

  init(_ name: String, pipeline: String, _ checkpointer: Checkpointer) {
    self.name = name
    self.pipeline = pipeline
    self.checkpointer = checkpointer
  }

  /// Whether what is written now can be regenerated after a crash, so that it need not be put here first.
  public var isInRepeatableEpoch: Bool { checkpointer.isInRepeatableEpoch }

  /// Whether output of the run before is being regenerated: it is compared as it comes.
  public var isRegenerating: Bool { checkpointer.isRegenerating }

  /// Stores an output with the present epoch; it comes back in `didCommit`.
  public func put(_ bytes: [UInt8], id: String = "") {
    state.value.outputs.append((id, bytes))
    state.value.pendingBytes += bytes.count + 64
  }

  /// Ends the present epoch with the present turn.
  public func endEpoch() { checkpointer.state.value.isUrgent = true }

  /// Stores nothing more in this run: the next one begins behind the last commit, as after a kill.
  public func breakOff() { checkpointer.breakOff() }

  /// Removes an entry that is done.
  public func remove(_ place: OutputPlace) { change(.remove(place)) }

  /// Marks all entries up to one as written; stored with the next epoch.
  public func markWritten(through place: OutputPlace) { state.value.changes.append(.written(place)) }

  /// Stores an entry again that failed, to be retried.
  public func retry(_ entry: OutboxEntry) { change(.put(entry)) }

  /// Moves an entry to the dead letters.
  public func giveUp(_ entry: OutboxEntry, reason: String) {
    change(.giveUp(entry, reason: reason, at: checkpointer.world.wallClock()))
  }

  /// Makes a dead letter of what was not in the outbox.
  func giveUp(_ bytes: [UInt8], attempts: Int, reason: String) throws {
    let id = try nextID()
    let place = OutputPlace(epoch: checkpointer.state.value.file.epoch, index: state.value.serial ?? 0)
    giveUp(OutboxEntry(sink: name, place: place, id: id, attempts: attempts, bytes: bytes), reason: reason)
  }

  /// Retries or drops a dead letter: with the next epoch, behind which a retried one comes back in `didCommit`.
  func resolve(_ letter: DeadLetter, by way: DeadLetterEnd) {
    let isKnown = state.value.changes.contains { change in
      if case .resolve(let known, _) = change { known.number == letter.number } else { false }
    }
    if !isKnown { change(.resolve(letter, way)) }
  }

  /// How far the sink has written, where the next epoch is still to store that.
  var unstoredMark: OutputPlace? {
    for case .written(let place) in state.value.changes.reversed() { return place }
    return nil
  }

  private func change(_ change: Change) {
    state.value.changes.append(change)
    checkpointer.touch()
  }

  /// The last epoch that the state has, and that up to which the sink had written as of then.
  public func epochs() throws -> (committed: Int64, written: Int64?) {
    let file = checkpointer.state.value.file
    return (file.epoch, try file.storedSinks().first { $0.name == name }?.written?.epoch)
  }

  /// The random id of the state, in which serial numbers are unique.
  public var stateID: String { checkpointer.stateID }

  /// Has the next ids differ from those of uncommitted output that stays; call it when regeneration ends.
  public func renewIDs() { checkpointer.renewStateID() }

  /// A unique id for an output, the same after a crash.
  public func nextID() throws -> String {
    let serial = try (state.value.serial ?? checkpointer.fact(name, "serial")?.integer ?? 0) + 1
    state.value.serial = serial
    checkpointer.set(.integer(serial), name, "serial")
    return "\(pipeline)/\(name)/\(checkpointer.stateID)-\(serial)"
  }

  /// The values that the sink has stored under names with this prefix.
  public func notes(beginning prefix: String) throws -> [(name: String, value: Value)] {
    try checkpointer.state.value.file.facts(owner: name).compactMap { fact in
      guard fact.name.hasPrefix(prefix), let text = fact.value.text, let value = try? Value.parse(text) else {
        return nil
      }
      return (String(fact.name.dropFirst(prefix.count)), value)
    }
  }

  /// Stores a value under a name with the present epoch; nil removes it.
  public func setNote(_ value: Value?, _ name: String) {
    checkpointer.set(value.map { .text($0.description) }, self.name, name)
  }

  // MARK: - Called by the checkpointer

  var hasOutputs: Bool { !state.value.outputs.isEmpty }
  var hasChanges: Bool { !state.value.changes.isEmpty }
  var pendingBytes: Int { state.value.pendingBytes }

  func write(to epoch: borrowing Epoch) throws(StoreError) {
    for change in state.value.changes {
      switch change {
      case .put(let entry): try epoch.put(entry)
      case .remove(let place): try epoch.remove(sink: name, at: place)
      case .written(let place): try epoch.markWritten(sink: name, through: place)
      case .giveUp(let entry, let reason, let time): try epoch.giveUp(entry, reason: reason, at: time)
      case .resolve(let letter, .retry): try epoch.retry(deadLetter: letter.number)
      case .resolve(let letter, .drop): try epoch.drop(deadLetter: letter.number)
      }
    }
    for entry in entries(epoch.number) { try epoch.put(entry) }
  }

  /// The entries that the committed epoch holds for this sink; dead letters that are retried come first.
  func takeCommitted(_ epoch: Int64) -> [OutboxEntry] {
    defer { state.value = State(serial: state.value.serial) }
    let retried = state.value.changes.compactMap { change -> OutboxEntry? in
      guard case .resolve(let letter, .retry) = change else { return nil }
      var entry = letter.entry
      (entry.attempts, entry.due) = (0, 0)
      return entry
    }
    return retried + entries(epoch)
  }

  private func entries(_ epoch: Int64) -> [OutboxEntry] {
    state.value.outputs.enumerated().map { index, output in
      OutboxEntry(
        sink: name, place: OutputPlace(epoch: epoch, index: Int64(index)), id: output.id, bytes: output.bytes)
    }
  }
}

/// How a dead letter ends.
package enum DeadLetterEnd: String, Sendable, CaseIterable {
  /// Its sink delivers it again, with the same id; its step takes the event again.
  case retry
  /// Its content is discarded.
  case drop
}
