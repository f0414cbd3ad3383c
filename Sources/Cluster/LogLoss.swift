/// Transactions that the servers had acknowledged, and do not have any more.
public struct LogLoss: Equatable, Sendable, CustomStringConvertible {
  public var first, last: Int64

  /// Nil where nothing is missing.
  init?(behind ordinal: Int64, through last: Int64) {
    guard ordinal < last else { return nil }
    (first, self.last) = (ordinal + 1, last)
  }

  public var description: String {
    let what =
      first == last
      ? "transaction \(last)"
      : first > 1 ? "the transactions \(first) to \(last)" : "all \(last) transactions"
    return "the servers have lost \(what) of its log, which they had stored"
  }
}
