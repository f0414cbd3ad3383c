/// A file that grows and is rotated, read by one run after another with `--once`, as cron does it: each line once, in
/// order, and every command is run.
final class ScheduledRuns: Scenario {
  let place: Place
  let logs: [String] = ["log.jsonl"]
  let options = ["--once"]
  let endsByItself = true
  private let input: GrowingFile
  private var isEnding = false

  init(_ place: Place) throws {
    self.place = place
    try place.write(
      "p.yaml",
      """
      name: scheduled
      sources: { input: { file: { path: in.jsonl, follow: true } } }
      steps: [ { scan: { init: 0, update: '. + 1', emit: '{n: $event.n, c: .}' } } ]
      sinks:
        log: { jsonl: { path: log.jsonl, rotate: { size: 8KiB, keep: 9000, gzip: true } } }
        tell: { exec: { command: [sh, tell.sh], when: .c % 5 == 0 } }

      """)
    try place.writeTeller()
    input = try GrowingFile("in.jsonl", in: place, seed: 9, most: 5) { "{\"n\":\($0)}" }
  }

  func tend(_ life: Life?) throws {
    if isEnding { return }
    try input.tend(mayRotate: place.size("log.jsonl") > 0)
    // A rotation that has not begun the next file yet would fail the run of that moment.
    if !place.has("in.jsonl") { try place.append("in.jsonl", "") }
  }

  /// On a busy machine a run meets the moment between a rotation and the next file all the same.
  func mayFail(_ lastWords: String) -> Bool {
    lastWords == "input: error: in.jsonl: cannot open: No such file or directory"
  }

  func prepareEnd() throws {
    try input.add(1)
    isEnding = true
  }

  /// It ends by itself when it has read everything.
  var isSettled: Bool { false }

  private func line(_ number: Int) -> String { "{\"n\":\(number),\"c\":\(number)}" }

  func verdict() -> Verdict {
    let numbers = Array(1...input.count)
    var verdict = Verdict.comparing(place.logLines("log.jsonl"), with: numbers.map(line), in: "log.jsonl")
    verdict.add(place.told.verdict(of: numbers.filter { $0 % 5 == 0 }.map(line)))
    return verdict
  }
}
