import Testing
@testable import Language

@Suite struct NodeExportTests {
  @Test("options are a table, and what would break it is escaped")
  func table() throws {
    let spec = NodeSpec(
      "a", "do it",
      options: AnyOption.list(Option("b", .text, default: "x|y", "this | or that")),
      madeBy: ToyMaker(role: .step))
    let text = NodeMarkdown.text(spec)
    #expect(
      text.hasPrefix(
        "## `a`\n\n*A step:* do it.\n\n| option | type | default | meaning |\n|---|---|---|---|\n"))
    #expect(text.contains("\n| `b` | text | `x\\|y` | this \\| or that |\n"))
  }

  @Test("examples are blocks of code")
  func examples() throws {
    let text = toys.named("join").map(NodeMarkdown.text).joined()
    #expect(
      text.contains("```yaml\njoin: { with: other }\n```\n\nturns\n\n```\n1s 1\n```\n\nwith, from `other`,"))
    #expect(toys.named("keep").map(NodeMarkdown.text).joined().contains("into nothing."))
  }
}
