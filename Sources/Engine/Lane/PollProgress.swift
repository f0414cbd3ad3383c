import Language
import System
/// How far a poll is that is under way, for whoever waits for it at a terminal.
public struct PollProgress: Sendable, Equatable {
  /// What there is so far: “200 of 338 launches”.
  public var text: String
  /// What is waited for: “waiting for the budget of api.nasa.gov, next call”.
  public var wait: String?
  /// When that comes, in seconds since 1970.
  public var until: Double

  public init(_ text: String, wait: String? = nil, until: Double = 0) {
    self.text = text
    self.wait = wait
    self.until = until
  }
}
