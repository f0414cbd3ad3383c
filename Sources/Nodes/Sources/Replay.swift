import JSON
import Pipeline

/// `replay`: the polls of a recording, at the times at which they were made.
let replay = NodeSpec(
  "replay", "answer with the polls of a recording, in virtual time",
  details: """
    A recording is a file of JSON lines, one a poll: {"at": "2026-01-01T00:00:00Z", "rows": [ … ]}, or error instead \
    of rows for a poll that failed. The whole pipeline runs in virtual time: $now is the time of the recording, and a \
    year takes seconds.
    """,
  options: AnyOption.list(ReplayOptions.path, ReplayOptions.from, ReplayOptions.until),
  shorthand: "path",
  examples: [
    .init("all of it", "replay: recordings/upcoming.jsonl"),
    .init("a month", "replay: { path: upcoming.jsonl, from: 2026-01-01, until: 2026-02-01 }"),
  ],
  .script(endsWithScript: true) { options in try Replay(options) })

private enum ReplayOptions {
  static let path = Option.required("path", .path, "the recording", example: "recordings/upcoming.jsonl")
  static let from = Option.optional("from", .time, "polls before this are left out", example: "2026-01-01")
  static let until = Option.optional("until", .time, "polls from this time on are left out")
}

private final class Replay: ScriptSource {
  private let path: String
  private let from: Double
  private let until: Double
  private let reader: ValueReader
  private var batch: ArraySlice<Value> = []
  private var latest = -Double.infinity
  private var number = 0

  struct Wrong: Error, CustomStringConvertible {
    let path: String
    let number: Int
    let what: String
    var description: String { "\(path): poll \(number) \(what)" }
  }

  init(_ options: Options) throws {
    path = options[ReplayOptions.path]
    from = options[ReplayOptions.from] ?? -.infinity
    until = options[ReplayOptions.until] ?? .infinity
    reader = ValueReader(try InputFile(path), path: path, format: .values, limits: ReadLimits(value: 1 << 30))
    {
      _ in
    }
  }

  func next() throws -> ScriptedAnswer? {
    while let poll = try nextPoll() {
      number += 1
      let at = try time(of: poll)
      if at < from { continue }
      return at < until ? ScriptedAnswer(at: at, try what(poll)) : nil
    }
    return nil
  }

  private func nextPoll() throws -> Value? {
    if batch.isEmpty { batch = try reader.nextBatch()[...] }
    return batch.popFirst()
  }

  private func time(of poll: Value) throws -> Double {
    let given = poll.kind == .object ? poll.member("at") : nil
    guard let at = given?.double ?? given?.string.flatMap({ parseTimestamp($0) }) else {
      throw Wrong(path: path, number: number, what: "has no time: at must be as in 2026-01-01T00:00:00Z")
    }
    if at < latest { throw Wrong(path: path, number: number, what: "is earlier than the one before it") }
    latest = at
    return at
  }

  private func what(_ poll: Value) throws -> ScriptedAnswer.What {
    if let rows = poll.member("rows"), let items = rows.items { return .poll(items) }
    if let error = poll.member("error") { return .failure(error.string ?? "\(error)") }
    throw Wrong(path: path, number: number, what: "has neither rows nor an error")
  }
}
