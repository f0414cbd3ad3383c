import Delivery
import Engine
import JSON
import Language
import System

/// `sql`: polls a query of a database; its rows are the events.
package let sqlSource = NodeSpec(
  "sql", "poll a query of a SQLite or PostgreSQL database",
  reference: .init(
    PackageResources.sql_source_md, sharing: ["each": EachOptions.details, "address": SQLAddress.details]),
  options: AnyOption.list(
    SQLOptions.url, SQLOptions.query, SQLOptions.params, SQLOptions.rows, SQLOptions.after,
    SQLOptions.overlap, SQLOptions.listen,
    EachOptions.each, EachOptions.whenGone, EachOptions.concurrency, EachOptions.note, SQLOptions.timeout,
    SQLOptions.maxSize),
  check: { options, checker in
    EachOptions.check(options, checker)
    let (query, place) = (options[SQLOptions.query], options.place(of: SQLOptions.query))
    if query.has("\\(") {
      checker.report(
        "a query is no template, so that data never becomes SQL", at: place,
        hint: "write a parameter, as in where id = :id, and its value in params: { id: '\\(.id)' }")
    }
    let names = SQLText(query).parameters
    let given = options[SQLOptions.params].map(\.name)
    for name in names where !given.contains(name) {
      checker.report(
        "params does not name :\(name)", at: place, hint: "add params: { \(name): … }")
    }
    for name in given where !names.contains(name) {
      checker.report("the query has no :\(name)", at: options.place(of: SQLOptions.params))
    }
    if options[SQLOptions.listen] != nil {
      let place = options.place(of: SQLOptions.listen)
      if options[SQLOptions.url].url == nil {
        checker.report("listen is for a PostgreSQL server, and this is a file", at: place)
      }
      if options.isGiven(EachOptions.each) { checker.report("listen does not go with each", at: place) }
    }
    if options.isGiven(SQLOptions.overlap), options[SQLOptions.after] == nil {
      checker.report("overlap has no effect without after", at: options.place(of: SQLOptions.overlap))
    }
  },
  .each(EachOptions.lists, .poll { options, context in SQLSource(options, context) })
).keepingPosition { $0[SQLOptions.after] != nil }

private enum SQLOptions {
  static let url = Option.required(
    "url", SQLAddress.type,
    "the database: `sqlite:` and the path of a file, or the address of a PostgreSQL server",
    example: "sqlite:shop.db")
  static let query = Option.required(
    "query", .text, "one statement that reads", example: "select * from items")
  static let params = Option(
    "params", .mapping(of: .valueTemplate(with: [LastPoll.variable])), default: "{}",
    "the values of its parameters, `:name`", example: "{ shop: $vars.shop }")
  static let rows = Option(
    "rows", .expression, default: ".[]", "an expression over the list of rows; its outputs are the rows")
  static let after = Option.optional(
    "after", .text, "the column by which only rows behind the last one are read", example: "id")
  static let overlap = Option(
    "overlap", .integer(1...10_000), default: "100", "with `after`, how many of the last rows are read again")
  static let listen = Option.optional(
    "listen", .text, "the channel of a PostgreSQL server whose notifications are polled upon at once",
    example: "items")
  static let timeout = Option("timeout", .duration, default: "30s", "how long a query may take")
  static let maxSize = Option("max_size", .size, default: "256MiB", "the size that the rows must not exceed")
}

private final class SQLSource: BlockingPollSource {
  private let options: Options
  private let context: SourceContext
  private let connection: any SQLConnection
  private let text: SQLText
  private let parameters: [(name: String, value: Evaluation)]
  private let rows: Evaluation?
  private let last: LastPoll
  private var window: SQLWindow?
  /// Whether the rows of the window are gone.
  private var isGone = false

