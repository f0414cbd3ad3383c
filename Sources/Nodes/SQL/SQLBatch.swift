import JSON
import Store

/// Rows to write to a table together, as a sink stores them in its outbox: one value of JSON.
///
///     {"columns": ["key", "name"], "keys": 1, "set": [["a", "Vega"]], "remove": [["b"]], "whole": false}
struct SQLBatch {
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
  var place: SQLPlace?

  init(columns: [String], keys: Int) { (self.columns, self.keys) = (columns, keys) }

  /// Nil for an entry that another kind of sink has left.
  init?(stored bytes: [UInt8]) {
    guard let value = try? Value.parse(bytes), let names = value.member("columns")?.items,
      let keys = value.member("keys")?.double
    else { return nil }
    self.init(columns: names.compactMap(\.string), keys: Int(keys))
    set = value.member("set")?.items ?? []
    remove = value.member("remove")?.items ?? []
    isWhole = value.member("whole")?.isTruthy ?? false
  }

  var stored: [UInt8] {
    Value.record([
      ("columns", .array(columns.map { .string($0) })), ("keys", .number(keys)), ("set", .array(set)),
      ("remove", .array(remove)), ("whole", .bool(isWhole)),
    ]).json
  }

  /// The batch with one of its rows alone, counted through `set` and `remove`.
  func only(_ row: Int) -> SQLBatch {
    var one = self
    one.isWhole = false
    one.set = row < set.count ? [set[row]] : []
    one.remove = row < set.count ? [] : [remove[row - set.count]]
    return one
  }
}

/// The place of a batch among all that a sink writes, which the database stores with the rows: nothing is applied twice.
struct SQLPlace: Equatable {
  /// The table of flow's own in the database.
  static let table = "flow_positions"

  /// The pipeline and the sink.
  var sink: String
  /// The random name of the pipeline's state, in which places are unique; a dead letter has a name of its own.
  var life: String
  var output: OutputPlace

  /// A dead letter is beyond all indices of entries, so that several may come of one of them.
  private static let letters: Int64 = 1 << 32

  init(sink: String, life: String, _ output: OutputPlace) {
    (self.sink, self.output) = (sink, output)
    self.life = output.index < Self.letters ? life : "\(life) letter \(output.epoch) \(output.index)"
  }

  /// Whether it is that of a dead letter, which is retried.
  var isLetter: Bool { output.index >= Self.letters }

  /// The place of a dead letter: of a row, or of the whole batch.
  func letter(_ row: Int?) -> OutputPlace {
    if isLetter { return output }
    return OutputPlace(epoch: output.epoch, index: (output.index + 1) << 32 | Int64(row ?? 0xffff_ffff))
  }
}

/// A row that the database refuses.
struct SQLRefusal: Equatable {
  /// Which of the batches that were written together.
  var batch: Int
  var row: Int
  var reason: String

  init(batch: Int, row: Int, reason: String) { (self.batch, self.row, self.reason) = (batch, row, reason) }

  /// As it is stored beside the place of its transaction; nil for one of another batch.
  init?(stored: Value, of place: SQLPlace, batch: Int) {
    guard let items = stored.items, items.count == 4, let row = items[2].double,
      items[0] == .number(Int(place.output.epoch)), items[1] == .number(Int(place.output.index))
    else { return nil }
    self.init(batch: batch, row: Int(row), reason: items[3].string ?? "")
  }

  func stored(of place: SQLPlace) -> Value {
    .array([
      .number(Int(place.output.epoch)), .number(Int(place.output.index)), .number(row), .string(reason),
    ])
  }
}

/// What a sink writes to.
struct SQLTable {
  var name: String
  /// Whether it is made where it is missing.
  var isMade: Bool
}
