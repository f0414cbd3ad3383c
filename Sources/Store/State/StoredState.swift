// What a `StateReader` tells of what a file holds.

/// A node's table, as of the last commit.
public struct StoredTable: Equatable, Sendable {
  public let node: String
  /// What its keys are: a key expression, say.
  public let description: String
  /// How many keys it has.
  public let count: Int
}

/// A key of a table and what is kept under it.
public struct StoredKey: Equatable, Sendable {
  public let key, value: [UInt8]
  /// Where it stands in the order of the writes; 0 in a table that has none.
  public let sequence: Int64
}

/// What a name stands for, and whose it is.
public struct StoredFact: Equatable, Sendable {
  public let owner, name: String
  public let value: Fact
}

/// How far a sink has come.
public struct StoredSink: Equatable, Sendable {
  public let name: String
  /// The last place that it has marked as written.
  public let written: OutputPlace?
  /// How many entries it is still to write, and how many it has given up on.
  public let waiting, dead: Int
}
