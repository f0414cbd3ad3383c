import JSON
import Language

/// A pack: events of one poll on their way to a task below a partition on another machine, as one message.
///
/// The first line says what they have in common, then comes a value a line. Where a poll has not seen the whole of its
/// source's list, the rows that the events were made from follow, since their positions in that list matter.
public struct Pack: Sendable {
  /// The sender's chain of packs: another one where its state was removed.
  public var chain: String
  /// Counted from one for each receiver.
  public var ordinal: Int64
  /// The receiver.
  public var task: Int
  public private(set) var poll: Poll
  private var values: [Value] = []
  private var rows: [Value] = []
  /// Whether its poll ends with it.
  public var endsPoll = false
  /// Whether the next pack continues it: both are taken in one turn.
  public var isContinued = false

  public init(chain: String, ordinal: Int64, task: Int, of poll: Poll) {
    (self.chain, self.ordinal, self.task, self.poll) = (chain, ordinal, task, poll)
  }

  public mutating func add(_ event: Event) {
    values.append(event.value)
    if case .truncated = poll.coverage { rows.append(event.row(of: poll) ?? .null) }
  }

  /// Adds what continues it.
  public mutating func add(_ next: Pack) {
    (values, rows) = (values + next.values, rows + next.rows)
    (ordinal, endsPoll, isContinued) = (next.ordinal, next.endsPoll, next.isContinued)
    // Whether a step has failed on an event of the poll is known at its end.
    poll = next.poll
  }

  /// The events as a source delivers them, in one turn.
  public func batch(position: Value?) -> SourceBatch {
    let poll = Poll(
      source: poll.source, number: poll.number, at: poll.at, notes: poll.notes, coverage: poll.coverage,
      rows: rows)
    if self.poll.isMissingEvents { poll.markMissingEvents() }
    return SourceBatch(values, poll, endsPoll: endsPoll, position: position)
  }

  // MARK: - As a message

  public var bytes: [UInt8] {
    var header: [(String, Value)] = [
      ("chain", .string(chain)), ("ordinal", .string("\(ordinal)")), ("task", .number(task)),
      ("count", .number(values.count)),
    ]
    if endsPoll { header.append(("end", .bool(true))) }
    if isContinued { header.append(("more", .bool(true))) }
    var bytes = Value.record(header + poll.jsonValue).json
    for value in values + rows {
      bytes.append(UInt8(ascii: "\n"))
      bytes += value.json
    }
    return bytes
  }

  /// Nil for bytes that are no pack.
  public init?(_ bytes: [UInt8]) {
    guard let all = try? Value.parseAll(bytes), let header = all.first, let poll = Poll(jsonValue: header),
      let chain = header.member("chain")?.string,
      let ordinal = header.member("ordinal")?.string.flatMap({ Int64($0) }),
      let task = Int(member: header.member("task")),
      let count = Int(member: header.member("count")), count >= 0, count < all.count
    else { return nil }
    self.init(chain: chain, ordinal: ordinal, task: task, of: poll)
    (values, rows) = (Array(all[1...count]), Array(all[(count + 1)...]))
    (endsPoll, isContinued) = (header.member("end") != nil, header.member("more") != nil)
  }

  /// The receiver of a pack in its bytes.
  public static func task(of bytes: [UInt8]) -> Int? {
    guard let header = try? Value.parse(Array(bytes.prefix { $0 != UInt8(ascii: "\n") })) else { return nil }
    return Int(member: header.member("task"))
  }
}
