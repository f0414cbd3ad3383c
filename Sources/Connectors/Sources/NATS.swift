import Delivery
import Engine
import JSON
import Language
import NATS
import System

/// `nats`: reads a NATS JetStream stream from a stored position on, or listens to a subject.
package let natsSource = NodeSpec(
  "nats", "read messages of a NATS stream or subject",
  reference: .init(PackageResources.nats_source_md),
  options: AnyOption.list(
    NATSSourceOptions.stream, NATSSourceOptions.subject, NATSSourceOptions.partitionBy,
    NATSSourceOptions.from, NATSSourceOptions.format, NATSSourceOptions.envelope) + NATSOptions.list,
  shorthand: "stream", isRepeatable: true,
  check: { options, checker in
    NATSOptions.check(options, checker)
    let isStream = options.isGiven(NATSSourceOptions.stream)
    if !isStream, !options.isGiven(NATSSourceOptions.subject) {
      checker.report(
        "nats needs a stream or a subject", at: options.place, hint: "for example stream: ORDERS")
    } else if !isStream, options.isGiven(NATSSourceOptions.from) {
      checker.report(
        "from has no effect without stream: a subject has no past",
        at: options.place(of: NATSSourceOptions.from))
    }
    checkParts(options, checker)
  },
  .stream { options, context in NATSSource(options, context) }
)
.inParts { options, number, count in
  guard options[NATSSourceOptions.partitionBy] != nil else { return nil }
  return NodeSpec(
    "nats", "read one part of a NATS stream", isRepeatable: true,
    .stream { options, context in NATSSource(options, part: (number, count), context) })
}

/// Reports parts that a stream cannot be read in.
private func checkParts(_ options: Options, _ checker: Checker) {
  guard let token = options[NATSSourceOptions.partitionBy] else { return }
  let place = options.place(of: NATSSourceOptions.partitionBy)
  let tokens = options[NATSSourceOptions.subject]?.split(separator: ".") ?? []
  if !options.isGiven(NATSSourceOptions.stream) {
    checker.report("partition_by divides a stream, and there is none", at: place)
  } else if !tokens.indices.contains(token - 1) || tokens[token - 1] != "*" {
    checker.report(
      "token \(token) of the subject is no *, so it is not a key", at: place,
      hint: "as in subject: orders.* with partition_by: token 2")
  } else if case .time = options[NATSSourceOptions.from] {
    checker.report(
      "partition_by does not go with a time in from", at: options.place(of: NATSSourceOptions.from),
      hint: "give the sequence of a message")
  }
}

private enum NATSSourceOptions {
  static let stream = Option.optional(
    "stream", .natsStream, "the stream to read", example: "ORDERS")
  static let subject = Option.optional(
    "subject", .natsSubject(allowsWildcards: true),
    "the subject to listen to or, with `stream`, the subject of the messages to read; * and > are wildcards",
    example: "orders.eu.>")
  static let partitionBy = Option.optional(
    "partition_by", SubjectParts.type,
    "the token of `subject` by which each task of a `partition` reads its own part in a cluster",
    example: "token 2")
  static let from = Option(
    "from", NATSStart.type, default: "beginning",
    "where a run without a stored position begins: `beginning`, `end`, a sequence in the stream, or a time")
  static let format = Option(
    "format", .choice(of: NATSFormat.self), default: "json", "what the data of a message is")
  static let envelope = Option(
    "envelope", .boolean, default: "false", "whether the event has subject, time and headers besides the data"
  )
}

/// The format of the data of a message.
enum NATSFormat: String, CaseIterable, Sendable { case json, text }

/// Where to begin in a stream.
enum NATSStart: Sendable, Equatable {
  case beginning, end
  case sequence(UInt64)
  /// In seconds since 1970.
  case time(Double)

