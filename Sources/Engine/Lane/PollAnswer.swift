import JSON
import Language

/// The answer to a poll.
public struct PollAnswer: Sendable {
  public var rows: [Value]
  /// More for `$meta`, an object.
  public var notes: Value
  /// The time it was read, where that is not the time of the poll: in a recording.
  public var at: Double?
  /// How much of the list the rows are.
  public var coverage: Coverage
  /// A sentence about what the rows are not, and how to get it; for the status.
  public var hint: String?
  /// The value that the source stores for its next poll, in a later run: the member `memory` of its position.
  public var memory: Value?
  /// The value of `$last` in its templates at the next poll: the member `last` of its position.
  public var last: Value?

  public init(
    _ rows: [Value], notes: Value = .emptyObject, at: Double? = nil, coverage: Coverage = .complete,
    memory: Value? = nil
  ) {
    self.rows = rows
    self.notes = notes
    self.at = at
    self.coverage = coverage
    self.memory = memory
  }
}
