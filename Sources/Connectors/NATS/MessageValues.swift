import Delivery
import Decode
import Engine
import Glibc
import JSON
import NATS

/// The values of messages that are read together.
///
/// Data that is JSON and nothing more becomes one text, a message a line, which is parsed at once; that takes a fifth of
/// the time of parsing each by itself.
final class MessageValues: StreamContent {
  /// How many messages are read at once.
  static let batch = 1024

  private let format: NATSFormat
  private let isEnvelope: Bool
  private let stream: String?
  /// Whether the messages are those of a copy in parts.
  private let isCopy: Bool
  private let limits = ReadLimits()
  private let parser: ChunkParser
  private let reporter: ParseErrorReporter
  private var text: TextBuffer
  /// Where the messages end in the text, each with a line break behind it.
  private var ends: [Int] = []
  /// The values so far, where each message is read by itself.
  private var values: [Value] = []
  private(set) var count = 0

  init(
    _ format: NATSFormat, isEnvelope: Bool, stream: String?, isCopy: Bool = false, _ context: SourceContext
  ) {
    (self.format, self.isEnvelope, self.stream, self.isCopy) = (format, isEnvelope, stream, isCopy)
    parser = ChunkParser(size: limits.chunk)
    text = TextBuffer(capacity: limits.chunk)
    reporter = ParseErrorReporter(context)
  }

  var isCounted: Bool { false }

  func noteReplaced() {}
  func missing(_ error: NATSError) -> any Error { error }
  func noteWaiting() {}

  func begin() {
    ends.removeAll(keepingCapacity: true)
    values = []
    count = 0
  }

  /// Adds a message, whose content is valid during the call.
  func add(_ message: NATSEntry) {
    count += 1
    if format == .json, !isEnvelope { return append(message.bytes) }
    guard let data = value(of: message) else { return }
    values.append(isEnvelope ? envelope(message, data) : data)
  }

  /// The values of the messages since the beginning; those that are not JSON are reported.
  ///
  /// `batch` is what the stream says about them; nil for messages of a subject.
  func take(_ batch: StreamReader.Batch?) -> [Value] {
    defer { begin() }
    guard let end = ends.last else { return values }
    var found: [Value] = []
    found.reserveCapacity(ends.count)
    // A few get documents of their own, so that keeping one value does not keep a large text.
    if end >= limits.together,
      parser.parse(&text, 0..<(end + 1), of: end + 1, eachOnItsLine: true, into: &found) != nil
    {
      return found
    }
    var start = 0
    for (index, end) in ends.enumerated() {
      let line = ByteView(rebasing: ByteView(text.memory)[start..<end])
      start = end + 1
      if let flaw = BadText.encoding("", line, lines: 0) {
        report(flaw.reason, line, place(index, batch))
        continue
      }
      do throws(ParseError) {
        found.append(contentsOf: try Value.parseAll(Array(line)))
      } catch {
        report(error.reason, line, place(index, batch))
      }
    }
    return found
  }

  func send(_ batch: StreamReader.Batch, to feed: Feed, _ progress: StreamProgress) {
    feed.send(take(batch), position: feed.storesPositions ? progress.position : nil)
  }

  /// Reports how many more were not JSON than were reported one by one.
  func summarize() { reporter.summarize() }

  private func append(_ bytes: ByteView) {
    let start = ends.last.map { $0 + 1 } ?? 0
    let end = start + bytes.count
    if end + 1 > text.capacity {
      let larger = TextBuffer(capacity: max(text.capacity * 2, end + 1))
      if let source = text.memory.baseAddress, let target = larger.memory.baseAddress {
        memcpy(target, source, start)
      }
      text = larger
    }
    guard let base = text.memory.baseAddress else { return }
    if let source = bytes.baseAddress { memcpy(base + start, source, bytes.count) }
    base[end] = UInt8(ascii: "\n")
    ends.append(end)
  }

  private func value(of message: NATSEntry) -> Value? {
    let bytes = message.bytes
    if let flaw = BadText.encoding("", bytes, lines: 0) {
      report(flaw.reason, bytes, message.header("Nats-Sequence") ?? "on \(message.subject)")
      return nil
    }
    if format == .text { return .string(bytes) }
    do throws(ParseError) {
      return try Value.parse(bytes)
    } catch {
      report(error.reason, bytes, message.header("Nats-Sequence") ?? "on \(message.subject)")
      return nil
    }
  }

  private func envelope(_ message: NATSEntry, _ data: Value) -> Value {
    var own: [(String, Value)] = []
    var known: [String: String] = [:]
    for (name, value) in message.headers {
      if stream != nil, Self.ofStream.contains(name) || isCopy && name == CopiedSequence.header {
        known[name] = value
      } else {
        own.append((name, .string(value)))
      }
    }
    let copied = isCopy ? CopiedSequence.sequence(in: known[CopiedSequence.header] ?? "") : nil
    let sequence = (copied.map { "\($0)" } ?? known["Nats-Sequence"]).flatMap { Value.literal($0) }
    let subject = known["Nats-Subject"] ?? message.subject
    return .record([
      ("subject", .string(isCopy ? SubjectParts.published(subject) : subject)),
      ("sequence", sequence ?? .null),
      ("at", known["Nats-Time-Stamp"].map { .string($0) } ?? .null),
      ("headers", .record(own.sorted { $0.0 < $1.0 })), ("data", data),
    ])
  }

  /// The headers that the server adds to a stored message.
  private static let ofStream: Set = [
    "Nats-Stream", "Nats-Subject", "Nats-Sequence", "Nats-Time-Stamp", "Nats-Num-Pending",
    "Nats-Last-Sequence",
  ]

  /// The sequence of a message of a batch, as far as it is known without its headers.
  private func place(_ index: Int, _ batch: StreamReader.Batch?) -> String {
    guard let batch else { return "" }
    let isContiguous = batch.last - batch.first == UInt64(batch.count - 1)
    return isContiguous ? "\(batch.first + UInt64(index))" : "between \(batch.first) and \(batch.last)"
  }

  private func report(_ reason: String, _ data: ByteView, _ place: String) {
    let message = stream.map { "message \(place) of \($0)" } ?? "a message \(place)"
    reporter.report("\(message): \(reason): \(BadText.excerpt(of: data))")
  }
}
