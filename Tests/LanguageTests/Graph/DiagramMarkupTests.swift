import Expectations
import Testing
@testable import Language

@Suite struct DiagramDotTests {
  @Test("nodes and edges are written for Graphviz, with their text escaped")
  func graph() throws {
    let text = "name: 'a \"b\"'\nsources: { a: lines }\nsteps: [ keep: '.a < \"x\"' ]\nsinks: { out: screen }"
    let lines = DiagramDot.text(Diagram(try toyPlan(text).plan)).split(separator: "\n").map(String.init)
    #expect(lines.first == #"digraph "a \"b\"" {"# && lines.last == "}")
    let label = "<b>keep</b><br/><font point-size=\"10\">.a &lt; &quot;x&quot;</font>"
    #expect(lines.contains("  n1 [label=<\(label)>, fillcolor=\"#f4f5f7\", color=\"#9aa6b2\"];"))
    #expect(lines.contains("  n0 -> n1;") && lines.contains("  n1 -> n2;"))
  }

  @Test("side inputs are dashed")
  func sides() throws {
    #expect(
      DiagramDot.text(Diagram(try toyPlan(wired, environment: ["KEY": "k"]).plan))
        .contains("  n5 -> n6 [style=dashed];\n"))
  }
}

@Suite struct DiagramMermaidTests {
  @Test("nodes have the shape of their role, and side inputs are dashed")
  func shapes() throws {
    let text = DiagramMermaid.text(Diagram(try toyPlan(wired, environment: ["KEY": "k"]).plan))
    let lines = text.split(separator: "\n").map(String.init)
    expect(lines.first, equals: "flowchart TD")
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
