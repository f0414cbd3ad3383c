import Expectations
import Testing

@testable import flow

@Suite struct GraphCommandTests {
  static let pipeline = """
    name: small
    sources: { input: stdin }
    steps: [ filter: .n > 1 ]
    sinks: { log: { jsonl: out.jsonl } }
    """

  func graph(_ options: String..., of text: String = pipeline) throws -> Outcome {
    try withFile(text, named: "a.yaml") { try flow(["graph", $0] + options) }
  }

  @Test("without a format it is a tree")
  func text() throws {
    let outcome = try graph()
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
    expect(outcome.output, equals: "small\n\ninput  stdin\n│ filter  .n > 1\n└─ log  jsonl  out.jsonl\n")
  }

  @Test("each format is written as it is")
  func formats() throws {
    #expect(try graph("--format", "mermaid").output.hasPrefix("flowchart TD\n"))
    #expect(try graph("--format", "dot").output.hasPrefix("digraph \"small\" {\n"))
    let svg = try graph("--format=svg").output
    #expect(svg.hasPrefix("<svg xmlns=") && svg.hasSuffix("</svg>\n"))
  }

  @Test("a pipeline that is wrong is not drawn")
  func wrong() throws {
    let outcome = try graph(of: "sources: { input: stdinn }\nsinks: { out: 'null' }")
    #expect(outcome.status == 2 && outcome.output.isEmpty)
    #expect(outcome.errors.contains("did you mean “stdin”?"))
    try expect(flow(["graph"]).status, equals: 2)
    try expect(flow(["graph", "/nonexistent.yaml"]).status, equals: 2)
  }
}
