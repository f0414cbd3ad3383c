import JSON
import Engine
import Language
import Reactive

/// What a source says, by the number of the poll or of the value: the same however often it is asked.
struct Saying: Sendable {
  let seed: UInt64
  let keys: Int
  /// Whether polls are truncated, partial or glitches now and then.
  let isNews: Bool
  /// Rows stay the same over polls, and change now and then; otherwise each is new.
  let isSteady: Bool
  let start: Double
  /// Whether the times that events name are few, so that several keys are due at one instant.
  let hasTies: Bool
  /// Whether several polls in a row fail now and then.
  var hasOutages = false

  private func chance(_ numbers: Int...) -> Int {
    var random = SplitMix64(seed: numbers.reduce(seed) { $0 &* 31 &+ UInt64($1) })
    return random.below(1 << 20)
  }

  func rows(_ poll: Int) -> [Value] {
    (0..<keys).compactMap { key in
      if chance(1, key, poll / 3) % 4 == 0 { return nil }
      let version = isSteady ? (poll + chance(2, key) % 7) / (2 + chance(3, key) % 4) : poll
      return value(key, version * 10 + key, isSteady ? version : poll)
    }
  }

  /// The failure of a poll that lies in an outage, whose kind may change while it lasts.
  func failure(_ poll: Int) -> ScriptedFailure? {
    guard hasOutages, chance(20, poll / 4) % 3 == 0 else { return nil }
    return [.unreachable, .timeout, .status, .format, .loginPage, .waiting][chance(21, poll / 2) % 6]
  }

  func answer(_ poll: Int) -> PollAnswer {
    let rows = rows(poll)
    guard isNews else { return PollAnswer(rows) }
    switch chance(10, poll) % 8 {
    case 0, 1, 2:
      let list = rows.sorted { ($0.member("n")?.double ?? 0) > ($1.member("n")?.double ?? 0) }.prefix(3)
      guard let order = RowOrder("-.n"), let last = list.last?.member("n") else { return PollAnswer(rows) }
      // Whether rows move is a matter of the source, so it is the same in all polls.
      let horizon = Horizon(order: order, last: last, moves: seed % 2 == 0)
      return PollAnswer(Array(list), coverage: .truncated(chance(11, poll) % 5 == 0 ? nil : horizon))
    case 3:
      return PollAnswer(
        rows.enumerated().filter { chance(12, poll, $0.offset) % 2 == 0 }.map(\.element), coverage: .partial)
    case 4: return PollAnswer(Array(rows.prefix(1)))
    default: return PollAnswer(rows)
    }
  }

  func single(_ number: Int) -> Value { value(chance(4, number) % keys, number, number / 10) }

  private func value(_ key: Int, _ number: Int, _ age: Int) -> Value {
    let due =
      hasTies
      ? start + Double((age + chance(5, key, number) % 30) * 10)
      : start + Double(age * 10) + Double(chance(5, key, number) % 300) + Double(number % 1000) / 1000
    let length = chance(6, key, number) % 20 == 0 ? chance(7, key, number) % 1500 : chance(8, number) % 30
    return .record([
      ("k", .string(["a", "b", "c", "d", "e", "f"][key % 6])), ("n", .number(number)), ("u", .number(due)),
      ("pad", .string(String(repeating: "x", count: length))),
    ])
  }
}

/// The failure of a poll.
enum ScriptedFailure: ClassifiedFailure {
  case unreachable, timeout, status, format, loginPage, waiting

  var failureKind: FailureKind {
    switch self {
    case .unreachable: .unreachable
    case .timeout: .timeout
    case .status: .status
    case .format: .format
    case .loginPage: .loginPage
    case .waiting: .waiting
    }
  }
}

/// Answers polls.
final class SaidPolls: BlockingPollSource {
  private let saying: Saying
  private let life: Life

  struct Silent: Error {}

  init(_ saying: Saying, _ life: Life) {
    self.saying = saying
    self.life = life
  }

  func poll(_ poll: PollRequest) throws -> PollAnswer {
    if life.isQuiet || life.below(15) == 0 { throw Silent() }
    if let failure = saying.failure(poll.number) { throw failure }
    return saying.answer(poll.number)
  }
}

/// Reads on from a position, in pieces that no two lives cut alike.
///
/// It is the one that makes time pass while it runs, as reading takes time. What has been read before is there to be
/// read again at once.
final class SaidPieces: StreamSource {
  private let saying: Saying
  private let life: Life
  private let reach: Reach
  /// A life that is to be stopped is while it reads again what was read before.
  private let stopsEarly: Bool
  private var next: Int

  init(
    _ saying: Saying, _ life: Life, _ reach: Reach, from position: Value?, stopsEarly: Bool, isRotated: Bool,
    isReplaced: Bool
  ) {
    self.saying = saying
    self.life = life
    self.reach = reach
    self.stopsEarly = stopsEarly
    let kept = isReplaced ? nil : position?.member("n")?.double.flatMap { Int(exactly: $0) }
    next = kept ?? (isRotated || isReplaced ? reach.farthest : 0)
  }

  func run(_ feed: Feed) {
    let hurry = [1, 50, 700][life.below(3)]
    var sends = 3 + life.below(15)
    var isCaughtUp = false
    while !feed.isStopped, !life.isOver, life.left > .zero {
      if next < reach.farthest {
        if stopsEarly, life.end == .stop, !life.isLast, next + 10 > reach.farthest { break }
        send(feed, to: reach.farthest, within: 100)
      } else if !isCaughtUp {
        feed.sayCaughtUp()
        isCaughtUp = true
      } else if life.isQuiet || sends == 0 {
        life.clock.advance(by: min(life.left, .seconds(60)))
      } else {
        send(feed, to: .max, within: 2 * hurry)
        sends -= 1
      }
    }
    life.finish()
  }

  private func send(_ feed: Feed, to limit: Int, within milliseconds: Int) {
    for _ in 0...life.below(3) where next < limit {
      let end = min(limit, next + 1 + life.below(15))
      let values = (next..<end).map(saying.single)
      next = end
      feed.send(values, position: .record([("n", .number(next)), ("follow", .bool(true))]))
    }
    reach.extend(to: next)
    life.clock.advance(by: .milliseconds(life.below(milliseconds)))
  }
}

/// How far a source has been read by any life: so long is its file.
final class Reach: Sendable {
  private let value = Locked(0)

  var farthest: Int { value.withLock { $0 } }

  func extend(to number: Int) { value.withLock { $0 = max($0, number) } }
}
