import Language
import System
import JSON
import Reactive
import Synchronization

/// An event: one JSON value on its way, and the poll it came with.
///
/// The end of a poll travels in the same line, so that it stays in order behind the events of its poll wherever they
/// are merged, shared or moved to another thread. Steps and sinks never see it in `take`: it reaches their `endPoll`.
public struct Event: Sendable {
  public var value: Value
  public var poll: Poll
  /// The index of the poll's row that the event was made from; negative where there is none.
  let row: Int32

  static let none: Int32 = -1
  private static let end: Int32 = -2

  @inline(__always)
  public init(_ value: Value, _ poll: Poll) { self.init(value, poll, row: Event.none) }

  @inline(__always)
  init(_ value: Value, _ poll: Poll, row: Int32) {
    self.value = value
    self.poll = poll
    self.row = row
  }

  /// The end of a poll.
  public static func end(of poll: Poll) -> Event { Event(.null, poll, row: end) }

  /// Whether this is the end of its poll: every event of the poll has gone by, and there is no value.
  public var isEndOfPoll: Bool { row == Event.end }

  /// The row that it was made from in messages, by its position and key: “row 3 (WM-9)”; nil for what is of no poll.
  var rowText: String? {
    guard row >= 0, poll.number > 0 else { return nil }
    return "row \(row + 1)" + (key.map { " (\(excerpt(of: printable($0.string ?? $0.description))))" } ?? "")
  }

  /// The key of the row that it was made from, by the option `key` of its source.
  public var key: Value? {
    guard let key = poll.key(ofRow: row), key.kind != .null else { return nil }
    return key
  }

  /// The same event with another value.
  @inline(__always)
  public func with(_ value: Value) -> Event { Event(value, poll, row: row) }

  /// The row of its poll that it was made from; nil where there is none, or the poll has passed.
  func row(of poll: Poll) -> Value? { poll.row(row) }

  /// The event with an old response of this age, in seconds: its `$meta` has `stale` and `age`.
  public func stale(age: Double) -> Event { Event(value, poll.stale(age: age), row: row) }

  /// The id of the entry of a list that its row came from; nil for what a step has made of rows, as `changes` does.
  @inline(__always)
  public var entry: Value? { row >= 0 ? poll.entry : nil }

  /// A key of the event: with the entry that its row came from, since rows of two entries may have the same key.
  ///
  /// Null, where all events are one, stays null.
  @inline(__always)
  public func keyed(_ key: Value) -> Value {
    guard let entry, key.kind != .null else { return key }
    return .array([entry, key])
  }

  /// The event without the text it was read from, to store it beyond its turn.
  public var detached: Event {
    if isEndOfPoll {
      poll.keepKeys()
      return self
    }
    poll.keepKey(ofRow: row)
    return with(value.packed())
  }

  /// The position of the event's row in an order of its source's list, whatever steps have made of the value since;
  /// nil where the row has none, and for an event that its poll has outlived.
  public func position(in order: RowOrder) -> Value? {
    poll.row(row).flatMap { order.position(of: $0) }
  }
}

/// A poll: one answer of a source, what its events have in common, and what expressions see as `$meta`.
public final class Poll: Sendable {
  /// The name that the pipeline gives the source.
  public let source: String
  /// Counted from one; zero where the source has no polls, as a file.
  public let number: Int
  /// When it was read, in seconds since 1970.
  public let at: Double
  /// The members that the source adds to `$meta`, an object.
  public let notes: Value
  /// How much of the source's list it has seen.
  public let coverage: Coverage
  /// The id of the entry that it is a poll of, where the source is polled over a list of them.
  public let entry: Value?
  /// The name of the list whose rows it has: that of the source, with the entry where it is polled over several.
  public let list: String
  private let missesEvents = Atomic<Bool>(false)
  /// The poll that this is a copy of, for an event with an old response.
  private let whole: Poll?
  /// The rows as the source has sent them, until all are on their way.
  private let rows: LaneLocal<[Value]>
  /// Whether the source has keys; set before there is any event.
  private let hasKeys = Atomic<Bool>(false)
  /// The keys of the rows; the tasks below a partition use them at once.
  private let rowKeys = Locked<RowKeys?>(nil)
  /// `$meta`, made when it is first needed: every expression of every task needs it.
  private let madeMeta = Locked<Value?>(nil)

  public init(
    source: String, number: Int = 0, at: Double, notes: Value = .emptyObject, coverage: Coverage = .complete,
    rows: [Value] = []
  ) {
    self.source = source
    self.number = number
    self.at = at
    self.notes = notes
    self.coverage = coverage
    self.rows = LaneLocal(rows)
    entry = notes.member(Poll.entry) ?? notes.member(Poll.each)
    list = Poll.list(of: source, entry)
    whole = nil
  }

  static func list(of source: String, _ entry: Value?) -> String {
    entry.map { "\(source)[\($0)]" } ?? source
  }

  private init(_ whole: Poll, notes: Value) {
    (source, number, at, coverage) = (whole.source, whole.number, whole.at, whole.coverage)
    (self.notes, rows, self.whole) = (notes, whole.rows, whole)
    (entry, list) = (whole.entry, whole.list)
  }

  /// The members of `$meta` for an entry, for its id where that is not the entry itself, and for one that has left the list.
  package static let (each, entry, gone) = ("each", "entry", "gone")

  /// The members for the paths of the pictures of its page: the one it was read from, and the one before.
  package static let (screenshot, screenshotBefore) = ("screenshot", "screenshot_before")

