import JSON
import Engine
import Language

/// One poll as a recording has it, a line of JSON.
///
///     {"at": "2026-01-01T00:00:00Z", "rows": [ … ]}
///     {"at": "2026-01-01T06:00:00Z", "rows": [ … ], "meta": {"stale": true}, "whole": false}
///     {"at": "2026-01-01T12:00:00Z", "error": "no answer"}
///
/// `meta` is what the source added to `$meta`, `whole` is false where not all was there.
struct RecordedPoll {
  enum What {
    case rows([Value], notes: Value = .emptyObject, isWhole: Bool = true)
    case error(String)
  }

  var at: Double
  var what: What

  init(at: Double, _ what: What) {
    self.at = at
    self.what = what
  }

  /// Why a value is no poll, as the end of a sentence.
  struct Wrong: Error { let what: String }

  init(_ value: Value) throws(Wrong) {
    guard let at = RecordedPoll.time(of: value) else {
      throw Wrong(what: "has no time: at must be as in 2026-01-01T00:00:00Z")
    }
    self.at = at
    if let rows = value.member("rows")?.items {
      let notes = value.member("meta").flatMap { $0.kind == .object ? $0 : nil } ?? .emptyObject
      let isWhole = value.member("whole")?.isTruthy ?? true
      what = .rows(rows, notes: notes, isWhole: isWhole)
    } else if let error = value.member("error") {
      what = .error(error.string ?? "\(error)")
    } else {
      throw Wrong(what: "has neither rows nor an error")
    }
  }

  /// When a poll was made; nil where that is not said.
  static func time(of value: Value) -> Double? {
    let given = value.kind == .object ? value.member("at") : nil
    return given?.double ?? given?.string.flatMap { parseTimestamp($0) }
  }

  /// The line, with its end.
  var line: [UInt8] {
    var members: [(String, Value)] = [("at", .string(timestamp(at)))]
    switch what {
    case .rows(let rows, let notes, let isWhole):
      members.append(("rows", .array(rows)))
      if notes != .emptyObject { members.append(("meta", notes)) }
      if !isWhole { members.append(("whole", .bool(false))) }
    case .error(let message): members.append(("error", .string(message)))
    }
    return Value.record(members).json + [UInt8(ascii: "\n")]
  }

  /// As a script has it.
  var answer: ScriptedAnswer {
    switch what {
    case .rows(let rows, let notes, let isWhole):
      ScriptedAnswer(at: at, .poll(rows), notes: notes, isWhole: isWhole)
    case .error(let message): ScriptedAnswer(at: at, .failure(message))
    }
  }
}