  static let type: OptionType<NATSStart> = {
    let text = OptionType<String>.text
    return OptionType<NATSStart>(
      "beginning, end, a sequence or a time", sample: "end",
      schema: .record([("type", .array(["string", "integer"]))])
    ) { node, checker in
      guard let text = text.decode(node, checker) else { return nil }
      if text == "beginning" { return .beginning }
      if text == "end" { return .end }
      if let number = UInt64(text), number > 0 { return .sequence(number) }
      if let time = parseTimestamp(text) { return .time(time) }
      checker.report(
        "\(quoted(text)) is not a place in a stream", at: node.place,
        hint: "beginning, end, a sequence such as 1200, or a time such as 2026-01-01T00:00:00Z")
      return nil
    }
  }()
}

/// The content of messages of a stream that are read together.
protocol StreamContent {
  /// Whether it counts its messages itself, so that it misses those that were removed before they were read.
  var isCounted: Bool { get }
  func begin()
  /// Adds a message, whose content is valid during the call.
  func add(_ message: NATSEntry)
  /// Delivers what was added, the messages of a batch, behind which the progress is.
  func send(_ batch: StreamReader.Batch, to feed: Feed, _ progress: StreamProgress)
  /// Notes that the stream is not the one that was read.
  func noteReplaced()
  /// The error of a stream that is not there any more.
  func missing(_ error: NATSError) -> any Error
  /// Reports what it has waited for too long; called also while nothing comes.
  func noteWaiting()
  /// Reports what was not reported one by one.
  func summarize()
}

/// A source that reads a stream from a position on, or listens to a subject.
final class NATSSource: StreamSource {
  private let context: SourceContext
  private let settings: NATSSettings
  private let stream: String?
  private let subject: String?
  private let parts: SubjectParts?
  private let start: NATSStart
  private let values: MessageValues
  private let content: any StreamContent
  private let notes: ConnectionLog
  private let link: ConnectionLink
  private var hasCaughtUp = false
  /// Whether the stream was found missing while it was read.
  private var isMissing = false

  init(_ options: Options, part: (number: Int, count: Int)? = nil, _ context: SourceContext) {
    self.context = context
    settings = NATSOptions.settings(options, node: context.name)
    stream = options[NATSSourceOptions.stream]
    let given = options[NATSSourceOptions.subject]
    parts = options[NATSSourceOptions.partitionBy].map {
      SubjectParts(subject: given ?? "", token: $0, part: part)
    }
    // One that reads all parts takes what the stream has, with a number and without.
    subject = parts != nil && part == nil ? nil : given
    start = options[NATSSourceOptions.from]
    values = MessageValues(
      options[NATSSourceOptions.format], isEnvelope: options[NATSSourceOptions.envelope], stream: stream,
      parts,
      context)
    content = values
    notes = ConnectionLog(settings.shownServers, context.log, of: context)
    link = ConnectionLink(SourceLinkHealth(context), longest: .seconds(30))
  }

  /// Reads the packs of a task below a partition.
  init(packs: PackStream, of task: Int, _ context: SourceContext) {
    self.context = context
    settings = packs.settings(context.name)
    (stream, subject, start, parts) = (packs.stream, "\(packs.subject).\(task)", .beginning, nil)
    values = MessageValues(.json, isEnvelope: false, stream: stream, nil, context)
    content = PackContent(context, in: packs.stream)
    notes = ConnectionLog(settings.shownServers, context.log, of: context)
    link = ConnectionLink(SourceLinkHealth(context), longest: .seconds(30))
  }

  func run(_ feed: Feed) throws {
    defer { content.summarize() }
    try NATSConnection.load()
    if let stream {
      try read(stream, feed)
    } else if let subject {
      try listen(to: subject, feed)
    }
  }

  // MARK: - A stream

