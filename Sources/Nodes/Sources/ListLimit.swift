import JSON
import Language

/// The limit of a list: how many of its rows a poll reads, and the order in which they come.
struct ListLimit: Sendable {
  var rows: Int
  /// Nil where it is not known.
  var order: RowOrder?
  /// Whether a row may change its position.
  var moves = false

  /// A list that is read to its end.
  static let none = ListLimit(rows: .max)

  /// The coverage of a poll of which only the rows are known: as many as the limit are the beginning of a longer list.
  func coverage(of rows: [Value]) -> Coverage {
    rows.count < self.rows ? .complete : .truncated(horizon(of: rows))
  }

  /// The horizon behind these rows; nil where their order is not known, or not the one that was expected.
  func horizon(of rows: [Value]) -> Horizon? {
    guard let order, let positions = positions(of: rows), let last = positions.last else { return nil }
    for (one, next) in zip(positions, positions.dropFirst()) where isBehind(one, next, order) { return nil }
    return Horizon(order: order, last: last, moves: moves)
  }

  /// The rows in their order, where each has a position; rows at the same position stay as they are.
  func sorted(_ rows: [Value]) -> [Value] {
    guard let order, let positions = positions(of: rows) else { return rows }
    return rows.indices.sorted { isBehind(positions[$1], positions[$0], order) }.map { rows[$0] }
  }

  private func positions(of rows: [Value]) -> [Value]? {
    guard let order else { return nil }
    let positions = rows.compactMap { order.position(of: $0) }
    return positions.count == rows.count ? positions : nil
  }

  private func isBehind(_ one: Value, _ other: Value, _ order: RowOrder) -> Bool {
    let sign = Value.order(one, other)
    return order.isDescending ? sign < 0 : sign > 0
  }
}
