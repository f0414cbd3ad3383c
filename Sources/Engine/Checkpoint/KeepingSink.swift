import Language
import System
import Store

/// A sink that keeps a promise over the end of its process: what it is to write is kept before it writes it.
///
/// At the end of a turn it puts that into its outbox. Committed outputs return through `didCommit`; after a crash, first
/// through `recover`.
public protocol KeepingSink: Sink {
  /// Outputs that the last run committed and did not report as written, oldest first; called in batches.
  func recover(_ entries: [OutboxEntry]) throws
  /// Whether a file has lines of a killed run behind its mark: they are made again and compared before anything else is
  /// written.
  var hasUncommittedTail: Bool { get }
  /// All lines of a killed run have been made again.
  func endReplay() throws
  /// An epoch is about to be committed: says to the outbox what has been written.
  func willCommit() throws
  /// The entries have been kept, and can be written.
  func didCommit(_ entries: [OutboxEntry]) throws
}

extension KeepingSink {
  public var hasUncommittedTail: Bool { false }
  public func endReplay() throws {}
  public func willCommit() throws {}
}
