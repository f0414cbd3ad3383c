/// Where in the order of a pipeline's output something is: the epoch that made it, and its place among what the same
/// sink was handed in that epoch.
public struct OutputPlace: Hashable, Comparable, Sendable {
  public var epoch: Int64
  public var index: Int64

  public init(epoch: Int64, index: Int64) {
    self.epoch = epoch
    self.index = index
  }

  public static func < (a: OutputPlace, b: OutputPlace) -> Bool { (a.epoch, a.index) < (b.epoch, b.index) }
}

/// What a sink is still to write.
public struct OutboxEntry: Equatable, Sendable {
  public var sink: String
  public var place: OutputPlace
  /// What its receiver tells a repeat by.
  public var id: String
  /// How often it was tried in vain.
  public var attempts: Int
  /// When to try next, in seconds since 1970; 0 for at once.
  public var due: Double
  public var bytes: [UInt8]

  public init(
    sink: String, place: OutputPlace, id: String = "", attempts: Int = 0, due: Double = 0, bytes: [UInt8]
  ) {
    (self.sink, self.place, self.id) = (sink, place, id)
    (self.attempts, self.due, self.bytes) = (attempts, due, bytes)
  }
}

/// What a sink has given up on.
public struct DeadLetter: Equatable, Sendable {
  /// What it is called by; numbers are never used again.
  public var number: Int64
  public var entry: OutboxEntry
  /// When it was given up, in seconds since 1970.
  public var at: Double
  public var reason: String
}
