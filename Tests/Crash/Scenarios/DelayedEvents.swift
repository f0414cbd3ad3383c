/// A file that grows and is rotated → `delay` and `batch` → `jsonl`: each event once, in order; those that wait come out.
final class DelayedEvents: Scenario {
  let place: Place
  let logs = ["late.jsonl", "batched.jsonl"]
  private let input: GrowingFile
  private var isEnding = false

  init(_ place: Place) throws {
    self.place = place
    try place.write(
      "p.yaml",
      """
      name: late
      epoch: { events: 50, time: 20ms }
      sources: { input: { file: { path: in.jsonl, follow: true } } }
      streams:
        late: { from: input, steps: [ { delay: 300ms } ] }
        batched: { from: input, steps: [ { batch: { count: 7 } } ] }
      sinks:
        all: { from: input, jsonl: all.jsonl }
        late: { from: late, jsonl: late.jsonl }
        batched: { from: batched, jsonl: { path: batched.jsonl, rotate: { size: 4KiB, keep: 9000 } } }
        tell: { from: late, exec: { command: [sh, tell.sh], when: .n % 50 == 0 } }

      """)
    try place.writeTeller()
    input = try GrowingFile("in.jsonl", in: place, seed: 10) { "{\"n\":\($0)}" }
  }

  func tend(_ life: Life?) throws {
    if !isEnding { try input.tend(mayRotate: place.size("all.jsonl") > 0) }
  }

  func prepareEnd() throws {
    try input.add(1)
    isEnding = true
  }

  private var told: [String] { stride(from: 50, through: input.count, by: 50).map { "{\"n\":\($0)}" } }

  var isSettled: Bool {
    place.logLines("late.jsonl").count >= input.count
      && place.told.texts.isSuperset(of: told)
  }

  func verdict() -> Verdict {
    var verdict = Verdict()
    for name in ["all.jsonl", "late.jsonl"] {
      verdict.add(.comparing(place.logLines(name), with: input.lines, in: name))
    }
    let batches = stride(from: 0, to: input.count / 7 * 7, by: 7).map { first in
      "[\(input.lines[first..<first + 7].joined(separator: ","))]"
    }
    verdict.add(.comparing(place.logLines("batched.jsonl"), with: batches, in: "batched.jsonl"))
    verdict.add(place.told.verdict(of: told))
    return verdict
  }
}
