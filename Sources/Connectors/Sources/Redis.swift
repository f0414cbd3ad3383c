import Decode
import Delivery
import Engine
import JSON
import Language
import Reactive
import System

/// `redis` as a source: reads a stream from a stored position on, or listens to channels.
package let redisSource = NodeSpec(
  "redis", "read the entries of a Redis stream, or the messages of channels",
  reference: .init(PackageResources.redis_source_md, sharing: ["redis": RedisOptions.details]),
  options: AnyOption.list(
    RedisSourceOptions.stream, RedisSourceOptions.channel, RedisSourceOptions.from, RedisSourceOptions.field,
    RedisSourceOptions.envelope, RedisSourceOptions.group, RedisSourceOptions.consumer) + RedisOptions.list,
  shorthand: "stream", isRepeatable: true, hasDurableState: true,
  check: { options, checker in
    RedisOptions.check(options, checker)
    let (isStream, channels) = (
      options.isGiven(RedisSourceOptions.stream), options[RedisSourceOptions.channel]
    )
    if isStream, !channels.isEmpty {
      checker.report(
        "stream and channel exclude each other", at: options.place(of: RedisSourceOptions.channel),
        hint: "write a source for each")
    } else if !isStream, channels.isEmpty {
      checker.report(
        "redis needs a stream or a channel", at: options.place, hint: "for example stream: orders")
    }
    if isStream { return checkGroup(options, checker) }
    let others: [(String, Bool, SourceRange)] = [
      ("from", options.isGiven(RedisSourceOptions.from), options.place(of: RedisSourceOptions.from)),
      ("field", options.isGiven(RedisSourceOptions.field), options.place(of: RedisSourceOptions.field)),
      ("group", options.isGiven(RedisSourceOptions.group), options.place(of: RedisSourceOptions.group)),
    ]
    for (name, isGiven, place) in others where isGiven {
      checker.report("\(name) has no effect without stream: a channel has no past and no fields", at: place)
    }
  },
  .stream { options, context in RedisSource(options, context) }
).repeatable { $0.isGiven(RedisSourceOptions.stream) && !$0.isGiven(RedisSourceOptions.group) }

private func checkGroup(_ options: Options, _ checker: Checker) {
  guard let group = options[RedisSourceOptions.group] else {
    if options.isGiven(RedisSourceOptions.consumer) {
      checker.report(
        "consumer has no effect without group", at: options.place(of: RedisSourceOptions.consumer))
    }
    return
  }
  let (server, consumer) = (options[RedisOptions.server], options[RedisSourceOptions.consumer])
  checker.claim(
    "consumer \(consumer ?? "") of \(group) of \(options[RedisSourceOptions.stream] ?? "") at \(server)",
    at: options.place(of: RedisSourceOptions.group), "another source is that consumer of the group \(group)",
    hint: "give each a consumer of its own")
}

private enum RedisSourceOptions {
  static let stream = Option.optional("stream", .text, "the key of the stream to read", example: "orders")
  static let channel = Option(
    "channel", .list(of: .text), default: "[]", "the channels to listen to; *, ? and […] are wildcards",
    example: "[alarms, 'sensors.*']")
  static let from = Option(
    "from", RedisStart.type, default: "beginning",
    "where a run without a stored position, or a new group, begins: `beginning`, `end`, the id behind which, or a time"
  )
  static let field = Option.optional(
    "field", .text, "the field of an entry whose JSON is the event", example: "data")
  static let envelope = Option(
    "envelope", .boolean, default: "false", "whether the event has id or channel besides the data")
  static let group = Option.optional(
    "group", .text, "the consumer group to read as; it is made where there is none", example: "billing")
  static let consumer = Option.optional(
    "consumer", .text, "the name in the group (default: flow)", example: "billing-1")
}

/// Where to begin in a stream.
private enum RedisStart: Sendable {
  case end
  case behind(RedisID)

  static let type: OptionType<RedisStart> = {
    let text = OptionType<String>.text
    return OptionType<RedisStart>(
      "beginning, end, an id or a time", sample: "end",
      schema: .record([("type", .array(["string", "integer"]))])
    ) { node, checker in
      guard let text = text.decode(node, checker) else { return nil }
      if text == "beginning" { return .behind(.zero) }
      if text == "end" { return .end }
      if let id = RedisID(text) { return .behind(id) }
      // An entry of that very millisecond is read.
      if let time = parseTimestamp(text), time >= 1 {
        return .behind(RedisID(time: UInt64(min(time * 1000, 9e15)) - 1, number: .max))
      }
      checker.report(
        "\(quoted(text)) is not a place in a stream", at: node.place,
        hint: "beginning, end, an id such as 1526919030474-0, or a time such as 2026-01-01T00:00:00Z")
      return nil
    }
  }()
}

