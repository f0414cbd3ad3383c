import JSON
import Engine
import Language
import Reactive

/// What has come out of each node, by all lives of a pipeline together, in order: as far as its epoch was committed.
///
/// What happens is known to be kept when the commit behind it has returned. Of what a crash has cut off in a commit,
/// the next life says whether it is kept: by the number of the last epoch in its state.
final class Witness: Sendable {
  /// Something that came out of a node.
  struct Note: Sendable {
    let node: String
    /// An event, or the end of a poll.
    let event: Event
    /// Whether its poll was complete when it came by; a step may fail on a later event of it.
    let isOfCompletePoll: Bool

    init(_ node: String, _ event: Event) {
      (self.node, self.event) = (node, event)
      isOfCompletePoll = event.poll.isComplete
    }
  }

  /// What was put into an outbox.
  struct Output: Equatable, Sendable {
    let id: String
    let bytes: [UInt8]
  }

  struct Record: Sendable {
    var notes: [Note] = []
    var outputs: [Output] = []

    mutating func add(_ other: Record) {
      notes += other.notes
      outputs += other.outputs
    }
  }

  private struct State: Sendable {
    var kept = Record()
    /// What a commit is under way for, or was when the process ended.
    var doubtful: Record?
    var present = Record()
    /// What lives did and had not committed when they ended.
    var lost: [Note] = []
    var epoch: Int64 = 0
    var isListening = false
  }

  private let state = Locked(State())

  var kept: Record { state.withLock { $0.kept } }
  var lost: [Note] { state.withLock { $0.lost } }
  var epoch: Int64 { state.withLock { $0.epoch } }

  /// A life begins, with the last epoch that its state knows.
  func begin(at epoch: Int64) throws {
    try state.withLock { state in
      if let doubtful = state.doubtful, epoch == state.epoch + 1 {
        state.kept.add(doubtful)
      } else if epoch != state.epoch {
        throw Complaint("the state is at epoch \(epoch) where \(state.epoch) was committed")
      } else {
        state.lost += state.doubtful?.notes ?? []
      }
      state.lost += state.present.notes
      state.epoch = epoch
      (state.doubtful, state.present) = (nil, Record())
      state.isListening = true
    }
  }

  /// What the life does from now on is not observed.
  func end() { state.withLock { $0.isListening = false } }

  func note(_ node: String, _ event: Event) {
    state.withLock { if $0.isListening { $0.present.notes.append(Note(node, event)) } }
  }

  func put(_ output: Output) {
    state.withLock { if $0.isListening { $0.present.outputs.append(output) } }
  }

  func willCommit() {
    state.withLock { state in
      guard state.isListening else { return }
      (state.doubtful, state.present) = (state.present, Record())
    }
  }

  func didCommit() {
    state.withLock { state in
      guard state.isListening, let doubtful = state.doubtful else { return }
      state.kept.add(doubtful)
      state.doubtful = nil
      state.epoch += 1
    }
  }
}

/// What is wrong with what a pipeline has done.
struct Complaint: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
