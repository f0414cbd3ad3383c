import Delivery
import Decode
import System
import JSON
import Engine
import Language

/// `replay`: the polls of a recording, at the times at which they were made.
package let replay = NodeSpec(
  "replay", "answer with the polls of a recording, in virtual time",
  reference: .init(PackageResources.replay_md),
  options: AnyOption.list(
    ReplayOptions.path, ReplayOptions.from, ReplayOptions.until, ReplayOptions.limit, ReplayOptions.order,
    ReplayOptions.moves),
  shorthand: "path",
  check: { options, checker in
    for (isGiven, place) in [
      (options.isGiven(ReplayOptions.order), options.place(of: ReplayOptions.order)),
      (options.isGiven(ReplayOptions.moves), options.place(of: ReplayOptions.moves)),
    ] where isGiven && !options.isGiven(ReplayOptions.limit) {
      checker.report(
        "this is about a list that was truncated, and there is no limit", at: place,
        hint: "add limit: the number of rows at which the source truncated the list")
    }
  },
  .script(endsWithScript: true) { options in try Replay(options) })

private enum ReplayOptions {
  static let path = Option.required(
    "path", .path.referred, "the recording, next to the pipeline or in the working directory",
    example: "recordings/upcoming.jsonl")
  static let from = Option.optional("from", .time, "polls before this are left out", example: "2026-01-01")
  static let until = Option.optional("until", .time, "polls from this time on are left out")
  static let limit = Option.optional(
    "limit", .integer(1...1_000_000),
    "of a recording without coverage: a poll with at least so many rows is truncated", example: "10")
  static let order = Option.optional(
    "order", .order, "the member by which its rows are sorted; descending with a minus sign", example: ".net")
  static let moves = Option(
    "moves", .boolean, default: "false", "whether its rows change their position in this order")
}

/// The polls of a recording, one after the other; text that is none is a poll that has failed.
final class Replay: ScriptSource {
  private let path: String
  private let from: Double
  private let until: Double
  /// The coverage of a poll whose recording does not have it.
  private let coverage: ([Value]) -> Coverage
  private let reader: ValueReader
  private let bad: BadTexts
  private var batch: ArraySlice<Value> = []
  private var waiting: RecordedPoll?
  private var latest = -Double.infinity
  private var number = 0
  /// The lists of which a poll was good: one of an old answer behind it had failed, as recordings of older versions have it.
  private var good: Set<Value> = []

  /// The texts that the reader passes over.
  private final class BadTexts {
    var texts: ArraySlice<BadText> = []
  }

  convenience init(_ options: Options) throws {
    let limit = ListLimit(
      rows: options[ReplayOptions.limit] ?? .max, order: options[ReplayOptions.order],
      moves: options[ReplayOptions.moves])
    try self.init(
      options[ReplayOptions.path], coverage: limit.coverage, from: options[ReplayOptions.from] ?? -.infinity,
      until: options[ReplayOptions.until] ?? .infinity)
  }

  init(
    _ path: String, coverage: @escaping ([Value]) -> Coverage, from: Double = -.infinity,
    until: Double = .infinity
  ) throws {
    self.path = path
    self.coverage = coverage
    self.from = from
    self.until = until
    let bad = BadTexts()
    self.bad = bad
    reader = ValueReader(try InputFile(path), path: path, limits: ReadLimits(value: 1 << 30)) {
      bad.texts.append($0)
    }
  }

  func next() throws -> ScriptedAnswer? {
    if waiting == nil { waiting = try nextPoll() }
    if let text = bad.texts.popFirst() {
      return ScriptedAnswer(at: waiting?.at ?? (latest.isFinite ? latest : 0), .failure("\(text)"))
    }
    defer { waiting = nil }
    if let poll = waiting, case .error(let message, let notes) = poll.content {
      return ScriptedAnswer(
        at: poll.at, .recordedFailure("the poll recorded at \(timestamp(poll.at)) had failed: \(message)"),
        notes: notes)
    }
    if let poll = waiting, case .rows(_, let notes, _) = poll.content {
      let list = notes.member(Poll.each) ?? .null
      if notes.member("stale")?.isTruthy != true {
        good.insert(list)
      } else if good.contains(list) {
        return ScriptedAnswer(
          at: poll.at,
          .recordedFailure(
            "the poll recorded at \(timestamp(poll.at)) had failed: the service gave no answer"),
          notes: notes)
      }
    }
    return waiting?.answer(assuming: coverage)
  }

  private func nextPoll() throws -> RecordedPoll? {
    while let value = try nextValue() {
      number += 1
      do throws(Sentence) {
        let poll = try RecordedPoll(value)
        if poll.at < latest { throw Sentence("is earlier than the one before it") }
        latest = poll.at
        if poll.at < from { continue }
        return poll.at < until ? poll : nil
      } catch {
        throw Sentence("\(path): poll \(number) \(error)")
      }
    }
    return nil
  }

  private func nextValue() throws -> Value? {
    if batch.isEmpty { batch = try reader.nextBatch()[...] }
    return batch.popFirst()
  }
}
