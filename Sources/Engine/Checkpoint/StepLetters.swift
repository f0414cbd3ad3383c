import Language
import Reactive
import Store
import System

/// The dead letters of a step: events that it has given up for good, and those that it is to try again.
///
/// 1. A letter is written with the epoch in which its event leaves the step.
/// 2. A letter that is retried goes to the outbox, under the name of the step. It leaves that with the epoch in which
///    the step stores the event again, so a crash in between repeats nothing and loses nothing.
public final class StepLetters: Sendable {
  private struct State {
    /// The entries of the outbox for the step.
    var returned: [OutboxEntry] = []
    var bell: (@Sendable () -> Void)?
  }

  let outbox: Outbox
  private let policy: ErrorPolicy
  private let meter: Meter
  private let log: NodeLog
  private let state: LaneLocal<State>

  init(_ outbox: Outbox, _ policy: ErrorPolicy, _ meter: Meter, _ log: NodeLog, from file: StateFile) throws {
    (self.outbox, self.policy, self.meter, self.log) = (outbox, policy, meter, log)
    var state = State()
    var last = OutputPlace(epoch: -1, index: 0)
    while case let entries = try file.outbox(sink: outbox.name, after: last), let end = entries.last {
      state.returned += entries
      last = end.place
    }
    self.state = LaneLocal(state)
  }

  /// Makes a dead letter of an event that leaves the step, unless its error policy has written it to a file.
  public func giveUp(_ event: Event, attempts: Int, reason: String) throws {
    if case .deadLetter = policy { return }
    try outbox.giveUp(event.stored, attempts: attempts, reason: reason)
    meter.countGivenUp()
  }

  /// The events of retried letters, which the step stores from now on.
  public func takeReturned() -> [Event] {
    let entries = state.value.returned
    state.value.returned = []
    return entries.compactMap { entry in
      guard let event = Event(stored: entry.bytes) else {
        let reason = "it is no event: a sink that had this name has left it"
        outbox.giveUp(entry, reason: reason)
        meter.countGivenUp()
        log.error("an entry is a dead letter now: \(reason)")
        return nil
      }
      outbox.remove(entry.place)
      return event
    }
  }

  /// Sets what is called when letters have returned.
  public func onReturn(_ bell: @escaping @Sendable () -> Void) { state.value.bell = bell }

  /// Notes what the committed epoch has returned to the step.
  func didCommit(_ epoch: Int64) {
    let entries = outbox.takeCommitted(epoch)
    if entries.isEmpty { return }
    state.value.returned += entries
    state.value.bell?()
  }
}

extension StepContext {
  /// The dead letters of the step; nil without state.
  public func deadLetters() throws -> StepLetters? {
    guard let checkpointer = lane.checkpointer else { return nil }
    let letters = try StepLetters(
      Outbox(name, pipeline: log.pipeline, checkpointer), onError, meter, log,
      from: checkpointer.state.value.file)
    checkpointer.state.value.letters.append(letters)
    return letters
  }
}
