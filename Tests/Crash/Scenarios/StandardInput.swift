import Reactive

/// Lines on standard input → `jsonl`: what was not kept may be lost with its process, but nothing comes twice.
///
/// Some are so long that their output lies beside the state.
final class StandardInput: Scenario {
  let place: Place
  let logs = ["log.jsonl"]
  private var count = 0
  /// The first line of the last life, which is not killed.
  private var firstOfLast: Int?
  private var dice = SplitMix64(seed: 2)

  init(_ place: Place) throws {
    self.place = place
    try place.write(
      "p.yaml",
      """
      name: piped
      epoch: { events: 50, time: 10ms }
      sources:
        lines: { stdin: lines }
      steps:
        - dedupe: .n
      sinks:
        log: { jsonl: log.jsonl }

      """)
  }

  func tend(_ life: Life?) {
    guard let life, dice.below(3) == 0, isHungry, life.hasHeardAll else { return }
    let next = count + 1 + dice.below(20)
    let text = (count + 1...next).map { Self.line($0) + "\n" }.joined()
    count = next
    _ = life.say(text)
  }

  private static func line(_ number: Int) -> String {
    let long = number % 70 == 0 ? ",\"long\":\"\(String(repeating: "x", count: 300_000))\"" : ""
    return "{\"n\":\(number)\(long)}"
  }

  private var isHungry: Bool { firstOfLast.map { count < $0 + 200 } ?? true }

  func prepareEnd() { firstOfLast = count + 1 }

  var isSettled: Bool { !isHungry && place.logLines("log.jsonl").last == Self.line(count) }

  func verdict() -> Verdict {
    let lines = place.logLines("log.jsonl")
    // What is there decides what may be; of the last life all must be.
    let there = Set(lines)
    let truth = (1...max(1, count)).filter { $0 >= firstOfLast ?? 1 || there.contains(Self.line($0)) }
    return Verdict.comparing(lines, with: truth.map(Self.line), in: "log.jsonl")
  }
}
