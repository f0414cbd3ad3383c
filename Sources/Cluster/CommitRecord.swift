import Store

/// A record of an assignment's log: a line of text, then a payload.
///
///     E LOG GENERATION ORDINAL WRITER DIGEST PART/PARTS
struct CommitRecord: Equatable {
  enum Kind: Equatable {
    /// A worker takes the assignment over.
    case takeover
    /// A part of the delta that leads to the ordinal; only one whose parts all follow each other counts.
    case delta(part: Int, of: Int)
    /// An image of the state at the ordinal is stored under an id.
    case image(id: String)
    /// The owner has released the assignment.
    case release
  }

  var kind: Kind
  /// The id of the log, chosen by its first writer.
  var log: String
  /// How often the assignment was taken over.
  var generation: Int64
  /// The number of complete deltas, this one included.
  var ordinal: Int64
  /// The worker that has written it.
  var writer: String
  /// The digest of the plan.
  var digest: String
  var payload: [UInt8] = []

  init(
    _ kind: Kind, log: String, generation: Int64, ordinal: Int64, writer: String, digest: String,
    payload: [UInt8] = []
  ) {
    (self.kind, self.log, self.generation, self.ordinal) = (kind, log, generation, ordinal)
    (self.writer, self.digest, self.payload) = (writer, digest, payload)
  }

  /// Nil for bytes that are no record.
  init?(_ bytes: [UInt8]) {
    guard let end = bytes.firstIndex(of: 0x0a) else { return nil }
    let words = String(decoding: bytes[..<end], as: UTF8.self)
      .split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard words.count == 7, let generation = Int64(words[2]), let ordinal = Int64(words[3]) else {
      return nil
    }
    switch words[0] {
    case "T": kind = .takeover
    case "L": kind = .release
    case "S": kind = .image(id: words[6])
    case "E":
      let parts = words[6].split(separator: "/").compactMap { Int($0) }
      guard parts.count == 2, parts[0] >= 0, parts[0] < parts[1] else { return nil }
      kind = .delta(part: parts[0], of: parts[1])
    default: return nil
    }
    (log, self.generation, self.ordinal, writer, digest) = (words[1], generation, ordinal, words[4], words[5])
    payload = Array(bytes[bytes.index(after: end)...])
  }

  var bytes: [UInt8] {
    let (letter, detail) =
      switch kind {
      case .takeover: ("T", "-")
      case .release: ("L", "-")
      case .image(let id): ("S", id)
      case .delta(let part, let parts): ("E", "\(part)/\(parts)")
      }
    return Array("\(letter) \(log) \(generation) \(ordinal) \(writer) \(digest) \(detail)\n".utf8) + payload
  }
}

extension CommitRecord {
  /// The id of an image of the state at an ordinal, with the writer of that ordinal.
  static func imageID(_ generation: Int64, _ ordinal: Int64, _ writer: String) -> String {
    "\(generation)-\(ordinal)-\(writer)"
  }

  /// The writer in the id of an image, which may be another than that of its record: see `CommitLog.begin`.
  static func writer(ofImage id: String) -> String? {
    let words = id.split(separator: "-", maxSplits: 2)
    return words.count == 3 ? String(words[2]) : nil
  }
}

/// The sum of the records of a log: the newest image, and the deltas behind it.
struct LogContent {
  private(set) var log = ""
  private(set) var ordinal: Int64 = 0
  private(set) var image: (id: String, ordinal: Int64, writer: String)?
  private(set) var deltas: [(ordinal: Int64, bytes: [UInt8], writer: String)] = []
  private var parts: (ordinal: Int64, count: Int, bytes: [UInt8])?

  enum History { case same, other, unknown }

  /// Whether a state of this log, with its writers, has the same transactions, as far as both go.
  ///
  /// It may not: the servers may have got older disks, and others may have gone on from these.
  func history(of ordinal: Int64, _ writers: LogWriters?) -> History {
    let last = min(ordinal, self.ordinal)
    let writer = last == image?.ordinal ? image?.writer : deltas.first { $0.ordinal == last }?.writer
    // Before the first transaction, or before an image, which replaces the state.
    guard let writer else { return .same }
    guard let known = writers?.writer(of: last) else { return .unknown }
    return known == writer ? .same : .other
  }

  /// Adds the next record; false where it does not continue the log.
  mutating func add(_ record: CommitRecord) -> Bool {
    if log.isEmpty { log = record.log }
    guard record.log == log else { return false }
    switch record.kind {
    case .takeover, .release: parts = nil
    case .image(let id):
      parts = nil
      // What lies before the first image that is left was purged.
      image = (id, record.ordinal, CommitRecord.writer(ofImage: id) ?? record.writer)
      deltas.removeAll { $0.ordinal <= record.ordinal }
      ordinal = record.ordinal
    case .delta(let part, let count):
      if part == 0 { parts = (record.ordinal, 0, []) }
      guard var open = parts, open.ordinal == record.ordinal, open.count == part else {
        parts = nil
        return true
      }
      open.bytes += record.payload
      open.count += 1
      parts = open
      if open.count < count { return true }
      parts = nil
      guard record.ordinal == ordinal + 1 else { return false }
      deltas.append((record.ordinal, open.bytes, record.writer))
      ordinal = record.ordinal
    }
    return true
  }
}

/// The status of an assignment by the last record of its log.
public struct LogStatus: Equatable, Sendable {
  /// The worker that has written last.
  public var writer: String
  public var isReleased: Bool
  public var generation: Int64
  /// How many transactions there have been.
  public var ordinal: Int64

  /// Nil for bytes that are no record.
  public init?(_ bytes: [UInt8]) {
    guard let record = CommitRecord(bytes) else { return nil }
    writer = String(record.writer.prefix { $0 != "#" })
    isReleased = record.kind == .release
    (generation, ordinal) = (record.generation, record.ordinal)
  }
}
