import Engine
import JSON
import Language
import Nodes

/// A check of a log against a recording; it is given the changes in order.
protocol LogCheck: AnyObject {
  /// Takes a change and returns what is wrong with it.
  func take(_ change: Change) throws -> String?
  /// Throws for what is missing at the end of the log.
  func end() throws
  /// A sentence about the parts that it has not compared.
  var note: String? { get }
}

/// Compares a log with what its pipeline gives over the recorded polls.
final class RehearsedCheck: LogCheck {
  private var expected: ArraySlice<Value>
  /// The member of a line that has its id, which another run gives another.
  private let id: Key?
  /// Whether the log may begin behind what the polls give first, and how much of that it lacks.
  private var mayLackOldest: Bool
  private var lacking = 0

  init(
    _ plan: Plan, _ sink: String, _ recordings: Recordings, _ secrets: Secrets, mayLackOldest: Bool
  ) throws {
    self.mayLackOldest = mayLackOldest
    let rehearsal = try Rehearsal(of: plan, over: recordings, masking: secrets)
    id = plan.sinks.first { $0.name == sink }?.lineID
    expected = rehearsal.outputs.filter { $0.sink == sink }.map(\.value)[...]
  }

  var note: String? {
    lacking == 0
      ? nil
      : "\(PipelineFiles.count(lacking, "earlier change")) that the polls give must have been in older files, "
        + "which rotation has not kept"
  }

  func take(_ change: Change) -> String? {
    if mayLackOldest {
      mayLackOldest = false
      let first = expected.firstIndex { matches($0, change) } ?? expected.startIndex
      lacking = first - expected.startIndex
      expected = expected[first...]
    }
    guard let next = expected.first else { return "the recorded polls give no such change" }
    // The rows that a poll has removed are reported in any order.
    let run = expected.prefix { change.sort == .removed && isRemoval($0, at: change.at) }
    guard
      let place = run.firstIndex(where: { matches($0, change) })
        ?? (matches(next, change) ? expected.startIndex : nil)
    else { return "the recorded polls give \(next.description.prefix(300)) here" }
    expected.swapAt(expected.startIndex, place)
    expected.removeFirst()
    return nil
  }

  func end() throws {
    guard let next = expected.first else { return }
    throw VerifyCommand.Finding(
      description: "the log lacks \(PipelineFiles.count(expected.count, "change")), the first: "
        + "\(next.description.prefix(300))")
  }

  private func isRemoval(_ value: Value, at time: Value?) -> Bool {
    Change(value).map { $0.sort == .removed && $0.at == time } ?? false
  }

  private func matches(_ value: Value, _ change: Change) -> Bool {
    guard let id else { return value == change.value }
    var (value, found) = (value, change.value)
    value.removeMember(id)
    found.removeMember(id)
    return value == found
  }
}

/// Compares what a log adds up to with each complete poll of a recording.
final class PollCheck: LogCheck {
  let note: String? = nil
  private let polls: any ScriptSource
  private let name: String
  private let key: Evaluator
  private var fold = RowFold()
  private var next: (at: Double, rows: [Value]?)?
  private var hasBegun = false
  /// The rows that the last complete poll lacked.
  private var missing: Set<Value> = []
  private var last = -Double.infinity

  /// `key` is an expression; without one it is the member that has the key in all changes.
  init(_ log: ChangeLog, _ recordings: Recordings, key: String?) throws {
    let sources = recordings.sources
    guard let source = sources.first, sources.count == 1 else {
      throw WrongUse(
        sources.isEmpty
          ? "there is no recording in \(recordings.folder)"
          : "\(recordings.folder) has several recordings (\(sources.joined(separator: ", "))); name the pipeline instead of its log"
      )
    }
    name = recordings.path(of: source)
    polls = try recordings.polls(of: source)
    let key = try key ?? Self.key(of: log)
    do { self.key = try Program(key, name: "--key").evaluator() } catch {
      throw WrongUse("--key is not a valid jq expression: \(error)")
    }
    next = try nextPoll()
  }

  private static func key(of log: ChangeLog) throws -> String {
    var names: Set<Key>?
    try log.eachChange(other: { _, _ in }) { change, _ in
      guard let row = change.after ?? change.before else { return }
      let fitting = row.kind == .object ? row.keys.filter { row.member($0) == change.key } : []
      names = names.map { $0.intersection(fitting) } ?? Set(fitting)
    }
    guard let name = names?.map(\.name).sorted().first else {
      throw WrongUse("no member of the rows is their key; say what is, as in --key .id")
    }
    return ".[\(Value.string(name))]"
  }

  /// To the millisecond, as times are written.
  private func nextPoll() throws -> (at: Double, rows: [Value]?)? {
    guard let answer = try polls.next() else { return nil }
    let at = parseTimestamp(timestamp(answer.at)) ?? answer.at
    guard case .poll(let rows) = answer.content, answer.coverage == .complete else { return (at, nil) }
    return (at, rows)
  }

  func take(_ change: Change) throws -> String? {
    guard let time = change.time else { return "it has no time" }
    while let poll = next, poll.at < time { try pass(poll) }
    if let poll = next, poll.at > time, last < time, last > -.infinity {
      return "no poll was made at that time"
    }
    if time < last {
      return "its time is before that of the poll of \(timestamp(last)), whose changes are above it"
    }
    _ = fold.apply(change)
    return nil
  }

  func end() throws {
    while let poll = next { try pass(poll) }
  }

  private func pass(_ poll: (at: Double, rows: [Value]?)) throws {
    last = poll.at
    next = try nextPoll()
    guard let rows = poll.rows else { return }
    // Different rows with one key are an error, and none of them counts; nil stands for those.
    var found: [Value: Value?] = [:]
    for row in rows {
      let key = try key.first(row) ?? .null
      found.updateValue(found[key, default: row] == row ? row : nil, forKey: key)
    }
    let keys = fold.rows.map(\.key)
    let lacking = Set(keys.filter { found[$0] == nil })
    // What changes takes for a wrong answer, of which nothing counts.
    if keys.count >= 10, lacking.count * 2 > keys.count, !lacking.isSubset(of: missing) {
      missing = lacking
      return
    }
    for case (let key, let row?) in found {
      if !hasBegun { fold.assume(row, for: key) }
      if fold.row(of: key) == row { continue }
      let known =
        fold.row(of: key).map { "is another row than the log has: \(VerifyCommand.difference(row, $0))" }
        ?? "is \(excerpt(of: row)), and the log has no such row"
      throw wrong(
        poll.at, key,
        "\(known) (if its pipeline leaves fields or changes out, name the pipeline instead)"
      )
    }
    hasBegun = true
    // A row may be missing once, as with removed_after.
    if let key = lacking.first(where: missing.contains) {
      throw wrong(poll.at, key, "is missing there, and the log has not removed it")
    }
    missing = lacking
  }

  private func wrong(_ at: Double, _ key: Value, _ what: String) -> VerifyCommand.Finding {
    VerifyCommand.Finding(
      description: "\(name): the poll of \(timestamp(at)): \(KeyText.text(of: key)) \(what)")
  }
}
