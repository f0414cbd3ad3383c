import Reactive

/// When a transfer has taken too long, and at what.
///
/// libcurl has no limit for the first byte, and one for stalls that counts in whole seconds; this has both.
struct TransferWatch: Sendable {
  private let limits: TransferLimits
  private let start: Instant
  private var connected: Instant?
  private var lastByte: Instant?

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

  /// When time runs out if nothing happens until then.
  var deadline: (at: Instant, phase: TransferPhase) {
    let step: (at: Instant, phase: TransferPhase) =
      if let lastByte { (lastByte + limits.stall, .stall) } else if let connected {
        (connected + limits.firstByte, .firstByte)
      } else { (start + limits.connect, .connect) }
    let end = start + limits.whole
    return step.at < end ? step : (end, .whole)
  }

  /// What it ran out at, if it has.
  func overrun(at now: Instant) -> TransferPhase? {
    let deadline = deadline
    return deadline.at <= now ? deadline.phase : nil
  }

  /// What a timeout of that kind is told as.
  func failure(_ phase: TransferPhase) -> TransferFailure {
    let words =
      switch phase {
      case .connect: "no connection within \(spoken(limits.connect))"
      case .firstByte: "connected, but no answer within \(spoken(limits.firstByte))"
      case .stall: "nothing more of the answer for \(spoken(limits.stall))"
      case .whole: "not done within \(spoken(limits.whole))"
      }
    return TransferFailure(.timeout(phase), words)
  }
}
