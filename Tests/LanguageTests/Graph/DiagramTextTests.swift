import Expectations
import Testing

@testable import Language

@Suite struct DiagramTextTests {
  func tree(_ text: String, width: Int = 80) throws -> String {
    DiagramText.lines(Diagram(try toyPlan(text, environment: ["KEY": "k"]).plan), width: width)
      .joined(separator: "\n")
  }

  @Test("a chain is one line a step, with the sinks as branches")
  func chain() throws {
    let text = """
      name: chain
      description: A chain.
      sources: { a: { api: { url: u }, every: 90m } }
      steps: [ { shape: { id: .id } }, keep: .n > 1 ]
      sinks: { screen: screen, log: { log: out/a.jsonl } }
      """
    try expect(
      tree(text),
      equals: """
        chain
        A chain.

        a  api  url: u · every 1h30m
        │ shape  { id: .id }
        │ keep   .n > 1
        ├─ screen  screen
        └─ log     log     out/a.jsonl
        """)
  }

  @Test("what several lead to stands below the last of them, and the others refer to it")
  func references() throws {
    try expect(
      tree(wired),
      equals: """
        wired
        Everything there is to draw.

        a  api  url: 'https://a.example', key: *** · every 6h
        ├─ → [1] slips below
        └─ → [4] one below

        b  api  url: 'https://b.example', headers: *** · cron 0 6 * * *
        └─ [1] slips
           │ keep   known  .x
           │ shape  { id: .id }
           ├─ → [2] both below
           └─ [3] more
              │ join  with: both
              └─ [4] one  log  out/one.jsonl

        c  lines
        └─ [2] both
           ├─ → read on the side by [3] more above
           └─ two  mail  to: me, password: ${KEY}, when: .n > 1
        """)
  }

  @Test("no line is wider than there is room, and colours take none")
  func width() throws {
    let diagram = Diagram(try toyPlan(wired, environment: ["KEY": "k"]).plan)
    for line in DiagramText.lines(diagram, width: 30) { #expect(line.columns <= 30, "\(line)") }
    let styled = DiagramText.lines(diagram, width: 30, paint: Paint(isOn: true))
    #expect(styled.contains { $0.contains("\u{1B}[1ma\u{1B}[0m") })
    expect(styled.count, equals: DiagramText.lines(diagram, width: 30).count)
  }
}
