import Delivery
import Engine
import Fetch
import JSON
import Language
import Reactive
import Store
import System

/// `feed`: an Atom feed of the last events.
package let feed = NodeSpec(
  "feed", "keep an Atom feed of the last events, which feed readers can subscribe to",
  reference: .init(PackageResources.feed_md),
  options: AnyOption.list(
    FeedOptions.path, FeedOptions.title, FeedOptions.key, FeedOptions.body, FeedOptions.link,
    FeedOptions.updated, FeedOptions.tags, FeedOptions.name, FeedOptions.url, FeedOptions.home,
    FeedOptions.author, FeedOptions.maxEntries)
    + AnyOption.list(FeedOptions.mode),
  state: "the last `max_entries` entries; of more, the oldest are forgotten", hasDurableState: true,
  check: { options, checker in
    if options[FeedOptions.path].constant == nil {
      checker.report(
        "a feed is one file; its path has no expressions", at: options.place(of: FeedOptions.path))
    }
    for (option, name) in [(FeedOptions.url, "url"), (FeedOptions.home, "home")] {
      guard let text = options[option] else { continue }
      if (try? Message.link(text, name)) == nil {
        checker.report(
          "\(name) is not an address that begins with https:// or http://", at: options.place(of: option))
      }
    }
  },
  .sink { options, context in try FeedSink(options, context) })

