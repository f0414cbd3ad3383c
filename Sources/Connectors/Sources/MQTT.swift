import Delivery
import Decode
import Engine
import JSON
import Language
import Reactive
import System

/// `mqtt`: subscribes to topics of an MQTT server.
package let mqttSource = NodeSpec(
  "mqtt", "subscribe to topics of an MQTT server",
  reference: .init(PackageResources.mqtt_source_md, sharing: ["mqtt": MQTTOptions.details]),
  options: AnyOption.list(
    MQTTSourceOptions.topics, MQTTSourceOptions.qos, MQTTSourceOptions.retained, MQTTSourceOptions.envelope,
    Decoding.option, MQTTSourceOptions.maxBody, MQTTSourceOptions.session) + MQTTOptions.list,
  shorthand: "topics", state: "the id of the client, and the topics that its session has",
  hasDurableState: true,
  check: { options, checker in
    MQTTOptions.check(options, checker)
    if options.isGiven(MQTTSourceOptions.session), options[MQTTSourceOptions.qos] == 0 {
      checker.report(
        "session has no effect with qos 0, of which a server keeps nothing",
        at: options.place(of: MQTTSourceOptions.session))
    }
  },
  .stream { options, context in MQTTSource(options, context) })

private enum MQTTSourceOptions {
  static let topics = Option.required(
    "topics", .list(of: .mqttTopic(allowsWildcards: true), count: 1...), "the topics; + and # are wildcards",
    example: "[zigbee2mqtt/+, home/+/door]")
  static let qos = Option(
    "qos", .integer(0...1), default: "1",
    "how messages are delivered: at most once (0) or at least once (1)")
  static let retained = Option(
    "retained", .boolean, default: "true",
    "whether messages that the server has kept for new subscribers are events")
  static let envelope = Option(
    "envelope", .boolean, default: "false", "whether the event has the topic besides the data")
  static let maxBody = Option("max_body", .size, default: "8MiB", "the longest data of a message")
  static let session = Option(
    "session", .duration, default: "7d", "how long the server keeps messages for a pipeline that does not run"
  )
}

/// Sends the messages that have come to the pipeline, and acknowledges them when they are committed.
private final class MQTTSource: StreamSource {
  /// With --once, topics on which nothing comes for so long have nothing more for now.
  private static let once = (silence: Duration.seconds(1), time: Duration.seconds(60))
  /// The keepalive, longer than a pipeline usually waits.
  ///
  /// While it does, nothing can be sent before acknowledgements. The system notices a server that is gone, and `watch` one
  /// that is frozen.
  private static let keepalive: Int32 = 1200

  private let options: Options
  private let context: SourceContext
  private let decoding: Decoding
  private let topics: [String]
  private let quality: Int
  private let reporter: ParseErrorReporter
  private var settings: MQTTSettings
  /// The subscriptions of the client's session, as an earlier run or connection has stored them; nil where
  /// there are none.
  private var subscribed: (topics: [String], quality: Int)?
  private let link: ConnectionLink
  /// Whether a lost session was reported, since there was a good connection.
  private var hasReportedLoss = false

  init(_ options: Options, _ context: SourceContext) {
    self.options = options
    self.context = context
    link = ConnectionLink(SourceLinkHealth(context))
    decoding = context.decoding(options)
    topics = options[MQTTSourceOptions.topics]
    quality = options[MQTTSourceOptions.qos]
    reporter = ParseErrorReporter(context)
    settings = MQTTOptions.settings(options)
    let stored = context.position
    (settings.keepalive, settings.mostBytes) = (Self.keepalive, options[MQTTSourceOptions.maxBody])
    let given =
      context.storesPositions ? options[MQTTOptions.client] ?? stored?.member("client")?.string : nil
    settings.client = given ?? "flow-" + String(UInt64(context.world.random() * Double(1 << 53)), radix: 36)
    guard context.storesPositions else { return }
    settings.sessionTime = UInt32(min(max(1, options[MQTTSourceOptions.session].inSeconds), 4e9))
    guard let topics = stored?.member("topics")?.items, let client = stored?.member("client")?.string,
      let server = stored?.member("server")?.string
    else { return }
    let quality = Int(stored?.member("qos")?.double ?? -1)
    if client == settings.client, server == "\(settings.server)" {
      subscribed = (topics.compactMap(\.string), quality)
    } else if quality > 0 {
      context.log.warning(
        "\(server) keeps the session of \(client), which earlier runs had, until it ends: what has come there since the last of them is not read"
      )
    }
  }

  private func position(_ subscribed: (topics: [String], quality: Int)?) -> Value {
    var members: [(String, Value)] = [
      ("client", .string(settings.client)), ("server", .string("\(settings.server)")),
    ]
    if let (topics, quality) = subscribed {
      members += [("topics", .array(topics.map { .string($0) })), ("qos", .number(quality))]
    }
    return .record(members)
  }

