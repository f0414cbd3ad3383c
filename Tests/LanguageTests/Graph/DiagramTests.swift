import Expectations
import Testing

@testable import Language

/// A pipeline with all that a diagram can have.
let wired = """
  name: wired
  description: Everything there is to draw.
  sources:
    a: { api: { url: "https://a.example", key: hunter2-hunter2 }, every: 6h }
    b: { api: { url: "https://b.example", headers: { X-Key: "${KEY}", Y: top-secret } }, cron: "0 6 * * *" }
    c: lines
  streams:
    slips: { from: [a, b], steps: [ { keep: .x, name: known }, { shape: { id: .id } } ] }
    both: { from: [slips, c] }
    more: { from: slips, steps: [ join: { with: both } ] }
  sinks:
    one: { log: out/one.jsonl, from: [more, a] }
    two: { mail: { to: me, password: "${KEY}", when: .n > 1 }, from: both }
  """

@Suite struct DiagramTests {
  func diagram(_ text: String = wired) throws -> Diagram {
    let (plan, secrets) = try toyPlan(text, environment: ["KEY": "correct horse"])
    return Diagram(plan, masking: secrets)
  }

  @Test("every source, step and sink is a node, and so is a stream without steps")
  func nodes() throws {
    let found = try diagram().nodes.map { "\($0.role) \($0.kind) \($0.name) \($0.opens)" }
    expect(
      found,
      equals: [
        "source api a ", "source api b ", "source lines c ", "step keep known slips", "step shape  ",
        "stream  both ", "step join  more", "sink log one ", "sink mail two ",
      ])
  }

  @Test("events flow along edges, and what a step looks up comes from the side")
  func edges() throws {
    let found = try diagram().edges.map { "\($0.from)\($0.isSide ? "~" : ">")\($0.to)" }
    expect(found, equals: ["0>3", "1>3", "3>4", "4>5", "2>5", "4>6", "5~6", "6>7", "0>7", "5>8"])
  }

  @Test("options are shown as they are written, schedules in words, and secrets never")
  func details() throws {
    let details = try diagram().nodes.map { $0.details.joined(separator: " / ") }
    expect(
      details,
      equals: [
        "url: 'https://a.example', key: *** / every 6h",
        "url: 'https://b.example', headers: *** / cron 0 6 * * *", "", ".x", "{ id: .id }", "",
        "with: both", "out/one.jsonl", "to: me, password: ${KEY}, when: .n > 1",
      ])
  }

  @Test("a secret that also occurs elsewhere in the file is redacted there, too")
  func secretsElsewhere() throws {
    let text = """
      name: about hunter2-hunter2
      sources: { a: { api: { url: "https://x/?key=hunter2-hunter2" } }, b: { api: { url: u, key: hunter2-hunter2 } } }
      sinks: { out: screen }
      """
    let diagram = try diagram(text)
    expect(diagram.name, equals: "about ***")
    expect(
      diagram.nodes.map(\.details),
      equals: [
        ["url: 'https://x/?key=***'", "once"], ["url: u, key: ***", "once"], [],
      ])
    for drawn in [DiagramSVG.text(diagram), DiagramDot.text(diagram), DiagramMermaid.text(diagram)] {
      #expect(!drawn.contains("hunter2"))
    }
  }

  @Test("a chain without steps leads straight from the sources to the sinks")
  func noSteps() throws {
    let diagram = try diagram("sources: { a: lines, b: lines }\nsinks: { out: screen, log: { log: x } }")
    expect(diagram.nodes.map(\.name), equals: ["a", "b", "out", "log"])
    expect(diagram.edges.map { [$0.from, $0.to] }, equals: [[0, 2], [1, 2], [0, 3], [1, 3]])
  }
}
