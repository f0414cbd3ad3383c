import Delivery
import Engine
import JSON
import Store

/// Rows to write to a table together, as a sink stores them in its outbox: one value of JSON.
///
///     {"columns": ["key", "name"], "keys": 1, "set": [["a", "Vega"]], "remove": [["b"]], "whole": false}
struct SQLBatch: DeliveryItem {
  /// The columns of `set`; those of the key come first.
  var columns: [String]
  /// How many columns are the key; 0 where rows are appended.
  var keys: Int
  /// The values of rows that are inserted, or replace the row of their key.
  var set: [Value] = []
  /// The keys of rows that are removed.
  var remove: [Value] = []
  /// Whether rows with other keys are removed too.
  var isWhole = false
  /// Where it is in the outbox; nil without state.
  var output: SQLPlace?

  init(columns: [String], keys: Int) { (self.columns, self.keys) = (columns, keys) }

  /// Nil for an entry that another kind of sink has left.
  init?(jsonValue value: Value) {
    guard let names = value.member("columns")?.items, let keys = value.member("keys")?.double else {
      return nil
    }
    self.init(columns: names.compactMap(\.string), keys: Int(keys))
    set = value.member("set")?.items ?? []
    remove = value.member("remove")?.items ?? []
    isWhole = value.member("whole")?.isTruthy ?? false
  }

  var jsonValue: Value {
    .record([
      ("columns", .array(columns.map { .string($0) })), ("keys", .number(keys)), ("set", .array(set)),
      ("remove", .array(remove)), ("whole", .bool(isWhole)),
    ])
  }

  var event: Event? { nil }

  /// The rest of the batch after a refusal: the row alone, or all of them, but no longer instead of others.
  func refused(_ refusal: SQLRefusal) -> SQLBatch {
    var rest = self
    rest.isWhole = false
    guard let row = refusal.row else { return rest }
    rest.set = set.indices.contains(row) ? [set[row]] : []
    let removed = row - set.count
    rest.remove = refusal.key.map { [$0] } ?? (remove.indices.contains(removed) ? [remove[removed]] : [])
    return rest
  }
}

/// The place of a batch among all that a sink writes, which the database stores with the rows: nothing is applied twice.
struct SQLPlace: Equatable, Sendable {
  /// The table of flow's own in the database.
  static let table = "flow_positions"

  /// The pipeline and the sink.
  var sink: String
  /// The random id of the pipeline's state, in which places are unique; a dead letter has a name of its own.
  var stateID: String
  var output: OutputPlace

  /// The index of a dead letter is that of its entry and one in the upper half, and the row in the lower: indices of
  /// entries are less than this, so one of them can leave several letters.
  private static let letters: Int64 = 1 << 32
  /// The number of a row that means the whole batch.
  private static let allRows: Int64 = 0xffff_ffff

  init(sink: String, stateID: String, _ output: OutputPlace) {
    (self.sink, self.output) = (sink, output)
    self.stateID = output.index < Self.letters ? stateID : "\(stateID) letter \(output.epoch) \(output.index)"
  }

  /// Whether it is that of a dead letter of one row, which is retried at the same place.
  var isOfRow: Bool { output.index >= Self.letters && output.index & Self.allRows != Self.allRows }

  /// The statement that makes the table.
  static let creation =
    "CREATE TABLE IF NOT EXISTS \(table) (sink TEXT NOT NULL, life TEXT NOT NULL, epoch BIGINT NOT NULL,"
    + " position BIGINT NOT NULL, refused TEXT NOT NULL, PRIMARY KEY (sink, life))"

  /// The query of what was refused with this place or a later one, with signs for its four parameters.
  static func search(_ sign: (Int) -> String) -> String {
    "SELECT refused FROM \(table) WHERE sink = \(sign(1)) AND life = \(sign(2))"
      + " AND (epoch, position) >= (\(sign(3)), \(sign(4)))"
  }

  /// The statement that stores a place, with a sign for what was refused too.
  static func insertion(_ sign: (Int) -> String) -> String {
    "INSERT INTO \(table) VALUES (\((1...5).map(sign).joined(separator: ", "))) ON CONFLICT (sink, life)"
      + " DO UPDATE SET epoch = \(sign(3)), position = \(sign(4)), refused = \(sign(5))"
  }

  /// The place of a dead letter: of a row, or of the whole batch.
  func letter(_ row: Int?) -> OutputPlace {
    if isOfRow { return output }
    let batch = output.index < Self.letters ? (output.index + 1) << 32 : output.index & ~Self.allRows
    return OutputPlace(epoch: output.epoch, index: batch | (row.map { Int64($0) } ?? Self.allRows))
  }
}

/// Rows that the database refuses.
struct SQLRefusal: Sendable {
  /// Which of the batches that were written together.
  var batch: Int
  /// The row, counted through `set`, `remove` and those that a whole batch lacks; nil for all of them.
  var row: Int?
  /// The key of a row that the batch lacks, and that cannot be deleted.
  var key: Value?
  var reason: String

  init(batch: Int, row: Int?, key: Value? = nil, reason: String) {
    (self.batch, self.row, self.key, self.reason) = (batch, row, key, reason)
  }

  /// As it is stored beside the place of its transaction; nil for one of another batch.
  init?(stored: Value, of place: SQLPlace, batch: Int) {
    guard let items = stored.items, items.count == 5,
      items[0] == .number(Int(place.output.epoch)), items[1] == .number(Int(place.output.index))
    else { return nil }
    self.init(
      batch: batch, row: items[2].double.flatMap { Int(exactly: $0) },
      key: items[4].kind == .null ? nil : items[4], reason: items[3].string ?? "")
  }

  /// The refusals that are stored with a place, former ones and new ones.
  static func stored(_ refusals: [SQLRefusal], of batches: [SQLBatch], behind former: [Value]) -> String {
    let refused = refusals.compactMap { refusal in
      batches[refusal.batch].output.map { refusal.stored(of: $0) }
    }
    return Value.array(former + refused).description
  }

  func stored(of place: SQLPlace) -> Value {
    .array([
      .number(Int(place.output.epoch)), .number(Int(place.output.index)), row.map { .number($0) } ?? .null,
      .string(reason), key ?? .null,
    ])
  }
}

/// A table that a sink writes to.
struct SQLTable: Sendable {
  var name: String
  /// Whether it is made where it is missing.
  var isMade: Bool
}
