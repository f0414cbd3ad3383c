import Testing

@testable import Language

@Suite struct DiagramMermaidTests {
  @Test("nodes have the shape of their role, and side inputs are dashed")
  func shapes() throws {
    let text = DiagramMermaid.text(Diagram(try toyPlan(wired, environment: ["KEY": "k"]).plan))
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines.first == "flowchart TD")
    #expect(lines.contains(#"  n2(["<b>lines</b> c"]):::source"#))
    #expect(lines.contains(#"  n3["<i>slips</i><br/><b>keep</b> known<br/>.x"]:::step"#))
    #expect(lines.contains(#"  n5["<b>both</b>"]:::stream"#))
    #expect(lines.contains(#"  n7[/"<b>log</b> one<br/>out/one.jsonl"/]:::sink"#))
    #expect(lines.contains("  n5 -.-> n6") && lines.contains("  n4 --> n5"))
  }

  @Test("what means something to Mermaid or HTML is written by number")
  func escapes() throws {
    let text = "sources: { a: lines }\nsteps: [ keep: '.a < \"#1\"' ]\nsinks: { out: screen }"
    #expect(DiagramMermaid.text(Diagram(try toyPlan(text).plan)).contains("<br/>.a #60; #34;#35;1#34;\"]"))
  }
}
