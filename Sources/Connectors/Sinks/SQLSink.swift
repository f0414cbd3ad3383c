import Delivery
import Engine
import JSON
import Language
import Reactive
import Store
import System

/// `sql`: keeps a table of a database equal to a list, or appends to one.
package let sqlSink = NodeSpec(
  "sql", "keep a table of a SQLite or PostgreSQL database equal to a list, or append to it",
  reference: .init(PackageResources.sql_sink_md, sharing: ["address": SQLAddress.details]),
  options: AnyOption.list(
    SQLSinkOptions.url, SQLSinkOptions.table, SQLSinkOptions.key, SQLSinkOptions.columns,
    SQLSinkOptions.removed, SQLSinkOptions.history, SQLSinkOptions.create, SQLSinkOptions.allowEmpty),
  hasDurableState: true,
  check: { options, checker in
    let keys = options[SQLSinkOptions.key].map(\.name)
    let columns = options[SQLSinkOptions.columns].map(\.name)
    if keys.isEmpty, !options[SQLSinkOptions.history] {
      checker.report("sql needs the key of a row", at: options.place, hint: "add key: .id, or history: true")
    }
    if let twin = Set(keys).intersection(columns).min() {
      checker.report(
        "the column \(twin) is that of the key too", at: options.place(of: SQLSinkOptions.columns),
        hint: "write key: { id: .id } for another column than key")
    }
    for (name, isGiven) in [
      ("removed", options.isGiven(SQLSinkOptions.removed)),
      ("allow_empty", options.isGiven(SQLSinkOptions.allowEmpty)),
    ] where isGiven && options[SQLSinkOptions.history] {
      checker.report("\(name) has no effect with history", at: options.place)
    }
  },
  .sink { options, context in try SQLSink(options, context) })

private enum SQLSinkOptions {
  static let url = Option.required(
    "url", SQLAddress.type,
    "the database: `sqlite:` and the path of a file, or the address of a PostgreSQL server",
    example: "sqlite:launches.db")
  static let table = Option.required("table", .text, "the table", example: "launches")
  static let key = Option(
    "key", keyType, default: "{}",
    "the value that identifies a row, in the column `key`, or a mapping of columns to such values",
    example: ".key")
  static let columns = Option(
    "columns", .mapping(of: .expression), default: "{}", "the other columns, and their values",
    example: "{ name: .after.name }")
  static let removed = Option(
    "removed", .expression, default: #".type? == "removed""#, "where this is true, the row is deleted")
  static let history = Option(
    "history", .boolean, default: "false", "whether rows are appended, and none is updated or deleted")
  static let create = Option(
    "create", .boolean, default: "false", "whether the table is made where it is missing")
  static let allowEmpty = Option(
    "allow_empty", .boolean, default: "false", "whether a poll without rows deletes all rows")

  /// An expression for the column `key`, or a mapping of columns.
  private static let keyType: OptionType<[KeyColumn]> = {
    let columns = OptionType<[Named<Expression>]>.mapping(of: .expression)
    return OptionType<[KeyColumn]>(
      "expression or mapping of expressions", sample: ".id", schema: .emptyObject
    ) { node, checker in
      if case .mapping = checker.resolved(node) {
        return columns.decode(node, checker)?.map { KeyColumn(name: $0.name, value: $0.value) }
      }
      return OptionType<Expression>.expression.decode(node, checker).map {
        [KeyColumn(name: "key", value: $0)]
      }
    }
  }()
}

/// A column of a table's key, and its value.
private struct KeyColumn: Sendable {
  let name: String
  let value: Expression
}

private final class SQLSink: DeliverySink {
  private let context: SinkContext
  private let transport: SQLTransport
  let queue: DeliveryQueue
  private let address: SQLAddress
  private let table: SQLTable
  private let key: [Evaluation]
  private let columns: [Evaluation]
  private let removed: Evaluation?
  private let allowsEmpty: Bool
  private let empty: SQLBatch
  /// The rows of the turn, the last of each key, and their places by key.
  private var rows: [(row: Value, isRemoved: Bool)] = []
  private var places: [Value: Int] = [:]
  /// The source whose polls are the list.
  private var source: String?
  private var isWhole = false
  /// Whether the database has more than the state, which is older; nil before they are compared.
  private var isStateOlder: Bool?

