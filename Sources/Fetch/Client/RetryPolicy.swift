import Reactive
import System

/// The retry policy of fetches: whether a failed attempt is retried, and after which wait.
///
/// It retries transient errors of requests that may be repeated. Waits follow a back-off with jitter, or are what the
/// server asks for. Their sum never exceeds `patience`: a server that asks for more is not retried.
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

  /// No retries.
  public static let none = RetryPolicy(backoff: Backoff(attempts: 0))

  /// The wait before the next attempt; nil for none.
  ///
  /// - Parameters:
  ///   - tries: The number of attempts, the failed one included.
  ///   - waited: The sum of the waits between them.
  func wait(
    after error: FetchError, tries: Int, waited: Duration, canBeRepeated: Bool
  ) -> Duration? {
    guard error.mayPass, canBeRepeated || error.wasNotProcessed else { return nil }
    var backoff = backoff
    backoff.requested = { ($0 as? FetchError)?.requestedWait }
    guard let wait = backoff.delay(beforeRetry: tries - 1, after: error) else { return nil }
    return waited + wait <= patience ? wait : nil
  }
}

/// The longest wait that a server gets, in seconds, whatever it asks for: after that it is asked again.
let longestRequestedWait = 6 * 3600.0

/// The wait that a server asks for: from `Retry-After`, in seconds or as a date, or from a message such as Launch
/// Library's “Expected available in 1716 seconds.”; nil if it asks for none.
///
/// At most `longestRequestedWait`; zero for a date in the past.
func requestedWait(_ headers: Headers, serverMessage: String?, now: Double) -> Duration? {
  let seconds = headers["retry-after"].flatMap { after(header: $0, now: now) } ?? serverMessage.flatMap(after)
  return seconds.map { Duration(clamping: min($0, longestRequestedWait)) }
}

private func after(header: String, now: Double) -> Double? {
  let text = header.split(separator: " ").joined(separator: " ")
  if let seconds = Double(text), seconds.isFinite, seconds >= 0 { return seconds }
  return parseHTTPDate(text).map { max(0, $0 - now) }
}

private func after(serverMessage: String) -> Double? {
  let words = serverMessage.lowercased().split(separator: " ")
  for (place, word) in words.enumerated() where word.hasPrefix("second") && place >= 2 {
    if words[place - 2] == "in", let seconds = Double(words[place - 1]), seconds.isFinite, seconds >= 0 {
      return seconds
    }
  }
  return nil
}
