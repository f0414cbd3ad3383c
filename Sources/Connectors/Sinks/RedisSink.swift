import Delivery
import Engine
import JSON
import Language
import Reactive
import Store
import System

/// `redis` as a sink: adds entries to a stream, publishes messages, or keeps keys as `changes` last had them.
package let redisSink = NodeSpec(
  "redis", "add each event to a Redis stream, publish it, or keep it under a key",
  reference: .init(PackageResources.redis_sink_md, sharing: ["redis": RedisOptions.details]),
  options: AnyOption.list(
    RedisSinkOptions.stream, RedisSinkOptions.channel, RedisSinkOptions.key, RedisSinkOptions.hash,
    RedisSinkOptions.field, RedisSinkOptions.max, RedisSinkOptions.ids, RedisSinkOptions.expire,
    RedisSinkOptions.timeout)
    + Payload.list + RedisOptions.list + DeliveryOptions.list,
  shorthand: "stream", hasDurableState: true,
  check: { options, checker in
    RedisOptions.check(options, checker)
    Payload.check(options, checker)
    RedisSinkOptions.check(options, checker)
  },
  .sink { options, context in try RedisSink(options, context) })

private enum RedisSinkOptions {
  enum IDs: String, CaseIterable, Sendable { case own, server }

  static let stream = Option.optional(
    "stream", .template(named: "key template"), "the key of a stream to add to", example: "launches")
  static let channel = Option.optional(
    "channel", .template, "the channel to publish on", example: "alarms")
  static let key = Option.optional(
    "key", .template, "the key to keep the event under", example: #"'launch:\(.key)'"#)
  static let hash = Option.optional(
    "hash", .template, "the key of a hash to keep the event in", example: "launches")
  static let field = Option.optional(
    "field", .template, "the field of the hash, or of the entry (default: data)", example: #"'\(.key)'"#)
  static let max = Option.optional(
    "max", .integer(1...1_000_000_000), "about how many entries the stream keeps", example: "10000")
  static let ids = Option(
    "ids", OptionType<IDs>.choice(), default: "own",
    "the ids of entries: the sink's own, or those of the server")
  static let expire = Option.optional(
    "expire", .duration, "after what time the server deletes the key", example: "30d")
  static let timeout = Option("timeout", .duration, default: "10s", "the time limit of an answer")

  static let ways = [stream, channel, key, hash]

  static func check(_ options: Options, _ checker: Checker) {
    let given = ways.filter { options.isGiven($0) }
    if given.count != 1 {
      return checker.report(
        given.isEmpty
          ? "redis needs a stream, a channel, a key or a hash"
          : "\(given[0].name) and \(given[1].name) exclude each other",
        at: options.place, hint: given.isEmpty ? "for example stream: launches" : "write a sink for each")
    }
    let (isStream, isHash) = (options.isGiven(stream), options.isGiven(hash))
    func report(_ name: String, _ isGiven: Bool, needs what: String) {
      if isGiven { checker.report("\(name) has no effect without \(what)", at: options.place) }
    }
    if !isStream {
      report("max", options.isGiven(max), needs: "stream")
      report("ids", options.isGiven(ids), needs: "stream")
    }
    if !isStream, !isHash { report("field", options.isGiven(field), needs: "stream or hash") }
    if !options.isGiven(key) { report("expire", options.isGiven(expire), needs: "key") }
    if isHash, !options.isGiven(field) {
      checker.report("a hash needs a field", at: options.place, hint: #"as in field: '\(.key)'"#)
    }
    guard isStream, options[ids] == .own else { return }
    if options[DeliveryOptions.concurrency] > 1 {
      checker.report(
        "entries with ids of the sink's own are added one at a time",
        at: options.place(of: DeliveryOptions.concurrency),
        hint: "leave concurrency out, or add ids: server")
    }
    if let name = options[stream]?.constant {
      checker.claim(
        "ids of \(name) at \(options[RedisOptions.server])", at: options.place(of: stream),
        "another sink adds to this stream with ids of its own",
        hint: "add ids: server to both: the server refuses ids that do not ascend")
    }
  }
}

private final class RedisSink: DeliverySink {
  /// The name under which the time in the ids is stored.
  private static let note = "ids"

  private let context: SinkContext
  private let way: (name: String, template: Evaluation)
  private let field: Evaluation?
  private let limit: [String]
  private let expiry: Duration?
  private let payload: Payload
  private let flags: [String]
  private let ids: RedisEntryIDs?
  private var isNoted = false
  let queue: DeliveryQueue

  init(_ options: Options, _ context: SinkContext) throws {
    self.context = context
    guard let way = RedisSinkOptions.ways.first(where: { options[$0] != nil }), let template = options[way]
    else {
      throw Sentence("redis needs a stream, a channel, a key or a hash")
    }
    self.way = (way.name, context.evaluation(template))
    field = options[RedisSinkOptions.field].map { context.evaluation($0) }
    limit = options[RedisSinkOptions.max].map { ["MAXLEN", "~", "\($0)"] } ?? []
    expiry = options[RedisSinkOptions.expire]
    payload = Payload(options, context)
    let settings = RedisOptions.settings(options)
    flags = ["-u", "\(settings.server)"]
    if way.name == "stream", options[RedisSinkOptions.ids] == .own, let outbox = context.outbox {
      // A state that was copied, or another one, must not use the same.
      let stored = try outbox.notes(beginning: Self.note).first?.value
      let known = stored?.member("state")?.string == outbox.stateID ? stored?.member("time")?.double : nil
      isNoted = known != nil
      ids = RedisEntryIDs(
        time: UInt64(known ?? max(1, context.lane.world.wallClock() * 1000)),
        warn: { [log = context.log] in log.warning($0) })
    } else {
      ids = nil
    }
    let transport = try LinkedTransport(
      .init(server: "\(settings.server)", timeout: options[RedisSinkOptions.timeout]), context,
      read: { RedisItem(stored: $0) }
    ) { [ids, envelope = payload.envelope] stop, meanwhile in
      try RedisDelivery(settings, envelope, ids, stop, meanwhile)
    }
    queue = DeliveryQueue(DeliveryOptions.settings(options), context, transport)
  }

  func take(_ event: Event) throws {
    let place = try event.text(way.template)
    if place.isEmpty { throw Sentence("the \(way.name) is empty") }
    let item = try item(for: event, place)
    if context.isDryRun {
      let arguments = try item.arguments(id: "dry-run", in: payload.envelope, ids: nil)
      return queue.dryRun.add(["redis-cli"] + flags + arguments.map { String(decoding: $0, as: UTF8.self) })
    }
    if let ids, !isNoted, let outbox = context.outbox, !queue.isSuppressed {
      isNoted = true
      outbox.setNote(
        .record([("state", .string(outbox.stateID)), ("time", .number(Double(ids.time)))]), Self.note)
    }
    try queue.add(item)
  }

  private func item(for event: Event, _ place: String) throws -> RedisItem {
    let field = try field.map { try event.text($0) }
    switch way.name {
    case "stream":
      return RedisItem(
        command: ["XADD", place] + limit, field: field, data: try payload.text(event), event: event)
    case "channel":
      return RedisItem(command: ["PUBLISH", place], data: try payload.text(event), event: event)
    default: break
    }
    let names = field.map { [place, $0] } ?? [place]
    if event.value.member("type")?.string == "removed" {
      return RedisItem(command: [field == nil ? "DEL" : "HDEL"] + names, isBare: true, event: event)
    }
    let command =
      field != nil
      ? ["HSET"] + names
      : expiry.map { ["PSETEX", place, "\(Int($0.inSeconds * 1000))"] } ?? ["SET", place]
    // Of a change, the row as it is now.
    let data = try payload.text(event) ?? event.value.member("after")?.description
    return RedisItem(command: command, data: data, event: event)
  }
}