private enum FeedOptions {
  static let path = Option.required(
    "path", OptionType<PathTemplate>.outputPath, "the file; missing folders are created",
    example: "out/launches.atom")
  static let title = Option.required("title", .template, "the title of an entry", example: #"'\(.name)'"#)
  static let key = Option(
    "key", .expression, default: ".", "what identifies an entry; by default the whole event", example: ".key")
  static let body = Option("body", .template, default: "''", "the text of an entry")
  static let link = Option("link", .template, default: "''", "the page of an entry", example: #"'\(.url)'"#)
  static let updated = Option.optional(
    "updated", .expression, "when it changed (default: the time of its poll)", example: ".at")
  static let tags = Option(
    "tags", .list(of: .template), default: "[]", "categories of an entry; empty ones are left out",
    example: "[launch]")
  static let name = Option.optional(
    "name", .text, "the title of the feed (default: the pipeline's name)", example: "Launches")
  static let url = Option.optional(
    "url", .text, "the address at which the feed is served", example: "https://example.org/launches.atom")
  static let home = Option.optional(
    "home", .text, "the web page of the feed", example: "https://example.org/")
  static let author = Option("author", .text, default: "flow", "the author of the feed")
  static let maxEntries = Option(
    "max_entries", .integer(1...1000), default: "50", "how many entries are kept")
  static let mode = Option("mode", .fileMode, default: "'0644'", "the permissions of the file, in octal")
}

private final class FeedSink: KeepingSink {
  private static let pause = Duration.seconds(5)
  /// How long after a write the next one follows, where no epoch decides it.
  private static let interval = Duration.seconds(1)

  private let context: SinkContext
  private let file: WholeFile
  private let text: FeedText
  private let limit: Int
  private let title: Evaluation
  private let key: Evaluation
  private let body: Evaluation
  private let link: Evaluation
  private let updated: Evaluation?
  private let tags: [Evaluation]
  private let kept: NodeCell<Value>?
  /// The newest last.
  private var entries: [PublishedEntry] = []
  /// How many of them the last run has stored.
  private var storedCount = 0
  private var lastWrite: Instant?
  private var isChanged = false
  private var isDue = false
  private var place: OutputPlace?
  private var hasReported = false
  private var dryRun = DryRun()

  init(_ options: Options, _ context: SinkContext) throws {
    self.context = context
    file = WholeFile(
      path: try OutputPath(options[FeedOptions.path], context).constant ?? "",
      mode: options[FeedOptions.mode],
      syncs: context.syncs, disk: context.lane.world.disk)
    text = FeedText(
      id: FeedText.id(["feed", context.pipeline, context.name]),
      title: options[FeedOptions.name] ?? context.pipeline,
      author: options[FeedOptions.author], url: options[FeedOptions.url], home: options[FeedOptions.home])
    limit = options[FeedOptions.maxEntries]
    title = context.evaluation(options[FeedOptions.title])
    key = context.evaluation(options[FeedOptions.key])
    body = context.evaluation(options[FeedOptions.body])
    link = context.evaluation(options[FeedOptions.link])
    updated = options[FeedOptions.updated].map { context.evaluation($0) }
    tags = options[FeedOptions.tags].map { context.evaluation($0) }
    kept = try context.outbox?.cell()
    entries = (kept?.value?.items ?? []).compactMap { PublishedEntry(jsonValue: $0) }.suffix(limit)
    storedCount = entries.count
    // The file may have been removed, or the options may have changed.
    isDue = !context.isDryRun && !entries.isEmpty
  }

  func take(_ event: Event) throws {
    let entry = try read(event)
    if context.isDryRun { return dryRun.add(line: "\(file.path): \(entry.title)") }
    if let index = index(of: entry) {
      if entries[index].saysTheSame(as: entry) { return }
      remove(at: index)
    }
    entries.append(entry)
    if entries.count > limit { remove(at: 0) }
    isChanged = true
  }

  private func index(of entry: PublishedEntry) -> Int? {
    if let index = entries.firstIndex(where: { $0.key == entry.key }) { return index }
    if storedCount == 0 { return nil }
    let id = id(of: entry)
    return entries.firstIndex { $0.key == nil && $0.id == id }
  }

  private func remove(at index: Int) {
    if entries.remove(at: index).key == nil { storedCount -= 1 }
  }

  private func id(of entry: PublishedEntry) -> String {
    guard entry.id.isEmpty, let key = entry.key else { return entry.id }
    return FeedText.id([context.pipeline, context.name, String(decoding: key.text, as: UTF8.self)])
  }

  /// Gives ids to the entries that need them now.
  private func nameEntries() {
    for index in entries.indices where entries[index].id.isEmpty {
      entries[index].id = id(of: entries[index])
    }
  }

  private func read(_ event: Event) throws -> PublishedEntry {
    let moment = try updated?.first(event)?.timeOfDay()
    return PublishedEntry(
      key: EntryKey(event.keyed(try key.first(event) ?? .null)), title: try event.text(title),
      body: try event.text(body), link: try Message.link(try event.text(link), "link"),
      updated: moment ?? event.poll.at,
      tags: try tags.map { try event.text($0) }.filter { !$0.isEmpty && $0 != "null" })
  }

  func endTurn() throws {
    try dryRun.write(to: context.screen, in: context.lane.world)
    if isChanged {
      if let kept {
        nameEntries()
        kept.set(.array(entries.map(\.jsonValue)))
      }
      isChanged = false
      // The file follows the state: an entry of the outbox only says that it is to be written.
      if let outbox = context.outbox { return outbox.put([], id: try outbox.nextID()) }
      isDue = true
    }
    guard context.outbox == nil, isDue else { return }
    // A turn may be one of thousands, as those of a file that is read to its end.
    if let lastWrite, context.now < lastWrite + Self.interval {
      return context.alarm.set(at: lastWrite + Self.interval)
    }
    try write()
  }

  func recover(_ entries: [OutboxEntry]) throws { try didCommit(entries) }

  func didCommit(_ entries: [OutboxEntry]) throws {
    if let last = entries.last { (isDue, place) = (true, last.place) }
    try write()
  }

  func wake() throws { try write() }

  func finish(by deadline: Instant) throws {
    try endTurn()
    if context.outbox == nil { try write(isLast: true) }
  }

  /// Writes the file if it is due, and again later if that fails.
  private func write(isLast: Bool = false) throws {
    guard isDue else { return }
    nameEntries()
    lastWrite = context.now
    do throws(FileFailure) {
      let bytes = text.bytes(entries)
      if try file.read() != bytes { try file.write(bytes) }
    } catch {
      if isLast || !error.isPassing { throw error }
      if !hasReported {
        context.log.error("\(error); flow tries again until it can be written")
        context.meter.countError()
      }
      hasReported = true
      return context.alarm.set(at: context.now + Self.pause)
    }
    if hasReported { context.log.notice("\(file.path) can be written again") }
    (isDue, hasReported) = (false, false)
    if let place { context.outbox?.markWritten(through: place) }
    place = nil
  }
}
