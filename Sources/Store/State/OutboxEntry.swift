/// A place in the order of a sink's output: the epoch, and the index within that epoch.
public struct OutputPlace: Hashable, Comparable, Sendable {
  public var epoch: Int64
  public var index: Int64

  public init(epoch: Int64, index: Int64) {
    self.epoch = epoch
    self.index = index
  }

  public static func < (a: OutputPlace, b: OutputPlace) -> Bool { (a.epoch, a.index) < (b.epoch, b.index) }
}

/// An output that a sink has still to write.
public struct OutboxEntry: Equatable, Sendable {
  public var sink: String
  public var place: OutputPlace
  /// The id by which its receiver recognises a repeat.
  public var id: String
  /// The number of failed attempts.
  public var attempts: Int
  /// The time of the next attempt, in seconds since 1970; 0 for at once.
  public var due: Double
  public var bytes: [UInt8]

  public init(
    sink: String, place: OutputPlace, id: String = "", attempts: Int = 0, due: Double = 0, bytes: [UInt8]
  ) {
    (self.sink, self.place, self.id) = (sink, place, id)
    (self.attempts, self.due, self.bytes) = (attempts, due, bytes)
  }
}

/// An entry that a sink has given up on.
public struct DeadLetter: Equatable, Sendable {
  /// Its number, which is never used again.
  public var number: Int64
  public var entry: OutboxEntry
  /// When the sink gave up, in seconds since 1970.
  public var at: Double
  public var reason: String
}
