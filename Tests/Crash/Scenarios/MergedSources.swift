/// Two polled sources, merged and counted, and the stream shared by a log, logs by a part of the event, a batch and a
/// command: each count once, in order, in each of them.
final class MergedSources: Scenario {
  let place: Place
  let logs = ["log.jsonl", "part-0.jsonl", "part-1.jsonl", "part-2.jsonl"]
  private var goal: Int?

  init(_ place: Place) throws {
    self.place = place
    try place.write(
      "p.yaml",
      """
      name: merged
      sources:
        three: { generate: 'range(3) | {i: .}', every: 7ms }
        two: { generate: 'range(2) | {i: .}', every: 11ms }
      streams:
        counted: { from: [three, two], steps: [ { scan: { init: 0, update: '. + 1', emit: '{c: .}' } } ] }
        batched: { from: counted, steps: [ { batch: { count: 5, time: 40ms } } ] }
      sinks:
        log: { from: counted, jsonl: { path: log.jsonl, rotate: { size: 10KiB, keep: 9999, gzip: true } } }
        parts: { from: counted, jsonl: { path: 'part-\\(.c % 3).jsonl', max_open: 2 } }
        batched: { from: batched, jsonl: batched.jsonl }
        tell:
          from: counted
          exec: { command: [sh, tell.sh], when: .c % 10 == 0, concurrency: 3, queue: 3 }

      """)
    try place.writeTeller()
  }

  func prepareEnd() { goal = place.logLines("log.jsonl").count + 60 }

  var isSettled: Bool {
    let count = place.logLines("log.jsonl").count
    return count >= goal ?? 0 && place.told.texts.contains(line((goal ?? 0) / 10 * 10))
  }

  private func line(_ number: Int) -> String { "{\"c\":\(number)}" }

  func verdict() -> Verdict {
    let lines = place.logLines("log.jsonl")
    let numbers = Array(stride(from: 1, through: lines.count, by: 1))
    var verdict = Verdict.comparing(lines, with: numbers.map(line), in: "log.jsonl")
    for part in 0..<3 {
      let name = "part-\(part).jsonl"
      let truth = numbers.filter { $0 % 3 == part }.map(line)
      verdict.add(.comparing(place.logLines(name), with: truth, in: name))
    }
    // The last ones wait for the rest of their batch.
    let batched = place.logLines("batched.jsonl").joined().split { !$0.isNumber }.map { line(Int($0) ?? 0) }
    let complete = max(batched.count, lines.count - 5)
    verdict.add(.comparing(batched, with: numbers.prefix(complete).map(line), in: "batched.jsonl"))
    // What came last may have been left to a run that does not come.
    verdict.add(
      place.told.verdict(of: numbers.filter { $0 % 10 == 0 && $0 <= goal ?? 0 }.map(line)))
    return verdict
  }
}
