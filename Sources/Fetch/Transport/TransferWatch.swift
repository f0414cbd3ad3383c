import Reactive

/// The timeouts of a transfer, by phase.
///
/// libcurl has none for the first byte, and counts stalls in whole seconds only.
struct TransferWatch: Sendable {
  private let limits: TransferLimits
  private let start: Instant
  private var connected: Instant?
  private var lastByte: Instant?
  /// Whether the response has no limit as a whole.
  private var isEndless = false

  init(_ limits: TransferLimits, at now: Instant) {
    self.limits = limits
    start = now
  }

  var isConnected: Bool { connected != nil }

  mutating func connect(at now: Instant) {
    if connected == nil { connected = now }
  }

  mutating func receive(at now: Instant) {
    connect(at: now)
    lastByte = now
  }

  /// Removes the limit of the whole, for a response without an end.
  mutating func removeLimit() { isEndless = true }

  /// The next timeout, if nothing arrives before it.
  var deadline: (at: Instant, phase: TransferPhase) {
    let step: (at: Instant, phase: TransferPhase) =
      if let lastByte { (lastByte + limits.stall, .stall) } else if let connected {
        (connected + limits.firstByte, .firstByte)
      } else { (start + limits.connect, .connect) }
    let end = start + limits.whole
    return isEndless || step.at < end ? step : (end, .whole)
  }

  /// The phase whose limit is exceeded, if one is.
  func overrun(at now: Instant) -> TransferPhase? {
    let deadline = deadline
    return deadline.at <= now ? deadline.phase : nil
  }

  /// The error of a timeout.
  func failure(_ phase: TransferPhase) -> TransferError {
    let words =
      switch phase {
      case .connect: "no connection within \(spoken(limits.connect))"
      case .firstByte: "connected, but no response within \(spoken(limits.firstByte))"
      case .stall: "no more of the response for \(spoken(limits.stall))"
      case .whole: "not complete within \(spoken(limits.whole))"
      }
    return TransferError(.timeout(phase), words)
  }
}
