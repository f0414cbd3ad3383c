import Engine
import JSON
import Language

// The rules of the horizon: what a poll of a list shows about a row that it does not have.

/// The conclusions about a known row that a poll does not have.
enum Absence: Equatable {
  /// The poll would have had it.
  case gone
  /// It may lie beyond the horizon.
  case outOfSight
  /// Nothing: it may be one of those that the poll has left out.
  case unknown
}

/// The place of a row in the order of its source's list.
struct RowPlace: StorableValue, JSONRecord, Equatable {
  /// The order, as `RowOrder` writes it.
  let order: String
  let position: Value

  init(order: RowOrder, position: Value) { self.init(order: order.text, position: position) }

  private init(order: String, position: Value) { (self.order, self.position) = (order, position) }

  static let form = RecordForm<Self>(
    Self.init(order:position:), Field("order", \.order), Field("position", \.position))
}

extension Coverage {
  /// The conclusion of a poll about a known row that it does not have, and that was at this place when it was
  /// last seen.
  func absence(from place: RowPlace?) -> Absence {
    switch self {
    case .complete: .gone
    case .partial: .unknown
    case .truncated(let horizon):
      if let horizon, !horizon.moves, let place, place.order == horizon.order.text,
        horizon.covers(place.position)
      {
        .gone
      } else {
        .outOfSight
      }
    }
  }

  /// Whether a poll would have had this row, so that the row is new if the poll did not have it.
  ///
  /// In a list whose rows move, it may have been beyond the horizon. A row without a position, and one of a list whose
  /// order is not known, counts as new.
  func wouldShow(_ event: Event) -> Bool {
    switch self {
    case .complete, .truncated(nil): return true
    case .partial: return false
    case .truncated(let horizon?):
      if horizon.moves { return false }
      return event.position(in: horizon.order).map { horizon.covers($0) } ?? true
    }
  }

  /// The order in which places decide what is gone from a list: of a truncated list whose rows keep their positions.
  var fixedOrder: RowOrder? {
    if case .truncated(let horizon?) = self, !horizon.moves { horizon.order } else { nil }
  }
}
