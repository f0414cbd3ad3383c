/// The progress of a poll, or of a sink's output, for the line on the terminal.
public struct PollProgress: Sendable, Equatable {
  /// The progress: “200 of 338 launches”.
  public var text: String
  /// The wait: “waiting for the budget of api.nasa.gov, next call”.
  public var wait: String?
  /// When the wait ends, in seconds since 1970.
  public var until: Double
  /// Whether an attempt of the poll has failed, and another one follows.
  public var isRetry: Bool

  public init(_ text: String, wait: String? = nil, until: Double = 0, isRetry: Bool = false) {
    self.text = text
    self.wait = wait
    self.until = until
    self.isRetry = isRetry
  }
}
