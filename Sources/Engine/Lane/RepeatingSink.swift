import Reactive

/// A sink that repeats its output until a person acknowledges it.
public protocol RepeatingSink: Sink {
  /// The notifications that are repeated, the oldest first.
  var unacknowledged: [Unacknowledged] { get }
  /// Ends the repetition of keys; returns those that were repeated.
  func acknowledge(_ keys: Set<String>) throws -> [Unacknowledged]
}

/// An output that is repeated until it is acknowledged.
public struct Unacknowledged: Sendable, Equatable {
  public var pipeline = ""
  public var sink = ""
  public let key: String
  public let title: String
  /// When it was first sent, in seconds since 1970.
  public let since: Double
  /// How often it was sent.
  public let count: Int

  public init(key: String, title: String, since: Double, count: Int) {
    (self.key, self.title, self.since, self.count) = (key, title, since, count)
  }
}
