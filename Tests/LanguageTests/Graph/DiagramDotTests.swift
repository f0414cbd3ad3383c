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
