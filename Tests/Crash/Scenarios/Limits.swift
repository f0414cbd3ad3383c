import Foundation
import Reactive

extension FileRun {
  /// Every step that keeps something, several keys at one instant, most of them beyond their limits.
  private static let steps = [
    "dedupe: { key: .k, bound: 20 }",
    "dedupe: { key: .k, bound: 20, lifetime: 1h }",
    "throttle: { for: 1h, key: .k, bound: 10 }",
    "throttle: { for: 1h, key: .k, bound: 10, latest: true }",
    "throttle: { for: 1h, key: .k, latest: true }",
    "distinct_until_changed: { value: .v, key: .k, bound: 10 }",
    "changes: { key: .k } }, { map: del(.at)",
    "scan: { key: .k, init: 0, update: '. + 1', emit: '{k: $event.k, c: .}', max_keys: 15 }",
    "scan: { key: .k, init: [], update: '. + [$event.n] | .[-5:]', emit: '{k: $event.k, c: .}' }",
    "window: { tumbling: 300d, key: .k, max_keys: 8, emit: length }",
    "window: { session: { gap: 1h }, key: .k, emit: length } }, { map: '{key, value}'",
    "window: { tumbling: 40s, time: .n, key: .k, max_keys: 8, emit: length }",
    "window: { tumbling: 40s, time: .n, key: .k, emit: 'map(.n)' }",
    "window: { tumbling: 40s, time: .n, emit: length }",
    "window: { tumbling: 100s, time: .n, max_events: 20, emit: 'map(.n)' }",
    "window: { session: { gap: 25s }, time: .n, key: .k, emit: length }",
    "window: { sliding: { size: 60s, every: 20s }, time: .n, key: .v, emit: length, allowed_lateness: 7s }",
    "window: { tumbling: 40s, time: '.n - (.v * 13)', allowed_lateness: 20s, emit: 'map(.n)' }",
    "window: { session: { gap: 9s, max: 60s }, key: .k, time: '.n - (.v * 5)', allowed_lateness: 20s, emit: length }",
    "debounce: { for: 1h, key: .k, bound: 10 }",
    "debounce: { for: 1h, key: .k, max_wait: 2h }",
    #"map: '{type: "added", key: .k, before: null, after: .v, diff: []}' }, { settle: { for: 1h }"#,
    "delay: { for: 1h, bound: 12 }",
    "delay: { for: 1h }",
    "remind: { key: .k, at: .n, before: [0s], grace: 10000d, max_keys: 9 }",
    "sample: { every: 1h, key: .k, bound: 9 }",
    "batch: { count: 13 }",
    "batch: { time: 1h, bound: 37 }",
    "rate_limit: { count: 1, per: 1h, bound: 9 }",
    "rate_limit: { count: 5, per: 1h, burst: 7, bound: 100 }",
    "sort: { by: .v, bound: 50 }",
    "skip: { count: 100, per: stream }",
    "take: { count: 300, per: stream }",
  ]

  /// A file that all these steps share, each with a log of its own.
  static func limits(_ place: Place, lines: Int) throws -> FileRun {
    var dice = SplitMix64(seed: 7)
    let input = (0..<lines).map { number in
      // Few keys often, many seldom.
      let key = dice.below(2) == 0 ? dice.below(4) : dice.below(60)
      return "{\"n\":\(number),\"k\":\(key),\"v\":\(dice.below(4))}\n"
    }
    let streams = steps.enumerated().map { "  s\($0): { from: input, steps: [ { \($1) } ] }\n" }
    let sinks = steps.indices.map {
      "  o\($0): { from: s\($0), jsonl: { path: \($0).jsonl, rotate: { size: 8KiB, keep: 9999 } } }\n"
    }
    return try FileRun(
      place, name: "limits",
      "name: limits\nepoch: { events: 300, time: 20ms }\nsources: { input: { file: in.jsonl } }\n"
        + "streams:\n\(streams.joined())sinks:\n\(sinks.joined())",
      inputs: ["in.jsonl": Data(input.joined().utf8)], outputs: steps.indices.map { "\($0).jsonl" }, logs: [])
  }
}
