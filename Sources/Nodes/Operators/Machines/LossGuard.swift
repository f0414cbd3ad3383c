/// The guard against a sudden loss: decides whether a poll is accepted that lacks most of the known rows.
struct LossGuard: Sendable, Equatable {
  enum Decision: Equatable {
    case accept
    /// Nothing of the poll counts; the next one decides.
    case hold
    /// Only rows that are known count: what else the poll has may be as wrong as what it lacks.
    case acceptKnown
  }

  /// A loss is more than this share of the rows in sight, from 0 to 1.
  let share: Double
  /// With fewer rows in sight nothing is a loss.
  let rows: Int

  func isLoss(missing: Int, of count: Int) -> Bool {
    count >= rows && Double(missing) > share * Double(count)
  }

  /// The verdict on a poll that lacks `missing` of `count` rows.
  ///
  /// - Parameters:
  ///   - isWhole: Whether a row that it lacks cannot simply have been left out.
  ///   - isConfirming: Whether the poll before it was held back.
  func decide(missing: Int, of count: Int, isWhole: Bool, isConfirming: Bool) -> Decision {
    if !isLoss(missing: missing, of: count) { return .accept }
    if !isWhole { return .acceptKnown }
    return isConfirming ? .accept : .hold
  }
}
