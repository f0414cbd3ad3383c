import Delivery
import System
import JSON
import Engine
import Language
import Reactive
import Store

/// `ics`: a calendar file.
package let ics = NodeSpec(
  "ics", "keep a calendar file that programs can subscribe to",
  reference: .init(PackageResources.ics_md),
  options: AnyOption.list(
    ICSOptions.path, ICSOptions.key, ICSOptions.start, ICSOptions.end, ICSOptions.allDay, ICSOptions.summary,
    ICSOptions.description, ICSOptions.location, ICSOptions.url, ICSOptions.geo, ICSOptions.status,
    ICSOptions.removed, ICSOptions.updated)
    + AnyOption.list(
      ICSOptions.alarms, ICSOptions.name, ICSOptions.refresh, ICSOptions.keep, ICSOptions.maxEvents,
      ICSOptions.mode),
  state: """
    the SEQUENCE of twice `max_events` events; for one more, that of an event that has left the file is forgotten
    """,
  hasDurableState: true,
  check: { options, checker in
    if options[ICSOptions.path].constant == nil {
      checker.report(
        "a calendar is one file; its path has no expressions", at: options.place(of: ICSOptions.path))
    }
  },
  .sink { options, context in try ICS(options, context) })

private enum ICSOptions {
  static let path = Option.required(
    "path", OptionType<PathTemplate>.outputPath, "the file; missing folders are made",
    example: "out/launches.ics")
  static let key = Option.required(
    "key", .expression, "identifies an event of the calendar", example: ".id")
  static let start = Option.required("start", .expression, "when it begins", example: ".net")
  static let end = Option.optional("end", .expression, "when it ends", example: ".window_end")
  static let allDay = Option.optional(
    "all_day", .expression, "whether it is of whole days", example: ".net_precision == \"day\"")
  static let summary = Option.required(
    "summary", .template, "what it is called", example: #"'\(.name)'"#)
  static let description = Option.optional(
    "description", .template, "more of it; here as elsewhere an empty text is none",
    example: #"'\(.mission)'"#)
  static let location = Option.optional("location", .template, "where it is", example: #"'\(.pad)'"#)
  static let url = Option.optional("url", .template, "a page on it", example: #"'\(.url)'"#)
  static let geo = Option.optional(
    "geo", .expression, "where that is on the globe: {lat, lon}, [lat, lon] or null", example: "'{lat, lon}'")
  static let status = Option.optional(
    "status", .expression, "tentative, confirmed, cancelled or null", example: ".status")
  static let removed = Option.optional(
    "removed", .expression, "where this is true, what is there by that key is cancelled",
    example: ".type == \"removed\"")
  static let updated = Option.optional(
    "updated", .expression, "when what it says became so; else the time of its poll", example: ".last_updated"
  )
  static let alarms = Option(
    "alarms", .list(of: .duration), default: "[]",
    "how long before it people are reminded, if it has a time of day",
    example: "[1d, 1h]")
  static let name = Option.optional(
    "name", .text, "what the calendar is called; else as the pipeline", example: "Launches")
  static let refresh = Option(
    "refresh", .duration, default: "1h", "how often programs that subscribe to it should read it again")
  static let keep = Option(
    "keep", .duration(allowingZero: true), default: "30d",
    "how long a cancelled event stays after its end")
  static let maxEvents = Option(
    "max_events", .integer(1...100_000), default: "10000",
    "how many events there may be; of more, those that ended first are left out")
  static let mode = Option("mode", .fileMode, default: "'0644'", "the permissions of the file, in octal")

  static func parts(_ options: Options, _ context: SinkContext) -> CalendarReading.Parts {
    let texts = [
      ("SUMMARY", options[summary]), ("DESCRIPTION", options[description]), ("LOCATION", options[location]),
      ("URL", options[url]),
    ]
    return CalendarReading.Parts(
      key: context.evaluation(options[key]), start: context.evaluation(options[start]),
      end: options[end].map { context.evaluation($0) },
      allDay: options[allDay].map { context.evaluation($0) },
      removed: options[removed].map { context.evaluation($0) },
      status: options[status].map { context.evaluation($0) },
      updated: options[updated].map { context.evaluation($0) },
      geo: options[geo].map { context.evaluation($0) },
      texts: texts.compactMap { name, template in template.map { (name, context.evaluation($0)) } },
      alarms: options[alarms])
  }
}

private final class ICS: KeepingSink {
  private let context: SinkContext
  private let reading: CalendarReading
  private let file: WholeFile
  private var calendar: Calendar
  private var writing: CalendarWriting
  /// The news of this turn.
  private var news: [CalendarNews] = []
  private let freshness: (@Sendable () -> (isFresh: Bool?, until: Double))?
  private var dryRun = DryRun()

  init(_ options: Options, _ context: SinkContext) throws {
    self.context = context
    reading = CalendarReading(ICSOptions.parts(options, context), pipeline: context.pipeline)
    file = WholeFile(
      path: try OutputPath(options[ICSOptions.path], context).constant ?? "", mode: options[ICSOptions.mode],
      syncs: context.syncs,
      disk: context.lane.world.disk)
    calendar = Calendar(
      name: options[ICSOptions.name] ?? context.pipeline,
      sequences: try context.outbox?.state(part: "sequences") ?? NodeState())
    calendar.refresh = options[ICSOptions.refresh]
    calendar.limit = options[ICSOptions.maxEvents]
    calendar.keep = Int(options[ICSOptions.keep].components.seconds)
    writing = CalendarWriting(file, context)
    freshness = context.isDryRun ? nil : context.freshness
    if !context.isDryRun { try writing.read(into: &calendar) }
    if freshness != nil {
      context.lane.lists.watch { [alarm = context.alarm] in alarm.ring() }
      context.alarm.ring()
    }
  }

  /// Writes the file if it is due, also because what it has is too old, and looks again when it may be.
  private func write(isLast: Bool = false) throws {
    guard let freshness else { return try writing.write(&calendar, isLast: isLast) }
    let (isFresh, until) = freshness()
    if (isFresh == false) != calendar.isOld {
      calendar.isOld.toggle()
      writing.isDue = true
    }
    try writing.write(&calendar, isLast: isLast)
    if isLast || writing.isDue || until == .infinity { return }
    context.alarm.set(at: context.now + .seconds(max(0, until - context.lane.world.wallClock())))
  }

  func take(_ event: Event) throws {
    let told = try reading.news(of: event)
    if context.isDryRun {
      let what = told.lines?.joined(separator: " ") ?? CalendarEvent.cancelled
      return dryRun.add(line: "\(file.path): \(told.uid) \(what)")
    }
    news.append(told)
  }

  func endTurn() throws {
    try dryRun.write(to: context.screen, in: context.lane.world)
    if news.isEmpty { return }
    let entry = CalendarEntry(news: news, at: Int(context.lane.now))
    news = []
    if let outbox = context.outbox { return outbox.put(entry.stored, id: try outbox.nextID()) }
    take(entry)
    try write()
  }

  func recover(_ entries: [OutboxEntry]) throws { try didCommit(entries) }

  func didCommit(_ entries: [OutboxEntry]) throws {
    guard let last = entries.last else { return }
    for entry in entries {
      guard let kept = CalendarEntry(stored: entry.bytes) else {
        context.log.error("what is kept for this sink as \(entry.id) is nothing it wrote; it is left out")
        continue
      }
      // What the file was made of already has come again after a crash.
      if CalendarEntry.isBehind(entry.id, calendar.through) { continue }
      take(kept)
      calendar.through = entry.id
    }
    writing.place = last.place
    try write()
  }

  private func take(_ entry: CalendarEntry) {
    for told in entry.news { calendar.take(told) }
    let overflow = calendar.forget(at: entry.at)
    if overflow > 0 {
      context.log.warning("\(file.path): \(overflow) events are left out: there are more than max_events")
    }
    if calendar.takeChanges() { writing.isDue = true }
  }

  func wake() throws { try write() }

  func finish(by deadline: Instant) throws {
    try endTurn()
    try write(isLast: true)
  }
}