  func run(_ feed: Feed) throws {
    defer { reporter.summarize() }
    // A session of the client that no run of this state has made is not that of the pipeline.
    var hasStranger =
      context.storesPositions && context.position == nil && options.isGiven(MQTTOptions.client)
    // Before the server has anything for that client: a run that is killed must not forget it.
    if context.storesPositions, context.position == nil {
      guard feed.commit([], position: position(subscribed), stop: context.stop) == true else { return }
    }
    try link.run {
      if hasStranger { try MQTTConnection(settings, isClean: true, context.stop).close() }
      hasStranger = false
      let connection = try MQTTConnection(settings, isClean: !context.storesPositions, context.stop)
      try deliver(connection, feed)
      try subscribe(connection, feed)
      link.noteConnected()
      try read(connection, feed)
      return .done
    }
  }

  // MARK: - Subscriptions

  /// Subscribes to what the session of the client does not have.
  private func subscribe(_ connection: MQTTConnection, _ feed: Feed) throws(MQTTError) {
    if let subscribed, !connection.hasSession, subscribed.quality > 0, !hasReportedLoss {
      hasReportedLoss = true
      context.log.warning(
        "\(settings.server) has no session of \(settings.client) any more: what was sent since the last connection is lost"
      )
    }
    let before = connection.hasSession ? subscribed : nil
    if Set(before?.topics ?? []) != Set(topics) || before?.quality != quality {
      connection.unsubscribe(from: (before?.topics ?? []).filter { !topics.contains($0) })
      // What is retained would come again of the others.
      let new = topics.filter { before?.quality != quality || before?.topics.contains($0) != true }
      let granted = try connection.subscribe(to: new, quality: quality)
      for (topic, answer) in zip(new, granted) {
        if answer >= 128 {
          throw MQTTError("\(settings.server): the server refuses the topic \(quoted(topic))", mayPass: false)
        }
        if answer < quality {
          context.log.warning(
            "\(settings.server) delivers \(quoted(topic)) with QoS \(answer) and not \(quality)"
              + (answer == 0 ? ": messages may be lost" : ""))
        }
      }
      if context.storesPositions {
        subscribed = (topics, quality)
        feed.send([], position: position(subscribed))
      }
    }
    if !link.wasConnected {
      context.log.notice(
        "reads \(topics.joined(separator: ", ")) of \(settings.server) as \(settings.client)")
    }
  }

  // MARK: - Messages

  private func read(_ connection: MQTTConnection, _ feed: Feed) throws(MQTTError) {
    let start = MonotonicClock.now
    var end = start + Self.once.silence
    while !feed.isStopped {
      try connection.turn(
        until: MonotonicClock.now + (context.isOnce ? .milliseconds(100) : MQTTConnection.longestWait))
      if try deliver(connection, feed) {
        end = MonotonicClock.now + Self.once.silence
      }
      try connection.watch()
      if context.isOnce, MonotonicClock.now > min(end, start + Self.once.time) { break }
    }
    connection.close()
  }

  /// Sends what has come to the pipeline, waits for its commit, and acknowledges it; false where nothing has come.
  @discardableResult
  private func deliver(_ connection: MQTTConnection, _ feed: Feed) throws(MQTTError) -> Bool {
    let messages = connection.takeMessages()
    if !messages.isEmpty {
      link.noteReceived()
      hasReportedLoss = false
    }
    let values = messages.flatMap(self.values)
    if messages.allSatisfy({ $0.quality == 0 }) {
      feed.send(values)
    } else if !values.isEmpty, feed.commit(values, stop: context.stop) != true {
      // Not acknowledged: the server sends them again.
      throw MQTTError("\(settings.server): \(messages.count) messages could not be committed")
    }
    try connection.flush()
    return !messages.isEmpty
  }

  private func values(_ message: MQTTConnection.Message) -> [Value] {
    if message.isRetained, !options[MQTTSourceOptions.retained] { return [] }
    if message.count > settings.mostBytes {
      refuse(message, "it has \(message.count) bytes, more than max_body")
      return []
    }
    // Of a session that had other topics before.
    if !topics.contains(where: { MQTTTopic.matches(message.topic, $0) }) {
      refuse(message, "its topic is none of the pipeline's any more")
      return []
    }
    var values: [Value]
    if !options.isGiven(Decoding.option) {
      values =
        message.data.isEmpty
        ? [] : [(try? Value.parse(message.data)) ?? .string(String(decoding: message.data, as: UTF8.self))]
    } else {
      do throws(Sentence) { values = try decoding.values(of: message.data) } catch {
        refuse(message, "\(error)")
        return []
      }
    }
    if !options[MQTTSourceOptions.envelope] { return values }
    if values.isEmpty { values = [.null] }
    return values.map { value in
      .record([
        ("topic", .string(message.topic)), ("data", value), ("retained", .bool(message.isRetained)),
        ("qos", .number(message.quality)),
      ])
    }
  }

  private func refuse(_ message: MQTTConnection.Message, _ reason: String) {
    reporter.report("a message of \(printable(message.topic)) is skipped: \(reason)")
    context.noteRefusal()
  }
}