  private func read(_ stream: String, _ feed: Feed) throws {
    var progress = StreamProgress(stream, context.position)
    try link.run {
      let connection = try NATSConnection(settings)
      let reader = StreamReader(
        connection, stream: stream, filter: subject, wakes: parts?.part == nil, size: MessageValues.batch,
        stop: context.stop
      ) { [notes] in notes.see($0, losesMessages: false) }
      if try read(reader, &progress, feed) { return .done }
      return .again(after: .zero, because: "the connection is lost")
    }
  }

  /// Reads until the end, or until the connection is lost for good: whether it has ended.
  private func read(
    _ reader: StreamReader, _ progress: inout StreamProgress, _ feed: Feed
  ) throws -> Bool {
    guard let first = try info(reader) else { return !reader.isClosed || feed.isStopped }
    var info = settled(first, reader, progress)
    try begin(&progress, info, feed)
    link.noteConnected()
    notes.begin()
    // All that an earlier run can have read.
    let end = info.last
    if progress.next > end { catchUp(feed) }
    var lastLook = ContinuousClock.now
    // Messages without the number of a part come before all others, also from a server that hears of the change late.
    var isBeforeParts = parts?.part != nil
    let isNew = try parts?.prepare(stream ?? "", info, reader, context.log) ?? false
    let partsBegin = isNew ? lastLook + .seconds(2) : lastLook
    while !feed.isStopped {
      content.begin()
      switch try reader.read(from: progress.start, add: content.add) {
      case .stopped: return true
      case .batch(let batch):
        if !content.isCounted, batch.first > progress.next, isDue(&lastLook, 10), let now = try? reader.info()
        {
          progress.noteDropped(before: now.first, context.log)
        }
        progress.advance(to: batch.last)
        context.meter.noteBacklog(batch.pending)
        content.send(batch, to: feed, progress)
        if isBeforeParts { continue }
        if batch.pending > 0, batch.last < end { continue }
        catchUp(feed)
        if context.isOnce { return true }
      case .empty where isBeforeParts:
        guard let hasMore = reader.leader(hasFrom: progress.next) else {
          notes.noAnswer("its leader does not say whether it has messages without a part")
          context.stop.wait(seconds: 1)
          continue
        }
        if hasMore || .now < partsBegin {
          if hasMore { reader.expectMore() }
          context.stop.wait(seconds: 0.1)
        } else {
          isBeforeParts = false
          reader.filter = parts?.filter ?? reader.filter
        }
      case .empty:
        context.meter.noteBacklog(0)
        content.noteWaiting()
        // A replica that is behind must not pass for all that an earlier run can have read.
        if context.isOnce || !hasCaughtUp, progress.next <= end, reader.leaderHasMore(from: progress.next) {
          reader.expectMore()
          context.stop.wait(seconds: 0.1)
          continue
        }
        catchUp(feed)
        if context.isOnce { return true }
        try reader.waitForMore(subjects: info.subjects)
        if isMissing || isDue(&lastLook, 30), let now = try? settled(reader.info(), reader, progress) {
          info = now
          if isMissing { context.noteConnection() }
          isMissing = false
          if progress.compare(with: now, context.log) { content.noteReplaced() }
          if progress.next <= now.last { reader.expectMore() }
        }
      case .broken(.gap): notes.gap()
      case .broken(.behind):
        notes.behind(stream ?? "")
        return false
      case .broken(.noAnswer(let reason)):
        if reader.isClosed { return false }
        if context.isOnce { throw NATSError(.unreachable, "\(settings.shownServers): \(reason)") }
        notes.noAnswer(reason)
        if isDue(&lastLook, 10) { look(whetherThere: reader) }
        context.stop.wait(seconds: 0.2)
      }
    }
    return true
  }

  /// Notes that the stream is missing, where a leader says so: it was deleted, or the servers have lost it.
  private func look(whetherThere reader: StreamReader) {
    do throws(NATSError) { _ = try reader.info() } catch {
      guard !error.mayPass else { return }
      isMissing = true
      context.noteDisconnection(content.missing(error), .seconds(10))
    }
  }

