/// The state machine of `throttle`: decides which elements of a fast stream get through; the time is handed in.
///
/// The first element opens a window of `period`; with `latest`, the last one in a window follows at its end, and opens
/// the next.
public struct ThrottleMachine<Element: Sendable>: Sendable {
  private let period: Duration
  private let latest: Bool
  /// When the window that is open ends, or the last one has.
  public private(set) var windowEnd: Instant?
  /// The element that waits for that.
  public private(set) var held: Element?

  /// Closed, or as another has left it.
  public init(period: Duration, latest: Bool, windowEnd: Instant? = nil, held: Element? = nil) {
    self.period = period
    self.latest = latest
    self.windowEnd = windowEnd
    self.held = held
  }

  /// When `due` should be asked: the end of the window, if an element waits for it.
  public var nextDeadline: Instant? { held == nil ? nil : windowEnd }

  /// Whether an element that comes now goes through; if not, it is kept for the window's end, or dropped.
  public mutating func accept(_ element: Element, at now: Instant) -> Bool {
    if let windowEnd, now < windowEnd {
      if latest { held = element }
      return false
    }
    held = nil
    windowEnd = now + period
    return true
  }

  /// Takes out the element whose window has ended.
  public mutating func due(at now: Instant) -> Element? {
    guard let windowEnd, now >= windowEnd, let element = held else { return nil }
    held = nil
    self.windowEnd = now + period
    return element
  }

  /// Takes out the element that waits, whether or not its time has come.
  public mutating func flush() -> Element? {
    defer { held = nil }
    return held
  }
}