  /// Marks the pictures of the page, which an event names that has come to a sink: they are kept.
  func namePictures() {
    for member in [Poll.screenshot, Poll.screenshotBefore] {
      if let path = notes.member(member)?.string { KeptPicture.name(at: path) }
    }
  }

  /// Set for the last poll of an entry that has left its list: what happens to its rows.
  public var gone: GoneRows? { notes.member(Poll.gone)?.string.flatMap { GoneRows(rawValue: $0) } }

  /// The poll for an event with an old response; what happens to the event happens to this one.
  fileprivate func stale(age: Double) -> Poll {
    var notes = notes
    notes.setMember("stale", .bool(true))
    notes.setMember("age", .number(max(age.rounded(), notes.member("age")?.double ?? 0)))
    return Poll(whole ?? self, notes: notes)
  }

  /// Whether it is that poll, or its copy for an event with an old response.
  public func isPart(of poll: Poll) -> Bool { (whole ?? self) === poll }

  /// Whether it is that poll, perhaps of an event that was stored.
  public func isSame(as other: Poll) -> Bool {
    self === other || number > 0 && number == other.number && at == other.at && list == other.list
  }

  /// Whether a step failed on one of its events, which is missing behind that step.
  public var isMissingEvents: Bool { (whole ?? self).missesEvents.load(ordering: .relaxed) }

  /// Whether it repeats an older answer, since the source had no other: it confirms nothing.
  public var isStale: Bool { notes.member("stale")?.isTruthy ?? false }

  /// The keys of its rows, null for a row without one, and those of the poll before; nil where the source has none.
  public var keys: [Value]? { withKeys { $0?.all } }
  var keysBefore: Set<Value>? { withKeys { $0?.before } }

  func note(keys: [Value], after before: Set<Value>) {
    rowKeys.withLock { $0 = RowKeys(all: keys, before: before) }
    hasKeys.store(true, ordering: .relaxed)
  }

  private struct RowKeys: Sendable {
    var all: [Value]
    var before: Set<Value>
    /// The keys of events that are kept beyond the poll, by row.
    var kept: [Int32: Value] = [:]
    /// Whether its end is kept.
    var isKept = false
  }

  private func withKeys<Output: Sendable>(_ body: (inout RowKeys?) -> Output?) -> Output? {
    let poll = whole ?? self
    return poll.hasKeys.load(ordering: .relaxed) ? poll.rowKeys.withLock { body(&$0) } : nil
  }

  fileprivate func key(ofRow row: Int32) -> Value? {
    withKeys { keys in
      keys?.kept[row] ?? keys.flatMap { $0.all.indices.contains(Int(row)) ? $0.all[Int(row)] : nil }
    }
  }

  /// Keeps the key of a row whose event is kept itself.
  fileprivate func keepKey(ofRow row: Int32) {
    _ = withKeys { keys -> Void? in
      if let all = keys?.all, all.indices.contains(Int(row)) { keys?.kept[row] = all[Int(row)].detach() }
    }
  }

  /// Keeps all keys for the end of the poll, which is kept itself.
  func keepKeys() { _ = withKeys { keys -> Void? in keys?.isKept = true } }

  func markMissingEvents() { (whole ?? self).missesEvents.store(true, ordering: .relaxed) }

  /// Whether an event that is missing cannot simply have been left out.
  public var isComplete: Bool { coverage != .partial && !isMissingEvents }

  fileprivate func row(_ index: Int32) -> Value? {
    rows.value.indices.contains(Int(index)) ? rows.value[Int(index)] : nil
  }

  /// Lets the memory of the rows and their keys go once the poll has passed; its events keep their own.
  func forgetRows() {
    rows.value = []
    _ = withKeys { keys -> Void? in
      if let present = keys, !present.isKept {
        keys = present.kept.isEmpty ? nil : RowKeys(all: [], before: [], kept: present.kept)
      }
    }
  }

  /// `$meta`: source, poll, time and coverage, and whatever the source adds.
  public var meta: Value {
    madeMeta.withLock { made in
      if let made { return made }
      let meta = makeMeta()
      made = meta
      return meta
    }
  }

  private func makeMeta() -> Value {
    var meta = Value.emptyObject
    meta.setMember("source", .string(source))
    meta.setMember("poll", number == 0 ? .null : .number(number))
    meta.setMember("at", .string(timestamp(at)))
    if number > 0 { for (name, value) in coverage.members { meta.setMember(Key(name), value) } }
    meta.merge(notes)
    return meta
  }
}

/// A batch: the values that a source hands to its pipeline at a time; the lane takes them in one turn.
public struct SourceBatch: Sendable {
  public var values: [Value]
  public var poll: Poll
  /// Whether the poll is complete with it.
  public var endsPoll: Bool
  /// Where the source would have to go on behind it, as JSON.
  public var position: Value?
  /// Whether everything has come that a run before this one can have read.
  public var isCaughtUp: Bool
  /// Reports when it is committed, to a sender that waits for that.
  public var acknowledgement: Acknowledgement?

  public init(
    _ values: [Value], _ poll: Poll, endsPoll: Bool, position: Value? = nil, isCaughtUp: Bool = false,
    acknowledgement: Acknowledgement? = nil
  ) {
    self.acknowledgement = acknowledgement
    self.values = values
    self.poll = poll
    self.endsPoll = endsPoll
    self.position = position
    self.isCaughtUp = isCaughtUp
  }
}

/// The fate of the rows of an entry that has left its list.
public enum GoneRows: String, CaseIterable, Sendable {
  /// They are removed, which is reported.
  case remove
  /// They are forgotten in silence.
  case forget
}
