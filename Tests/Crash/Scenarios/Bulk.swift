import Foundation

extension FileRun {
  /// A file of many lines → `map`, `filter`, `dedupe`, `scan` → `jsonl`: to one file, to one that is rotated, or to seven;
  /// and some of it to one more.
  static func bulk(
    _ place: Place, lines: Int, rotates: Bool = false, isSpread: Bool = false
  ) throws -> FileRun {
    let logs = (isSpread ? (0..<7).map { "log-\($0).jsonl" } : ["log.jsonl"]) + ["few.jsonl"]
    let path = isSpread ? #"'log-\(.n % 7).jsonl', max_open: 3"# : "log.jsonl"
    let events = events(lines)
    func text(_ isThere: (Int) -> Bool) -> [String] {
      events.filter { isThere($0.n) }.map { #"{"n":\#($0.n),"sum":\#($0.sum)}"# }
    }
    let truth =
      (isSpread ? (0..<7).map { rest in text { $0 % 7 == rest } } : [text { _ in true }])
      + [text { $0.isMultiple(of: 5) }]
    return try FileRun(
      place, name: "bulk",
      """
      name: bulk
      epoch: { events: 500, time: 20ms }
      sources:
        input: { file: in.jsonl }
      steps:
        - map: '{n, k: (.n % \(keys) + (.n / 10000 | floor) * 1000)}'
        - filter: .n % 3 != 0
        - dedupe: .k
        - scan: { init: 0, update: '. + $event.n', emit: '{n: $event.n, sum: .}' }
      sinks:
        log: { jsonl: { path: \(path)\(rotates ? ", rotate: { size: 16KiB, keep: 500 }" : "") } }
        few: { jsonl: { path: few.jsonl, when: .n % 5 == 0 } }

      """, inputs: ["in.jsonl": Data((1...lines).map { "{\"n\":\($0)}\n" }.joined().utf8)],
      outputs: logs, logs: logs, truth: Dictionary(uniqueKeysWithValues: zip(logs, truth)))
  }

  /// The same below a partition: a sum for each key, with another number of lanes in each life.
  static func divided(_ place: Place, lines: Int) throws -> FileRun {
    let keys = 307
    var sums: [Int: Int] = [:]
    let truth = (1...lines).filter { $0 % 3 != 0 }.map { n in
      sums[n % keys, default: 0] += n
      return #"{"n":\#(n),"sum":\#(sums[n % keys] ?? 0)}"#
    }
    return try FileRun(
      place, name: "divided",
      """
      name: divided
      epoch: { events: 500, time: 20ms }
      sources:
        input: { file: in.jsonl }
      steps:
        - map: '{n, k: (.n % \(keys))}'
        - partition: { by: .k, into: 8 }
        - filter: .n % 3 != 0
        - scan: { key: .k, init: 0, update: '. + $event.n', emit: '{n: $event.n, sum: .}' }
      sinks:
        log: { jsonl: { path: log.jsonl, rotate: { size: 16KiB, keep: 500 } } }

      """, inputs: ["in.jsonl": Data((1...lines).map { "{\"n\":\($0)}\n" }.joined().utf8)],
      outputs: ["log.jsonl"], logs: ["log.jsonl"], truth: ["log.jsonl": truth], changesLanes: true)
  }

  private static let keys = 2003

  private static func events(_ lines: Int) -> [(n: Int, sum: Int)] {
    var known: Set<Int> = []
    var sum = 0
    return (1...lines).compactMap { n in
      guard n % 3 != 0, known.insert(n % keys + n / 10000 * 1000).inserted else { return nil }
      sum += n
      return (n, sum)
    }
  }
}
