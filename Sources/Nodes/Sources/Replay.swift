import System
import JSON
import Engine
import Language

/// `replay`: the polls of a recording, at the times at which they were made.
let replay = NodeSpec(
  "replay", "answer with the polls of a recording, in virtual time",
  details: """
    A recording is a file of JSON lines, one a poll: {"at": "2026-01-01T00:00:00Z", "rows": [ … ]}, or error instead \
    of rows for a poll that failed; meta is what $meta had besides, and whole: false says that not all was there. The \
    whole pipeline runs in virtual time: $now is the time of the recording, and a year takes seconds. After the last \
    poll the source ends, and what steps still hold is sent at once.

    The run is a replayed one: files below out/ are written below out/replay, where they replace those of an earlier \
    replay, and commands, requests and notifications are left out. With --live-sinks all sinks act as in a real run.

    flow run --record makes such files of what a pipeline polls, and flow run --replay runs the same pipeline over them.
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

/// The polls of a recording, one after the other; text that is none is a poll that has failed.
final class Replay: ScriptSource {
  private let path: String
  private let from: Double
  private let until: Double
  private let reader: ValueReader
  private let bad: BadTexts
  private var batch: ArraySlice<Value> = []
  private var waiting: RecordedPoll?
  private var latest = -Double.infinity
  private var number = 0

  /// What the reader passes over.
  private final class BadTexts {
    var texts: ArraySlice<BadText> = []
  }

  struct Wrong: Error, CustomStringConvertible {
    let path: String
    let number: Int
    let what: String
    var description: String { "\(path): poll \(number) \(what)" }
  }

  convenience init(_ options: Options) throws {
    try self.init(
      options[ReplayOptions.path], from: options[ReplayOptions.from] ?? -.infinity,
      until: options[ReplayOptions.until] ?? .infinity)
  }

  init(_ path: String, from: Double = -.infinity, until: Double = .infinity) throws {
    self.path = path
    self.from = from
    self.until = until
    let bad = BadTexts()
    self.bad = bad
    reader = ValueReader(try InputFile(path), path: path, format: .auto, limits: ReadLimits(value: 1 << 30)) {
      bad.texts.append($0)
    }
  }

  func next() throws -> ScriptedAnswer? {
    if waiting == nil { waiting = try nextPoll() }
    if let text = bad.texts.popFirst() {
      return ScriptedAnswer(at: waiting?.at ?? (latest.isFinite ? latest : 0), .failure("\(text)"))
    }
    defer { waiting = nil }
    if let poll = waiting, case .error(let message) = poll.what {
      // No service is at fault now.
      return ScriptedAnswer(at: poll.at, .failure("\(message) (recorded \(timestamp(poll.at)))"))
    }
    return waiting?.answer
  }

  private func nextPoll() throws -> RecordedPoll? {
    while let value = try nextValue() {
      number += 1
      do throws(RecordedPoll.Wrong) {
        let poll = try RecordedPoll(value)
        if poll.at < latest { throw RecordedPoll.Wrong(what: "is earlier than the one before it") }
        latest = poll.at
        if poll.at < from { continue }
        return poll.at < until ? poll : nil
      } catch {
        throw Wrong(path: path, number: number, what: error.what)
      }
    }
    return nil
  }

  private func nextValue() throws -> Value? {
    if batch.isEmpty { batch = try reader.nextBatch()[...] }
    return batch.popFirst()
  }
}