private final class RedisSource: StreamSource {
  private typealias Entry = (id: RedisID, fields: [RESPValue])

  private static let batch = 1000
  /// How long the server holds back the answer where there is nothing new; each is a heartbeat.
  private static let patience = Duration.seconds(5)
  /// How often it is asked what the stream has.
  private static let lookInterval = Duration.seconds(10)

  private let options: Options
  private let context: SourceContext
  private let settings: RedisSettings
  private let link: ConnectionLink
  private let reporter: ParseErrorReporter
  private let consumer: String
  private var progress: RedisProgress
  private var hasCaughtUp = false
  private var hasBegun = false

  init(_ options: Options, _ context: SourceContext) {
    (self.options, self.context) = (options, context)
    settings = RedisOptions.settings(options)
    link = ConnectionLink(SourceLinkHealth(context), longest: .seconds(30))
    reporter = ParseErrorReporter(context)
    consumer = options[RedisSourceOptions.consumer] ?? "flow"
    progress = RedisProgress(options[RedisSourceOptions.stream] ?? "", context.position)
  }

  func run(_ feed: Feed) throws {
    defer { reporter.summarize() }
    let channels = options[RedisSourceOptions.channel]
    if !channels.isEmpty {
      // There is no past that an earlier run could have read.
      feed.sayCaughtUp()
      if context.isOnce {
        return context.log.notice("a channel has no past to read with --once; a stream would have")
      }
    }
    try link.run {
      let connection = try RedisConnection(settings, context.stop)
      if !channels.isEmpty {
        try listen(to: channels, connection, feed)
      } else if let group = options[RedisSourceOptions.group] {
        try share(group, connection, feed)
      } else {
        try read(connection, feed)
      }
      return .done
    }
  }

  private func say(_ what: String) {
    if !hasBegun { context.log.notice("reads \(what) of \(settings.server)") }
    hasBegun = true
  }

  private func answer(
    _ connection: RedisConnection, _ command: [String], within time: Duration = RedisConnection.longestAnswer
  ) throws(RedisError) -> RESPValue {
    let value = try connection.call(command, within: time)
    if case .error(let text) = value { throw connection.refusal(text) }
    return value
  }

  // MARK: - A stream

  private func read(_ connection: RedisConnection, _ feed: Feed) throws {
    try look(connection, feed)
    link.noteConnected()
    say("the stream \(progress.stream)")
    var nextLook = MonotonicClock.now + Self.lookInterval
    var mayWait = false
    while !feed.isStopped {
      let wait = mayWait ? ["BLOCK", "\(Int(Self.patience.inSeconds * 1000))"] : []
      let command =
        ["XREAD", "COUNT", "\(Self.batch)"] + wait + ["STREAMS", progress.stream, "\(progress.id)"]
      let entries = entries(
        try answer(connection, command, within: Self.patience + RedisConnection.longestAnswer))
      if let last = entries.last {
        link.noteReceived()
        progress.advance(to: last.id, by: entries.count)
        feed.send(entries.compactMap(value), position: progress.position)
      }
      mayWait = entries.count < Self.batch
      if mayWait { catchUp(feed) }
      if context.isOnce, entries.isEmpty { return }
      if MonotonicClock.now >= nextLook {
        nextLook = MonotonicClock.now + Self.lookInterval
        try look(connection, feed)
      }
    }
  }

  /// Compares the progress with what the stream has, and finds where to begin.
  private func look(_ connection: RedisConnection, _ feed: Feed) throws {
    let answer = try connection.call(["XINFO", "STREAM", progress.stream])
    let facts: RedisStreamFacts
    switch answer {
    case .error(let text) where text.hasPrefix("ERR no such key"): facts = RedisStreamFacts()
    case .error(let text): throw connection.refusal(text)
    default: facts = RedisStreamFacts(answer)
    }
    if progress.isKnown {
      progress.compare(with: facts, context.log)
    } else {
      switch options[RedisSourceOptions.from] {
      case .end: progress.begin(behind: facts.last, facts)
      case .behind(let id): progress.begin(behind: id, facts)
      }
      // What comes between two runs is not missed.
      if feed.storesPositions { feed.send([], position: progress.position) }
    }
    context.meter.noteBacklog(progress.backlog(facts))
  }

  private func catchUp(_ feed: Feed) {
    if hasCaughtUp { return }
    hasCaughtUp = true
    if !context.isOnce {
      context.log.notice("the stream \(progress.stream) is read to its end; waiting for more")
    }
    feed.sayCaughtUp()
  }

