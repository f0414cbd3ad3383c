import JSON
import Language

/// A source that answers at given times: a recording, or the input of a test.
public protocol ScriptSource: AnyObject {
  /// The next answer, nil after the last; times do not go back.
  func next() throws -> ScriptedAnswer?
}

/// The answer of a source at a given time.
public struct ScriptedAnswer: Sendable {
  public enum Content: Sendable {
    /// The rows of a poll.
    case poll([Value])
    /// Events that are no snapshot.
    case events([Value])
    /// A poll that failed.
    case failure(String)
    /// A poll that had failed when it was recorded: a part of the recording, and no failure of this run.
    case recordedFailure(String)
    /// The source ends.
    case end
  }

  /// In seconds since 1970.
  public let at: Double
  public let content: Content
  /// More for `$meta`, an object.
  public let notes: Value
  /// How much of the list a poll has seen.
  public let coverage: Coverage

  public init(at: Double, _ content: Content, notes: Value = .emptyObject, coverage: Coverage = .complete) {
    self.at = at
    self.content = content
    self.notes = notes
    self.coverage = coverage
  }
}
