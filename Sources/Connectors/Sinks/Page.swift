import Delivery
import Engine
import JSON
import Language
import Page
import Reactive
import Store

/// `page`: a view of a live web page.
package let page = NodeSpec(
  "page", "show events as rows of a live web page, by key",
  reference: .init(PackageResources.page_md),
  options: AnyOption.list(
    PageOptions.layout, PageOptions.key, PageOptions.title, PageOptions.subtitle, PageOptions.time,
    PageOptions.precision, PageOptions.picture, PageOptions.status, PageOptions.link, PageOptions.map,
    PageOptions.facets, PageOptions.sort, PageOptions.order)
    + AnyOption.list(
      PageOptions.group, PageOptions.spark, PageOptions.detail, PageOptions.units, PageOptions.removed,
      PageOptions.name, PageOptions.summary, PageOptions.perPage, PageOptions.maxRows),
  state: "the rows, `max_rows` at most",
  hasDurableState: true,
  check: { options, checker in
    if options[PageOptions.layout] != .log, !options.isGiven(PageOptions.key) {
      checker.report(
        "page needs a key", at: options.place(of: PageOptions.layout), hint: "for example key: .id")
    }
    if !options.isGiven(PageOptions.key), options.isGiven(PageOptions.spark) {
      checker.report(
        "spark needs rows that stay, and in a log without a key each event is a row",
        at: options.place(of: PageOptions.spark),
        hint: "give it a key, or remove spark: the page of an entry has charts of what changed")
    }
  },
  .sink { options, context in try PageSink(options, context) })

enum PageOptions {
  enum Order: String, CaseIterable, Sendable { case ascending, descending }

