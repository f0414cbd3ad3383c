import Expectations
import Testing
@testable import Language

@Suite struct NodeTextTests {
  func text(_ kind: String, width: Int = 60) -> String {
    toys.named(kind).map { NodeText.lines($0, width: width).joined(separator: "\n") }.joined(separator: "\n")
  }

  @Test("a step is explained with its options, its shorthand, and examples with what they make of events")
  func step() {
    expect(
      text("keep"),
      equals: """
        keep, a step: keep some

        Options
          where  expression, required
              what must hold

        Shorthand: keep: … is keep: { where: … }, unless … is a
        mapping.

        Examples
          (flow docs examples explains how to read them)

          # by number
          keep: .n > 1
              0s {"n": 1}
              0s {"n": 2}
            → 0s {"n":2}

          # none
          keep: false
              0s 1
            → nothing

        Options of every step, next to it
          name  text, optional
              its name in statistics, messages and state
          on_error  log, stop or { dead_letter: PATH }, optional
              how to handle events on which the step fails
        """)
  }

  @Test("the state and the lookups of a step are documented")
  func state() {
    let text = text("join")
    #expect(text.contains("\nState\n  the last event of each key, up to bound\n"))
    #expect(text.contains("\n  bound  integer, default 100\n      how many keys it knows\n"))
    #expect(text.contains("\n      1s 1\n    with, from other\n      0s 2\n    → 1s [1,2]"))
  }

  @Test("a source that is polled has a schedule beside it, one that is read has none")
  func schedules() {
    #expect(text("api").contains("\n  every  duration, optional\n"))
    #expect(!text("lines").contains("every  duration") && text("lines").contains("  None.\n"))
  }

  @Test("every sink has a condition among its options, and says what it reads beside them")
  func sinks() {
    #expect(text("screen").contains("\n  when  expression, optional\n"))
    #expect(text("screen").contains("\n  from  list of text, default []\n"))
  }

  @Test("lines are as wide as there is room, and styles change no letter")
  func widths() {
    for spec in toys.nodes {
      let plain = NodeText.lines(spec, width: 44)
      let examples = plain.firstIndex(of: "Examples") ?? plain.endIndex
      for line in plain[..<examples] { #expect(line.columns <= 44, "\(line)") }
      let styled = NodeText.lines(spec, width: 44, paint: Paint(isOn: true))
      expect(styled.map { $0.replacing(/\u{1B}\[[0-9;]*m/, with: "") }, equals: plain)
    }
  }
}

@Suite struct NodeListTests {
  @Test("nodes are listed by role, their summaries in a column of their own")
  func list() {
    let lines = toys.list(width: 32)
    expect(lines.prefix(2), equals: ["Sources", "  api     ask a server for rows"])
    #expect(lines.contains("  join    add what another"))
    #expect(lines.contains("          stream said last"))
    expect(lines.filter { !$0.hasPrefix(" ") }, equals: ["Sources", "", "Steps", "", "Sinks"])
  }
}
