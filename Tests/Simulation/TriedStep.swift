import JSON
import Reactive

/// A step that a simulated pipeline may have, as it is written there.
enum TriedStep: Sendable, Equatable {
  case changes
  case dedupe
  case distinct
  case scan
  case join
  case debounce(maxWait: Bool)
  case throttle(latest: Bool)
  case tumbling
  case session
  case sliding
  case batch(timed: Bool)
  case delay
  case remind
  /// An alarm for each third number, at once or when it has lasted.
  case alarm(lasting: Bool)
  /// Reports of keys that fall silent and come back, among the events.
  case silence
  /// A window by a time in the events.
  case timedWindow
  /// `changes` of polls that are truncated, partial or glitches.
  case news
  /// A step that cannot read the rows of some keys for some polls.
  case reading

  /// With so many rows in sight, a poll that lacks more than half of them is held back.
  static let guardedRows = 3

  /// Which rows cannot be read: of some keys, for some polls in a row.
  static let isUnreadable = #"(.k == "a" or .k == "c") and (.n / 40 | floor) % 2 == 1"#

  static func isUnreadable(key: String, number: Double) -> Bool {
    ["a", "c"].contains(key) && Int(number / 40) % 2 == 1
  }

  /// How long a window by a time in the events is, in seconds.
  static let windowSize = 7

  /// One that a chain may have more than once.
  static func random(_ dice: inout SplitMix64) -> TriedStep {
    switch dice.below(13) {
    case 0: .dedupe
    case 1: .distinct
    case 2: .scan
    case 3: .debounce(maxWait: dice.below(2) == 0)
    case 4: .throttle(latest: dice.below(3) > 0)
    case 5: .tumbling
    case 6: .session
    case 7: .sliding
    case 8: .batch(timed: dice.below(2) == 0)
    case 9: .delay
    case 10: .alarm(lasting: dice.below(2) == 0)
    case 11: .silence
    default: .remind
    }
  }

  /// Whether the step goes by `.k`, so that it may stand below a partition.
  var goesByKey: Bool {
    switch self {
    case .changes, .news, .distinct, .scan, .debounce, .throttle, .tumbling, .session, .sliding, .remind,
      .alarm, .silence:
      true
    case .dedupe, .join, .batch, .delay, .timedWindow, .reading: false
    }
  }

  /// The step, and where what it sends is none of the rows that it was given, one that makes it such again.
  func yaml(_ dice: inout SplitMix64) -> [String] {
    let time = ["900ms", "7s", "40s"][dice.below(3)]
    return switch self {
    case .changes:
      [
        "changes: { key: .k, first: \(dice.below(2) == 0 ? "emit" : "baseline") }",
        "map: '(.after // .before) + {t: .type}'",
      ]
    case .news:
      [
        "changes: { key: .k, first: \(dice.below(2) == 0 ? "emit" : "baseline"), "
          // No step of the clock is a lifetime of what is out of sight.
          + "removed_after: \(1 + dice.below(2)), sudden_loss: { share: 50%, rows: \(Self.guardedRows) }, "
          + "remember: 10000d }",
        "map: '(.after // .before) + {t: .type}'",
      ]
    case .reading: [#"map: 'if \#(Self.isUnreadable) then error("unreadable") else . end'"#]
    case .dedupe: ["dedupe: .n"]
    case .distinct: ["distinct_until_changed: { key: .k, value: .n }"]
    case .scan: ["scan: { key: .k, init: 0, update: . + $event.n, emit: '$event + {s: .}' }"]
    case .join: ["join: { with: other, key: .k, emit: '. + {o: $other.n}' }"]
    case .debounce(let maxWait):
      ["debounce: { key: .k, for: \(time)\(maxWait ? ", max_wait: 1m" : "") }"]
    case .throttle(let latest): ["throttle: { key: .k, for: \(time), latest: \(latest) }"]
    case .tumbling: ["window: { tumbling: \(time), key: .k, emit: '.[]' }", "map: .value"]
    case .session: ["window: { session: { gap: \(time), max: 1m }, key: .k, emit: '.[]' }", "map: .value"]
    case .sliding: ["window: { sliding: { size: 20s, every: 10s }, key: .k, emit: '.[]' }", "map: .value"]
    case .batch(let timed): ["batch: { count: 4\(timed ? ", time: \(time)" : "") }", "map: '.[]'"]
    case .delay: ["delay: \(time)"]
    case .timedWindow:
      ["window: { tumbling: \(Self.windowSize)s, time: .n, key: .k, emit: '.[]' }", "map: .value"]
    case .alarm(let lasting):
      [
        "alarm: { when: .n % 3 == 0, key: .k\(lasting ? ", for: \(time), clear_for: 1s" : "") }",
        "map: .event",
      ]
    case .silence:
      [
        "timeout: { key: .k, for: \(time) }",
        "map: 'if .since then {k: .key, n: 0, u: 0, s: .type} else . end'",
      ]
    case .remind: ["remind: { key: .k, at: .u, before: [20s, 0s], grace: 1000d }", "map: .event"]
    }
  }
}
