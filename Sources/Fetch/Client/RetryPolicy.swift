import Reactive

/// Whether a fetch that failed is tried again, and when.
///
/// Only what may go away by itself, and only what may be asked twice. The waits grow, are drawn by chance between
/// nothing and the full wait, and are as long as the server asks where it asks for one. All of them together are no
/// longer than `patience`; a server that wants to be left alone for longer is.
public struct RetryPolicy: Sendable {
  public var backoff: Backoff
  public var patience: Duration

  public init(
    backoff: Backoff = Backoff(initial: .seconds(1), factor: 2, cap: .seconds(30), attempts: 3),
    patience: Duration = .seconds(120)
  ) {
    self.backoff = backoff
    self.patience = patience
  }

  /// No second try, whatever happens.
  public static let none = RetryPolicy(backoff: Backoff(attempts: 0))

  /// The wait before the next try; nil where there is none.
  ///
  /// - Parameters:
  ///   - tries: How many there were, the one that failed included.
  ///   - waited: How long the waits between them were.
  func wait(
    after error: FetchError, tries: Int, waited: Duration, canBeRepeated: Bool
  ) -> Duration? {
    guard error.mayPass, canBeRepeated || error.wasNotActedOn else { return nil }
    var backoff = backoff
    backoff.requested = { ($0 as? FetchError)?.requestedWait }
    guard let wait = backoff.delay(beforeRetry: tries - 1, after: error) else { return nil }
    return waited + wait <= patience ? wait : nil
  }
}