  init(_ options: Options, _ context: SourceContext) {
    self.options = options
    self.context = context
    connection = options[SQLOptions.url].connection(on: context.world.disk, log: context.log)
    text = SQLText(options[SQLOptions.query])
    parameters = options[SQLOptions.params].map { ($0.name, context.evaluation($0.value)) }
    rows = options.isGiven(SQLOptions.rows) ? context.evaluation(options[SQLOptions.rows]) : nil
    last = LastPoll(options, context)
    if options[SQLOptions.after] != nil {
      window = SQLWindow(options[SQLOptions.overlap], context.position?.member("memory"))
    }
    if let channel = options[SQLOptions.listen], let url = options[SQLOptions.url].url, !context.isOnce {
      let listener = PostgreSQLListener(
        name: options[SQLOptions.url].name, url: url, channel: channel, stop: context.stop, log: context.log,
        notified: context.pollNow)
      if !listener.start() { context.log.warning("there is no thread to listen to \(channel) with") }
    }
  }

  func poll(_ poll: PollRequest) throws -> PollAnswer {
    let event = poll.templateEvent(context)
    var query = SQLQuery(
      text: text, timeout: options[SQLOptions.timeout], limit: options[SQLOptions.maxSize])
    for parameter in parameters {
      parameter.value.set(LastPoll.variable, last.value)
      query.parameters.append((parameter.name, try parameter.value.first(event) ?? .null))
    }
    if let column = options[SQLOptions.after] { query.after = (column, window?.from) }
    context.progress(PollProgress("running the query"))
    let found = try connection.read(query, stop: context.stop)
    if let from = window?.from, let column = options[SQLOptions.after] {
      if found.rows.isEmpty, !isGone {
        context.log.warning(
          "the rows from \(column) \(from) on, which were read, are gone: rows before it are not read, also where its numbers begin again"
        )
      }
      isGone = found.rows.isEmpty
    }
    var next = window
    var answer = PollAnswer(try next?.new(found) ?? found.rows)
    if found.isCut {
      if answer.rows.isEmpty {
        throw SQLFailure(
          options[SQLOptions.url].name,
          "the rows that are read again are larger than max_size: raise it, or set a smaller overlap")
      }
      context.log.notice(
        "max_size is reached after \(found.rows.count) rows; the others come with the next poll")
    }
    if let next { (answer.coverage, answer.memory) = (.partial, next.memory) }
    if let rows {
      let list = Event(.array(answer.rows), poll.poll())
      answer.rows = []
      try rows.each(list) { answer.rows.append($0) }
    }
    try last.note(answer.rows, of: poll)
    answer.last = last.value
    // Only now: what fails above is read again.
    window = next
    return answer
  }
}

/// The last rows that were read, which are read again: so rows that share a position, or were committed late, are found.
private struct SQLWindow {
  private let size: Int
  /// The position from which on rows are read.
  private(set) var from: Value?
  /// The hashes of the rows from there on that were sent.
  private var seen: Set<String> = []
  /// More rows than this cannot share one position.
  private static let most = 100_000

  /// The window as the last run has stored it.
  init(_ size: Int, _ memory: Value?) {
    self.size = size
    from = memory?.member("from")
    seen = Set(memory?.member("seen")?.items?.compactMap(\.string) ?? [])
  }

  var memory: Value? {
    from.map { .record([("from", $0), ("seen", .array(seen.sorted().map { .string($0) }))]) }
  }

  /// The rows that were not sent before; the window moves on.
  mutating func new(_ found: SQLRows) throws -> [Value] {
    if found.rows.isEmpty { return [] }
    let start = found.positions[max(0, found.positions.count - size)]
    let place = found.positions.firstIndex(of: start) ?? 0
    if found.positions.count - place > Self.most {
      throw Sentence(
        "more than \(Self.most) rows have the same value of after, \(start): name a column that differs more")
    }
    var (rows, missing, next): ([Value], Set<String>, Set<String>) = ([], seen, [])
    for (index, row) in found.rows.enumerated() {
      // Once all that were sent have come, only those of the next window need a hash.
      if missing.isEmpty, index < place {
        rows.append(row)
        continue
      }
      let hash = StableHash(row.json).digits
      if index >= place { next.insert(hash) }
      missing.remove(hash)
      if !seen.contains(hash) { rows.append(row) }
    }
    (from, seen) = (start, next)
    return rows
  }
}
