import JSON

/// The coverage of a poll: how much of its source's list the poll has seen.
///
/// Recordings, tests, stored state and `$meta` write it as members of an object:
///
///     "coverage": "complete"
///     "coverage": "truncated", "order": ".net", "last": "2026-12-31T00:00:00Z", "moves": true
///     "coverage": "partial"
public enum Coverage: Sendable, Equatable {
  /// The whole list: a row that is missing is gone.
  case complete
  /// The beginning of a list that goes on; nil where its order is not known.
  case truncated(Horizon?)
  /// Some rows of the list are missing, anywhere in it.
  case partial

  /// Nil where an object has no member `coverage`, or not one that `members` writes.
  public init?(_ object: Value) {
    switch object.member("coverage")?.string {
    case "complete": self = .complete
    case "truncated": self = .truncated(Horizon(object))
    case "partial": self = .partial
    default: return nil
    }
  }

  public var name: String {
    switch self {
    case .complete: "complete"
    case .truncated: "truncated"
    case .partial: "partial"
    }
  }

  /// The members that say it.
  public var members: [(String, Value)] {
    guard case .truncated(let horizon?) = self else { return [("coverage", .string(name))] }
    return [("coverage", .string(name))] + horizon.members
  }
}

/// The horizon of a truncated list: the position of the last row that the poll has seen.
public struct Horizon: Sendable, Equatable {
  public let order: RowOrder
  public let last: Value
  /// Whether a row may change its position, so that one that is missing may be beyond the horizon now.
  public let moves: Bool

  public init(order: RowOrder, last: Value, moves: Bool) {
    self.order = order
    self.last = last
    self.moves = moves
  }

  fileprivate init?(_ object: Value) {
    guard let order = object.member("order")?.string.flatMap({ RowOrder($0) }),
      let last = object.member("last")
    else { return nil }
    self.init(order: order, last: last, moves: object.member("moves")?.isTruthy ?? false)
  }

  fileprivate var members: [(String, Value)] {
    [("order", .string(order.text)), ("last", last)] + (moves ? [("moves", .bool(true))] : [])
  }

  /// Whether a row at this position is sure to be in the list: its rank among rows at the horizon itself is open.
  public func covers(_ position: Value) -> Bool {
    let order = Value.order(position, last)
    return self.order.isDescending ? order > 0 : order < 0
  }
}

/// The order of a list: a member of its rows, ascending, or descending with a minus sign: `.net`, `-.stats.date`.
public struct RowOrder: Sendable, Equatable {
  public let isDescending: Bool
  private let path: [String]

  /// Nil for text that names no member.
  public init?(_ text: String) {
    isDescending = text.hasPrefix("-")
    let places = text.dropFirst(isDescending ? 1 : 0)
    guard places.hasPrefix(".") else { return nil }
    path = places.dropFirst().split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let isName = { (name: String) in
      name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } && name.first?.isNumber == false
    }
    guard path.allSatisfy(isName) else { return nil }
  }

  public var text: String { (isDescending ? "-." : ".") + path.joined(separator: ".") }

  /// The position of a row; nil where it has none.
  public func position(of row: Value) -> Value? {
    var value = row
    for name in path {
      guard let member = value.member(name) else { return nil }
      value = member
    }
    return value.kind == .null ? nil : value
  }
}