  init(_ options: Options, _ context: SinkContext) throws {
    self.context = context
    address = options[SQLSinkOptions.url]
    table = SQLTable(name: options[SQLSinkOptions.table], isMade: options[SQLSinkOptions.create])
    let (key, columns) = (options[SQLSinkOptions.key], options[SQLSinkOptions.columns])
    let isHistory = options[SQLSinkOptions.history]
    self.key = key.map { context.evaluation($0.value) }
    self.columns = columns.map { context.evaluation($0.value) }
    removed = isHistory ? nil : context.evaluation(options[SQLSinkOptions.removed])
    allowsEmpty = options[SQLSinkOptions.allowEmpty]
    empty = SQLBatch(columns: key.map(\.name) + columns.map(\.name), keys: isHistory ? 0 : key.count)
    transport = SQLTransport(address, table, context)
    queue = DeliveryQueue(
      DeliverySettings(concurrency: SQLTransport.most, queue: SQLTransport.most), context, transport)
    if isLive { try transport.check(empty) }
  }

  /// Whether rows are written at all.
  private var isLive: Bool { !context.isDryRun && !queue.isSuppressed }

  // MARK: - Events

  func take(_ event: Event) throws {
    let isRemoved = try removed?.isTrue(event) ?? false
    let key = try self.key.map { (try $0.first(event) ?? .null).detach() }
    if removed != nil, let null = key.firstIndex(of: .null) {
      throw Sentence("the key of this row is null, in the column \(empty.columns[null])")
    }
    let row = try isRemoved ? key : key + columns.map { (try $0.first(event) ?? .null).detach() }
    if context.isDryRun {
      let what = isRemoved ? "remove from" : removed == nil ? "append to" : "set in"
      return queue.dryRun.add(line: "\(what) \(table.name): \(Value.array(row))")
    }
    if isOfWholePoll(event.poll) { try checkSource(event.poll) }
    try queue.suppress()
    let entry = (row: Value.array(row), isRemoved)
    guard removed != nil else { return rows.append(entry) }
    if let place = places[.array(key)] {
      rows[place] = entry
    } else {
      places[.array(key)] = rows.count
      rows.append(entry)
    }
  }

  private func isOfWholePoll(_ poll: Poll) -> Bool {
    context.isGivenSnapshots && poll.number > 0 && removed != nil
  }

  private func checkSource(_ poll: Poll) throws {
    let name = poll.entry == nil ? poll.list : "\(poll.list), for each entry of a list"
    if poll.entry == nil, source ?? name == name { return source = name }
    throw Sentence(
      "whole polls come from \(quoted(name))\(source.map { " and \(quoted($0))" } ?? ""): put changes before this sink"
    )
  }

  func endPoll(_ poll: Poll) throws {
    guard isOfWholePoll(poll), isLive else { return }
    guard case .complete = poll.coverage, !poll.isMissingEvents, !poll.isStale, poll.entry == nil else {
      return context.log.detail("a poll that is not complete deletes nothing")
    }
    try checkSource(poll)
    if !allowsEmpty, rows.allSatisfy({ $0.isRemoved }) {
      return context.log.warning(
        "a poll without rows deletes nothing more; with allow_empty: true it deletes all rows")
    }
    isWhole = true
  }

  func endTurn() throws {
    if !rows.isEmpty || isWhole {
      var batch = empty
      for (row, isRemoved) in rows {
        if isRemoved { batch.remove.append(row) } else { batch.set.append(row) }
      }
      batch.isWhole = isWhole
      (rows, places, isWhole) = ([], [:], false)
      try queue.add(batch)
    }
    try queue.endTurn()
  }

  func finish(by deadline: Instant) throws {
    try endTurn()
    try queue.finish(by: deadline)
  }

  // MARK: - Commits

  func recover(_ entries: [OutboxEntry]) throws {
    try compare()
    try queue.recover(entries)
  }

  /// A restored state would use epochs again that the database has seen already, and their rows would be left out; so it
  /// gets another id.
  func endReplay() throws {
    try compare()
    if isStateOlder == true { context.outbox?.renewIDs() }
  }

  func didCommit(_ entries: [OutboxEntry]) throws {
    transport.noteCommit()
    try queue.run(entries)
  }

  /// Compares the state with the database, before anything is written: one of them may come from a backup.
  private func compare() throws {
    guard let outbox = context.outbox, isStateOlder == nil, isLive else { return }
    let stored = try transport.epochs()
    let (committed, written) = try outbox.epochs()
    isStateOlder = (stored[outbox.stateID] ?? 0) > committed
    let isKnown = try transport.isKnown(to: outbox)
    if isStateOlder == true {
      context.log.warning(
        "the state is older than \(address.name): what was written since is written again as it comes again")
    } else if isKnown, let written,
      stored.isEmpty || stored[outbox.stateID].map({ $0 < written }) == true
    {
      context.log.warning(
        "\(address.name) has lost rows that were written: it is older than the state, or new; they do not come again by themselves: flow state reset begins from the start"
      )
    }
  }
}
