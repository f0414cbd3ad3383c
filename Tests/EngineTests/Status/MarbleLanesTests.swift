import Expectations
import Testing

@testable import Engine

@Suite("Marbles of a run")
struct MarbleLanesTests {
  @Test("each node has a lane on a common axis, with one symbol for what passed in a column")
  func lanes() {
    var lanes = MarbleLanes(["upcoming", "log"], step: 0.5, columns: 20)
    lanes.note(0, at: 1, isEndOfPoll: false)
    lanes.note(0, at: 1.1, isEndOfPoll: true)
    lanes.note(0, at: 1.5, isEndOfPoll: true)
    for _ in 0..<3 { lanes.note(1, at: 2.4, isEndOfPoll: false) }
    for _ in 0..<10 { lanes.note(1, at: 3, isEndOfPoll: false) }
    lanes.note(2, at: 3, isEndOfPoll: false)
    expect(
      lanes.lines(to: 7, from: 0) { "t\(Int($0))" },
      equals: [
        "          t0", "upcoming  ──●|────", "log       ────3─#─",
      ])
  }

  @Test("the latest columns are shown, and times stay with theirs")
  func moves() {
    var lanes = MarbleLanes(["n"], step: 1, columns: 20)
    for time in 0..<100 where time % 10 == 0 { lanes.note(0, at: Double(time), isEndOfPoll: false) }
    expect(
      lanes.lines(to: 49) { "\(Int($0))s" }, equals: ["   30s            45s", "n  ●─────────●─────────"])
    expect(lanes.lines(to: 50) { "\(Int($0))s" }[1], equals: "n  ─────────●─────────●")
  }
}
