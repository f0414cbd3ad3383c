import JSON
import Engine
import Language
import System

/// One poll as a recording has it, a line of JSON.
///
///     {"at": "2026-01-01T00:00:00Z", "rows": [ … ]}
///     {"at": "2026-01-01T06:00:00Z", "rows": [ … ], "meta": {"stale": true}, "coverage": "partial"}
///     {"at": "2026-01-01T12:00:00Z", "error": "no answer"}
///
/// `meta` is what the source added to `$meta`; of a failed poll, the entry of a list that it was of. `coverage` is how much of
/// the list the poll has seen, with the order and the last position where it is truncated. Recordings made before there
/// was a coverage have `whole: false` instead for a partial poll. `simulated` marks the polls of a run under the simulated
/// sky.
package struct RecordedPoll {
  package enum Content {
    /// The coverage is nil where the recording does not have it.
    case rows([Value], notes: Value = .emptyObject, coverage: Coverage? = nil)
    case error(String, notes: Value = .emptyObject)
  }

  package var at: Double
  package var content: Content
  /// Only written: a recording of real polls takes no simulated ones, and the other way round.
  var isSimulated = false

  package init(at: Double, _ content: Content, isSimulated: Bool = false) {
    self.at = at
    self.content = content
    self.isSimulated = isSimulated
  }

  package init(_ value: Value) throws(Sentence) {
    guard let at = RecordedPoll.time(of: value) else {
      throw Sentence("has no time: at must be as in 2026-01-01T00:00:00Z")
    }
    self.at = at
    let notes = value.member("meta").flatMap { $0.kind == .object ? $0 : nil } ?? .emptyObject
    if let rows = value.member("rows")?.items {
      let isWhole = value.member("whole")?.isTruthy ?? true
      content = .rows(rows, notes: notes, coverage: Coverage(value) ?? (isWhole ? nil : .partial))
    } else if let error = value.member("error") {
      content = .error(error.string ?? "\(error)", notes: notes)
    } else {
      throw Sentence("has neither rows nor an error")
    }
  }

  /// When a poll was made; nil where that is not said.
  static func time(of value: Value) -> Double? {
    let given = value.kind == .object ? value.member("at") : nil
    return given?.double ?? given?.string.flatMap { parseTimestamp($0) }
  }

  /// The line, with its end.
  package var line: [UInt8] {
    var members: [(String, Value)] = [("at", .string(timestamp(at)))]
    func add(_ name: String, _ value: Value, _ notes: Value) {
      members.append((name, value))
      if notes != .emptyObject { members.append(("meta", notes)) }
    }
    switch content {
    case .rows(let rows, let notes, let coverage):
      add("rows", .array(rows), notes)
      if let coverage { members += coverage.members }
    case .error(let message, let notes): add("error", .string(message), notes)
    }
    if isSimulated { members.append(("simulated", .bool(true))) }
    return Value.record(members).json + [UInt8(ascii: "\n")]
  }

  /// The poll as an answer of a script; `assumed` gives the coverage of one whose recording does not have it.
  package func answer(assuming assumed: ([Value]) -> Coverage) -> ScriptedAnswer {
    switch content {
    case .rows(let rows, let notes, let coverage):
      ScriptedAnswer(at: at, .poll(rows), notes: notes, coverage: coverage ?? assumed(rows))
    case .error(let message, let notes): ScriptedAnswer(at: at, .failure(message), notes: notes)
    }
  }
}
