import JSON

/// The kind of the reason why a poll or a connection of a source has failed.
public enum FailureKind: String, Sendable, JSONConvertible {
  /// The host cannot be found, refuses the connection, or breaks it off.
  case unreachable
  case timeout
  /// The server answers with an error status.
  case status
  /// The answer is not what was asked for: another format, or cut off.
  case format
  /// The answer is a page to sign in.
  case loginPage = "login page"
  /// The poll is put off: its budget is spent, or the server has asked for it.
  case waiting
  /// The last good answer is older than the `fresh` of the source.
  case tooOld = "too old"
  /// A step or sink fails on rows that it has not read before either.
  case rows
  /// A step or sink fails on all rows, or on rows that it could read before.
  case lostRows = "lost rows"
  case other

  init(of error: any Error) { self = (error as? any ClassifiedFailure)?.failureKind ?? .other }
}

/// An error that knows the kind of its reason; all others are `other`.
public protocol ClassifiedFailure: Error {
  var failureKind: FailureKind { get }
}
