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
.inParts(part)

/// The source of a task that reads its part of a stream by itself; nil where the options do not divide one.
@Sendable private func part(_ pipeline: String, _ options: Options, _ number: Int, _ count: Int) -> NodeSpec?
{
  guard let token = options[NATSSourceOptions.partitionBy], let subject = options[NATSSourceOptions.subject],
    let stream = options[NATSSourceOptions.stream]
  else { return nil }
  let parts = SubjectParts(
    pipeline: pipeline, subject: subject, token: token, number: number, count: count)
  return NodeSpec(
    natsSource.kind, "read a part of \(subject) in the NATS stream \(stream), by token \(token)",
    isRepeatable: true,
    .stream { options, context in NATSSource(options, parts: parts, context) })
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

  init(_ options: Options, parts: SubjectParts? = nil, _ context: SourceContext) {
    self.context = context
    self.parts = parts
    settings = NATSOptions.settings(options, node: context.name)
    (stream, subject) = (options[NATSSourceOptions.stream], options[NATSSourceOptions.subject])
    start = options[NATSSourceOptions.from]
    values = MessageValues(
      options[NATSSourceOptions.format], isEnvelope: options[NATSSourceOptions.envelope], stream: stream,
      isCopy: parts != nil, context)
    content = values
    notes = ConnectionLog(settings.shownServers, context.log, of: context)
    link = ConnectionLink(SourceLinkHealth(context), longest: .seconds(30))
  }

  /// Reads the packs of a task below a partition.
  init(packs: PackStream, of task: Int, _ context: SourceContext) {
    self.context = context
    settings = packs.settings(context.name)
    (stream, subject, start, parts) = (packs.stream, "\(packs.subject).\(task)", .beginning, nil)
    values = MessageValues(.json, isEnvelope: false, stream: stream, context)
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
      let whole = reader(connection, stream, subject)
      var own = whole
      if parts != nil {
        guard let copy = try copy(of: whole, connection, &progress) else {
          return feed.isStopped ? .done : .again(after: .zero, because: "the connection is lost")
        }
        own = copy
      }
      if try read(own, of: whole, &progress, feed) { return .done }
      return .again(after: .zero, because: "the connection is lost")
    }
  }

  private func reader(
    _ connection: NATSConnection, _ stream: String, _ filter: String?, wakeUp: String? = nil
  ) -> StreamReader {
    StreamReader(
      connection, stream: stream, filter: filter, wakeUp: wakeUp, size: MessageValues.batch,
      stop: context.stop
    ) { [notes] in notes.see($0, losesMessages: false) }
  }

  /// The reader of the part of a stream, with the progress in the copy of it; nil where there is no connection any more.
  private func copy(
    of whole: StreamReader, _ connection: NATSConnection, _ progress: inout StreamProgress
  ) throws -> StreamReader? {
    guard let parts, let stream, let info = try info(whole, isCopied: true) else { return nil }
    let name = copyName(info.created)
    let reader = reader(connection, name, parts.filter, wakeUp: parts.wakeUp(name))
    try parts.make(name, of: stream, info, from: start, by: reader, context.log)
    if !progress.isOf(name) {
      let isFirst = progress.isOf(stream) && context.position == nil
      progress = StreamProgress(name, context.position)
      if !isFirst, !progress.isKnown {
        context.log.warning(
          "the stream \(stream) was replaced since it was read; it is read from its beginning")
      }
    }
    return reader
  }

  /// The name of the copy that the parts of the stream are in, of that time of creation.
  private func copyName(_ created: String) -> String {
    parts?.copy(of: stream ?? "", created: created) ?? ""
  }

  /// Reads until the end, or until the connection is lost for good: whether it has ended.
  private func read(
    _ reader: StreamReader, of whole: StreamReader, _ progress: inout StreamProgress, _ feed: Feed
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
    var source = CopiedSequence()
    while !feed.isStopped {
      content.begin()
      let outcome = try reader.read(from: progress.start) { message in
        if parts != nil { source.note(message) }
        content.add(message)
      }
      switch outcome {
      case .stopped: return true
      case .batch(let batch):
        if source.isBehind {
          // It goes on with the copy of another stream, which has another one.
          guard let created = look(whetherThere: whole) else {
            context.stop.wait(seconds: 0.2)
            continue
          }
          if !progress.isOf(copyName(created)) { return false }
          source.isBehind = false
        }
        if !content.isCounted, batch.first > progress.next, isDue(&lastLook, 10), let now = try? reader.info()
        {
          progress.noteDropped(before: now.first, to: subject, context.log)
        }
        progress.advance(to: batch.last)
        context.meter.noteBacklog(batch.pending)
        content.send(batch, to: feed, progress)
        if batch.pending > 0, batch.last < end { continue }
        catchUp(feed)
        if context.isOnce { return true }
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
        let isLook = isMissing || isDue(&lastLook, 30)
        if isLook, parts != nil {
          // The stream that is copied, which may be another one now: it has another copy.
          guard let created = look(whetherThere: whole) else { continue }
          if !progress.isOf(copyName(created)) { return false }
        }
        if isLook, let now = try? settled(reader.info(), reader, progress) {
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

  /// When the stream was created; where a leader says that it is missing, notes that.
  ///
  /// It was deleted then, or the servers have lost it.
  @discardableResult
  private func look(whetherThere reader: StreamReader) -> String? {
    do throws(NATSError) { return try reader.info().created } catch {
      guard !error.mayPass else { return nil }
      isMissing = true
      context.noteDisconnection(content.missing(error), .seconds(10))
      return nil
    }
  }

  /// The state of the stream, asked for until there is an answer; nil where there is none any more.
  private func info(_ reader: StreamReader, isCopied: Bool = false) throws -> StreamReader.Info? {
    while !context.stop.isSet, !reader.isClosed {
      do throws(NATSError) {
        let info = try reader.info()
        if info.allowsDirect || isCopied { return info }
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
      if !content.isCounted { progress.noteDropped(before: info.first, to: subject, context.log) }
      return
    }
    // A copy has what is to be read.
    switch parts == nil ? start : .beginning {
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