  /// The entries in an answer to XREAD.
  private func entries(_ answer: RESPValue) -> [Entry] {
    let list = answer.items?.first?.items?.last?.items ?? []
    return list.compactMap { entry in
      guard let parts = entry.items, parts.count == 2, let id = parts[0].string.flatMap(RedisID.init) else {
        return nil
      }
      // One that was deleted meanwhile has no fields.
      return (id, parts[1].items ?? [])
    }
  }

  private func value(_ entry: Entry) -> Value? {
    var data: Value?
    if let field = options[RedisSourceOptions.field] {
      for index in stride(from: 0, to: entry.fields.count - 1, by: 2)
      where entry.fields[index].string == field {
        data = value(ofText: entry.fields[index + 1])
      }
      if data == nil {
        reporter.report("the entry \(entry.id) is skipped: it has no field \(quoted(field))")
        return nil
      }
    }
    let members = stride(from: 0, to: entry.fields.count - 1, by: 2).map { index in
      (entry.fields[index].string ?? "", Value.string(entry.fields[index + 1].string ?? ""))
    }
    let content = data ?? .record(members)
    if !options[RedisSourceOptions.envelope] { return content }
    return .record([
      ("id", .string("\(entry.id)")), ("at", .string(timestamp(Double(entry.id.time) / 1000))),
      ("data", content),
    ])
  }

  private func value(ofText text: RESPValue) -> Value {
    guard case .text(let bytes) = text else { return .null }
    return (try? Value.parse(bytes)) ?? .string(String(decoding: bytes, as: UTF8.self))
  }

  // MARK: - A group

  private func share(_ group: String, _ connection: RedisConnection, _ feed: Feed) throws {
    let start =
      switch options[RedisSourceOptions.from] {
      case .end: "$"
      case .behind(let id): "\(id)"
      }
    let made = try connection.call(["XGROUP", "CREATE", progress.stream, group, start, "MKSTREAM"])
    if case .error(let text) = made, !text.hasPrefix("BUSYGROUP") { throw connection.refusal(text) }
    link.noteConnected()
    say("the stream \(progress.stream), as \(consumer) of the group \(group),")
    // What this consumer has received before, and not acknowledged, comes first.
    var next = "0"
    while !feed.isStopped {
      let wait = context.isOnce || next != ">" ? [] : ["BLOCK", "\(Int(Self.patience.inSeconds * 1000))"]
      let command =
        ["XREADGROUP", "GROUP", group, consumer, "COUNT", "\(Self.batch)"] + wait
        + ["STREAMS", progress.stream, next]
      let entries = entries(
        try answer(connection, command, within: Self.patience + RedisConnection.longestAnswer))
      if entries.isEmpty {
        if next != ">" { next = ">" } else if context.isOnce { return }
        continue
      }
      link.noteReceived()
      let values = entries.compactMap { $0.fields.isEmpty ? nil : value($0) }
      if !values.isEmpty, feed.commit(values, stop: context.stop) != true {
        // Not acknowledged: the server sends them again.
        throw RedisError(description: "\(settings.server): \(entries.count) entries could not be committed")
      }
      _ = try answer(connection, ["XACK", progress.stream, group] + entries.map { "\($0.id)" })
    }
  }

  // MARK: - Channels

  private func listen(to channels: [String], _ connection: RedisConnection, _ feed: Feed) throws {
    connection.add(["PSUBSCRIBE"] + channels)
    var granted = 0
    var lastAnswer = MonotonicClock.now
    var isAsked = false
    while !feed.isStopped {
      var values: [Value] = []
      var answer = try connection.turn(until: lastAnswer + Self.patience)
      if answer != nil { (lastAnswer, isAsked) = (MonotonicClock.now, false) }
      while let message = answer {
        if case .error(let text) = message { throw connection.refusal(text) }
        let parts = message.items ?? []
        switch parts.first?.string {
        case "psubscribe":
          granted += 1
          if granted == channels.count {
            link.noteConnected()
            say(channels.joined(separator: ", "))
          }
        case "pmessage" where parts.count == 4: values.append(value(ofMessage: parts))
        default: break
        }
        answer = values.count < Self.batch ? try connection.turn(until: Instant()) : nil
      }
      if !values.isEmpty {
        link.noteReceived()
        feed.send(values)
      } else if MonotonicClock.now - lastAnswer >= Self.patience {
        // A server that has vanished is noticed by a question without an answer.
        if isAsked {
          throw RedisError(
            description: "\(settings.server): no answer within \(Int(Self.patience.inSeconds)) s")
        }
        connection.add(["PING"])
        (isAsked, lastAnswer) = (true, MonotonicClock.now)
      }
    }
  }

  private func value(ofMessage parts: [RESPValue]) -> Value {
    let data = value(ofText: parts[3])
    if !options[RedisSourceOptions.envelope] { return data }
    return .record([("channel", .string(parts[2].string ?? "")), ("data", data)])
  }
}
