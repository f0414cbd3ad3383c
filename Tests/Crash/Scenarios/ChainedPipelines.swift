/// Two pipelines in one process, of which one follows what the other writes and rotates: each line once, in order, through
/// both.
final class ChainedPipelines: Scenario {
  let place: Place
  let logs = ["middle.jsonl", "log.jsonl"]
  let options = ["first.yaml"]
  private let input: GrowingFile
  private var isEnding = false

  init(_ place: Place) throws {
    self.place = place
    try place.write(
      "first.yaml",
      """
      name: chained-first
      sources: { input: { file: { path: in.jsonl, follow: true } } }
      steps: [ { scan: { init: 0, update: '. + 1', emit: '{n: $event.n, c: .}' } } ]
      sinks: { middle: { jsonl: { path: middle.jsonl, rotate: { size: 12KiB, keep: 9000 } } } }

      """)
    try place.write(
      "p.yaml",
      """
      name: chained-second
      sources: { middle: { file: { path: middle.jsonl, follow: true } } }
      steps: [ { scan: { init: 0, update: '. + 1', emit: '$event + {d: .}' } } ]
      sinks:
        log: { jsonl: { path: log.jsonl, rotate: { size: 20KiB, keep: 9000 } } }
        tell: { exec: { command: [sh, tell.sh], when: .d % 25 == 0 } }

      """)
    try place.writeTeller()
    input = try GrowingFile("in.jsonl", in: place, seed: 8) { "{\"n\":\($0)}" }
  }

  func tend(_ life: Life?) throws {
    if isEnding { return }
    // A follower that has not begun yet reads the present file alone: nothing is rotated before it has.
    if place.size("log.jsonl") == 0, input.count > 200 { return }
    try input.tend(mayRotate: place.size("middle.jsonl") > 0)
  }

  func prepareEnd() throws {
    try input.add(1)
    isEnding = true
  }

  private var truth: [String] { (1...input.count).map { "{\"n\":\($0),\"c\":\($0),\"d\":\($0)}" } }
  private var told: [String] { truth.enumerated().filter { ($0.offset + 1) % 25 == 0 }.map(\.element) }

  var isSettled: Bool {
    place.logLines("log.jsonl").count >= input.count
      && place.told.texts.isSuperset(of: told)
  }

  func verdict() -> Verdict {
    var verdict = Verdict.comparing(
      place.logLines("middle.jsonl"), with: (1...input.count).map { "{\"n\":\($0),\"c\":\($0)}" },
      in: "middle.jsonl")
    verdict.add(.comparing(place.logLines("log.jsonl"), with: truth, in: "log.jsonl"))
    verdict.add(place.told.verdict(of: told))
    return verdict
  }
}