  /// The state of the stream, asked for until there is an answer; nil where there is none any more.
  private func info(_ reader: StreamReader) throws -> StreamReader.Info? {
    while !context.stop.isSet, !reader.isClosed {
      do throws(NATSError) {
        let info = try reader.info()
        if info.allowsDirect { return info }
        throw NATSError(
          .failed,
          "the stream \(stream ?? "") does not allow direct gets, by which it is read; "
            + "set allow_direct, as with nats stream edit --allow-direct")
      } catch {
        // The stream of packs is made again by a machine that starts.
        if context.isOnce || (!link.wasConnected && !error.mayPass && !content.isCounted) {
          throw NATSError(error.kind, "\(settings.shownServers): \(error)")
        }
        context.noteDisconnection(error.mayPass ? error : content.missing(error), .seconds(1))
        context.stop.wait(seconds: 1)
      }
    }
    return nil
  }

  /// The facts about the stream, once it is not shorter than what was read, or remains so: a leader that was
  /// just elected may not have applied its last messages yet.
  private func settled(
    _ info: StreamReader.Info, _ reader: StreamReader, _ progress: StreamProgress
  ) -> StreamReader.Info {
    var info = info
    for _ in 0..<5 where progress.isAhead(of: info) && !context.stop.isSet {
      context.stop.wait(seconds: 1)
      info = (try? reader.info()) ?? info
    }
    return info
  }

  /// Finds where to begin, and stores it, so that what comes between two runs is not missed.
  private func begin(_ progress: inout StreamProgress, _ info: StreamReader.Info, _ feed: Feed) throws {
    if progress.isKnown {
      if progress.compare(with: info, context.log) { content.noteReplaced() }
      if !content.isCounted { progress.noteDropped(before: info.first, context.log) }
      return
    }
    switch start {
    case .beginning: progress.begin(behind: 0, in: info)
    case .end:
      progress.begin(behind: info.last, in: info)
      if feed.storesPositions { feed.send([], position: progress.position) }
    case .sequence(let number): progress.begin(behind: number - 1, in: info)
    case .time(let time): progress.begin(at: timestamp(time), in: info)
    }
  }

  /// Declares, once, that everything that an earlier run can have read has been sent.
  private func catchUp(_ feed: Feed) {
    if hasCaughtUp { return }
    hasCaughtUp = true
    if let stream, !context.isOnce {
      context.log.notice("the stream \(stream) is read to its end; waiting for more")
    }
    feed.sayCaughtUp()
  }

  /// True, and restarts the interval, if `seconds` have passed.
  private func isDue(_ last: inout ContinuousClock.Instant, _ seconds: Int) -> Bool {
    guard last + .seconds(seconds) < .now else { return false }
    last = .now
    return true
  }

  // MARK: - A subject

  private func listen(to subject: String, _ feed: Feed) throws {
    // There is no past that an earlier run could have read.
    feed.sayCaughtUp()
    if context.isOnce {
      return context.log.notice("\(subject) has no past to read with --once; a stream would have")
    }
    try link.run {
      let connection = try NATSConnection(settings)
      try connection.subscribe(to: subject, tag: .message)
      if !link.wasConnected { context.log.notice("reads \(subject) of \(settings.shownServers)") }
      link.noteConnected()
      notes.begin()
      while !feed.isStopped {
        values.begin()
        var isClosed = false
        while values.count < MessageValues.batch, let entry = connection.next() {
          if entry.has(.message) {
            values.add(entry)
            continue
          }
          if case .closed = entry.kind { isClosed = true }
          notes.see(entry, losesMessages: true)
        }
        if values.count > 0 {
          feed.send(values.take(nil))
        } else {
          connection.wait(seconds: 60, context.stop)
        }
        if isClosed { return .again(after: .zero, because: "the connection is lost") }
      }
      return .done
    }
  }
}