  static let layout = Option(
    "as", .choice(of: PageForm.Layout.self), default: "list", "the form of the view")
  static let key = Option.optional(
    "key", .expression, "identifies a row; in a log each event is a row without it",
    example: ".id")
  static let title = Option.required("title", .template, "what the row is called", example: #"'\(.name)'"#)
  static let subtitle = Option.optional(
    "subtitle", .template, "a line below the title", example: #"'\(.pad)'"#)
  static let time = Option.optional(
    "time", .expression, "its time; in a log that of the event without it", example: ".net")
  static let precision = Option.optional(
    "precision", .expression, "how precisely the time is known; else by the minute, and dates by the day",
    example: #"if .is_exact then "second" else "day" end"#)
  static let picture = Option.optional(
    "picture", .expression, "the address of a picture", example: ".image")
  static let status = Option.optional(
    "status", .expression,
    "a word, or {word, color, symbol}; the colours are good, warn, bad, info and muted, or green, yellow, red, blue",
    example: ".status")
  static let link = Option.optional("link", .expression, "an address on the web", example: ".url")
  static let map = Option.optional("map", .expression, "the address of a map", example: ".map")
  static let facets = Option.optional(
    "facets", .mapping(of: .expression), "values to filter by, under their names",
    example: "{ Provider: .provider }")
  static let sort = Option.optional(
    "sort", .expression, "what rows are sorted by; without it their time, then their title", example: ".name")
  static let order = Option.optional(
    "order", .choice(of: Order.self), "the order; a log is descending, anything else ascending",
    example: "descending")
  static let group = Option.optional(
    "group", .template, "a heading over successive rows that share it", example: #"'\(.date[:7])'"#)
  static let spark = Option.optional(
    "spark", .expression, "a number whose course is drawn as a small chart; null is a gap", example: ".price")
  static let detail = Option.optional(
    "detail", .mapping(of: .expression), "what the page of a row shows, under its names",
    example: "{ Mission: .mission }")
  static let units = Option.optional(
    "units", .choice(of: PageForm.Units.self), "the units of figures, until the reader chooses others",
    example: "metric")
  static let removed = Option.optional(
    "removed", .expression, "where this is true, the row of that key is removed",
    example: ".type == \"removed\"")
  static let name = Option.optional(
    "name", .text, "what the view is called; else as the pipeline", example: "Launches")
  static let summary = Option.optional(
    "summary", .text, "a line about the view", example: "What flies next")
  static let perPage = Option("per_page", .integer(1...1000), default: "20", "how many rows a page has")
  static let maxRows = Option("max_rows", .integer(1...100_000), default: "1000", "the most rows")
}

extension PageForm {
  /// Whether the rows of a sink have pictures.
  package static func hasPicture(_ sink: SinkPlan) -> Bool {
    sink.spec.kind == page.kind && sink.options.isGiven(PageOptions.picture)
  }

  /// The part of the sink's state that has the rows.
  package static let table = "rows"

  /// The form that the options of a sink describe.
  package init(_ options: Options, pipeline: String) {
    let layout = options[PageOptions.layout]
    self.init(
      layout: layout, name: options[PageOptions.name] ?? pipeline,
      summary: options[PageOptions.summary] ?? "",
      isDescending: options[PageOptions.order].map { $0 == .descending } ?? (layout == .log),
      perPage: options[PageOptions.perPage], units: options[PageOptions.units],
      spark: options[PageOptions.spark].map { spark in
        // `.stock.price` is the course of stock.price.
        let path = spark.text.drop { $0 == "." }
        return path.isEmpty || path.count > 24 ? "Course" : String(path)
      })
    hasTime = layout == .log || options.isGiven(PageOptions.time)
    hasStatus = layout == .log || options.isGiven(PageOptions.status)
    hasPicture = options.isGiven(PageOptions.picture)
  }
}

private final class PageSink: KeepingSink {
  /// The changes of this turn.
  private enum News {
    case set(key: Value, isOwn: Bool, source: String, isOfPoll: Bool, content: Value)
    case remove(key: Value)
    /// The poll of a source is complete: rows that it lacks are removed.
    case end(source: String)
    /// Its poll has failed, or misses rows on which a step has failed: those that were not seen are as old as the one
    /// before.
    case miss(source: String, seen: Set<Value>, before: Double?)
  }

  private let context: SinkContext
  private let key: Evaluation?
  private let removed: Evaluation?
  private let parts: PageParts
  private let limit: Int
  private let isCharted: Bool
  private let isLog: Bool
  private let view: PageView?
  /// The rows by key: `{source, commit, at, row}`, and `read` where the last poll misses it; in memory where the pipeline has no state.
  private var rows: NodeState<Value>
  /// Whether anything is kept: for a page now, or for one later.
  private let isKeeping: Bool
  private var news: [News] = []
  /// The keys that the present poll of each source has brought.
  private var seen: [String: Set<Value>] = [:]
  /// The changes of the epoch, which are shown when it is committed.
  private var pending: [PageView.Change] = []
  /// The number of the last commit: it counts on from run to run.
  private var commit = 0
  private let storedCommit: NodeCell<Value>?
  /// The rows of the present poll that there was no room for, and those that were reported last.
  private var overflow = 0
  /// The key of a log that was last given a number, and that number.
  private var repeated: (key: Value, number: Int)?
  private var reportedOverflow = 0
  private var polled: Poll?
  /// When each source had its last poll, and those that are known to fail.
  private var polls: [String: Double] = [:]
  private var failing: Set<String> = []
  private var dryRun = DryRun()

  init(_ options: Options, _ context: SinkContext) throws {
    self.context = context
    key = options[PageOptions.key].map { context.evaluation($0) }
    removed = options[PageOptions.removed].map { context.evaluation($0) }
    parts = PageParts(options, context)
    limit = options[PageOptions.maxRows]
    isCharted = options.isGiven(PageOptions.spark)
    isLog = options[PageOptions.layout] == .log
    let hub = context.isDryRun ? nil : context.lane.world[PageHub.self]
    isKeeping = !context.isDryRun && (hub != nil || context.outbox != nil)
    rows = try context.isDryRun ? NodeState() : context.outbox?.state(part: PageForm.table) ?? NodeState()
    storedCommit = try context.isDryRun ? nil : context.outbox?.cell()
    commit = Int(member: storedCommit?.value) ?? 0
    var known: [PageRow] = []
    rows.forEach { key, stored in
      if let row = PageRow(key: key, stored: stored) { known.append(row) }
    }
    // Commits are counted in the state, or in this run.
    let stateID =
      context.outbox?.stateID ?? "run"
      + String(UInt32(context.lane.world.random() * 4_294_967_295), radix: 36)
    view = hub?.add(
      pipeline: context.pipeline, sink: context.name, PageForm(options, pipeline: context.pipeline),
      rows: known, stateID: stateID, commit: commit)
    if isKeeping, context.isGivenSnapshots {
      context.lane.lists.watch { [alarm = context.alarm] in alarm.ring() }
    }
  }

  // MARK: - Events

  func take(_ event: Event) throws {
    let given = try key?.first(event).map { event.keyed($0) }
    let key = given ?? ownKey(of: event)
    let isRemoved = try removed?.isTrue(event) ?? false
    var content = isRemoved ? .null : try parts.content(of: event)
    // The pictures of the page that it was read from, for the history of a key.
    if isLog, !isRemoved {
      for name in [Poll.screenshot, Poll.screenshotBefore] {
        if let picture = event.poll.notes.member(name) { content.setMember(Key(name), picture) }
      }
    }
    if context.isDryRun {
      let text = isRemoved ? "removed" : content.member("title")?.string ?? ""
      return dryRun.add(line: "\(context.name): \(key): \(text)")
    }
    if !isKeeping { return }
    let detached = key.detach()
    let source = event.poll.list
    let isOfPoll = isWhole(event.poll)
    if isOfPoll { seen[source, default: []].insert(detached) }
    news.append(
      isRemoved
        ? .remove(key: detached)
        : .set(key: detached, isOwn: given == nil, source: source, isOfPoll: isOfPoll, content: content))
  }

  /// Whether the rows of a poll replace those of the one before.
  private func isWhole(_ poll: Poll) -> Bool { context.isGivenSnapshots && poll.number > 0 }

  /// The key of an event of a log: what it is about, when.
  private func ownKey(of event: Event) -> Value {
    let value = event.value
    return .array([
      value.member("key") ?? value, value.member("type") ?? .null,
      value.member("at") ?? .number(event.poll.at),
    ])
  }

  /// The key of an event of a log with a number where another event has it: one thing may change twice at one instant.
  private func unused(_ key: Value) -> Value {
    guard rows.value(for: key) != nil, let parts = key.items else { return key }
    var number = repeated?.key == key ? repeated?.number ?? 1 : 1
    var numbered = key
    repeat {
      number += 1
      numbered = .array(parts + [.number(number)])
    } while rows.value(for: numbered) != nil
    repeated = (key, number)
    return numbered
  }

  func endPoll(_ poll: Poll) {
    if !isKeeping { return }
    polled = poll
    guard isWhole(poll) else { return }
    let before = polls.updateValue(poll.at, forKey: poll.list)
    if poll.isMissingEvents {
      news.append(.miss(source: poll.list, seen: seen[poll.list] ?? [], before: before))
    }
    if poll.coverage == .partial || poll.isMissingEvents {
      seen[poll.list] = nil
    } else {
      news.append(.end(source: poll.list))
    }
  }

  /// Polls of a source fail, or do so no longer.
  func wake() {
    let now = context.lane.lists.failing
    for source in now.subtracting(failing).sorted() where isPolled(source) {
      news.append(.miss(source: source, seen: [], before: polls[source]))
    }
    failing = now
  }

  private func isPolled(_ list: String) -> Bool {
    context.plan?.schedules.keys.contains { list == $0 || list.hasPrefix("\($0)[") } ?? false
  }

  func endTurn() throws {
    try dryRun.write(to: context.screen, in: context.lane.world)
    defer {
      if let polled { view?.notePoll(at: polled.at, staleness: polled.isStale ? Self.age(polled) : nil) }
      polled = nil
    }
    if news.isEmpty { return }
    let (before, next) = (pending.count, commit + 1)
    // What a poll lacks makes room for what it has.
    for case .end(let source) in news { end(source) }
    for entry in news {
      switch entry {
      case .set(let key, let isOwn, let source, let isOfPoll, let content):
        let key = isOwn && !isOfPoll ? unused(key) : key
        if !set(key, source, content, next, makesRoom: !isOfPoll) { overflow += 1 }
      case .remove(let key): remove(key)
      case .end: reportSurplus()
      case .miss(let source, let seen, let before): miss(source, seen, before, next)
      }
    }
    news = []
    guard pending.count > before else { return }
    commit = next
    storedCommit?.set(.number(next))
    if context.outbox == nil { show() }
  }

  private static func age(_ poll: Poll) -> Double { poll.notes.member("age")?.double ?? 0 }

  /// Stores a row that is new or differs; false if there is no room for it.
  private func set(
    _ key: Value, _ source: String, _ content: Value, _ commit: Int, makesRoom: Bool
  ) -> Bool {
    let old = rows.value(for: key)
    let content = isCharted ? Spark.adding(to: content, old?.member("row"), at: context.lane.now) : content
    let isSame = old?.member("row") == content && old?.member("source")?.string == source
    if isSame, old?.member("read") == nil { return true }
    if old == nil, rows.count >= limit {
      guard makesRoom, let oldest = rows.oldest?.key else { return false }
      remove(oldest)
    }
    let changed = isSame ? old?.member("at") ?? .number(context.lane.now) : .number(context.lane.now)
    let stored = Value.record([
      ("source", .string(source)), ("commit", .number(commit)), ("at", changed), ("row", content),
    ])
    rows.set(stored, for: key)
    if let row = PageRow(key: key, stored: stored) { pending.append(.set(row)) }
    return true
  }

  private func remove(_ key: Value) {
    if rows.remove(key) != nil { pending.append(.remove(id: PageRow.id(of: key))) }
  }

  private func end(_ source: String) {
    let seen = seen.removeValue(forKey: source) ?? []
    var gone: [Value] = []
    rows.forEach { key, stored in
      if stored.member("source")?.string == source, !seen.contains(key) { gone.append(key) }
    }
    for key in gone { remove(key) }
  }

  /// Marks the rows of a source that its poll has not seen with the time when they were.
  private func miss(_ source: String, _ seen: Set<Value>, _ before: Double?, _ commit: Int) {
    var missed: [(key: Value, stored: Value)] = []
    rows.forEach { key, stored in
      guard stored.member("source")?.string == source, stored.member("read") == nil, !seen.contains(key)
      else { return }
      missed.append((key, stored))
    }
    for (key, stored) in missed {
      var stored = stored
      stored.setMember("commit", .number(commit))
      stored.setMember("read", before.map { .number($0) } ?? stored.member("at") ?? .number(context.lane.now))
      rows.set(stored, for: key)
      if let row = PageRow(key: key, stored: stored) { pending.append(.set(row)) }
    }
  }

  private func reportSurplus() {
    if overflow > 0, overflow != reportedOverflow {
      context.log.warning("\(overflow) rows are left out: there are more than max_rows")
    }
    (reportedOverflow, overflow) = (overflow, 0)
  }

  // MARK: - Epochs

  /// Shows what is committed.
  private func show() {
    if pending.isEmpty { return }
    view?.publish(pending, commit: commit)
    pending = []
  }

  func recover(_ entries: [OutboxEntry]) throws {}

  func didCommit(_ entries: [OutboxEntry]) throws { show() }

  func finish(by deadline: Instant) throws { try endTurn() }
}
