import Testing

@testable import flow

@Suite struct DocsCommandTests {
  @Test("a kind is explained, in text or Markdown")
  func kinds() throws {
    let text = try flow(["docs", "filter"])
    #expect(text.status == 0 && text.output.hasPrefix("filter, a step: pass on events"))
    #expect(text.output.contains("\nExamples\n"))
    #expect(try flow(["docs", "filter", "--format", "markdown"]).output.hasPrefix("## `filter`\n"))
  }

  @Test("a kind that is a source and a sink is explained as both")
  func both() throws {
    let text = try flow(["docs", "http"]).output
    #expect(text.hasPrefix("http, a source: ") && text.contains("\n\nhttp, a sink: "))
  }

  @Test("without a kind all are listed, and in Markdown all are explained")
  func all() throws {
    #expect(try flow(["docs"]).output == (try flow(["nodes"]).output))
    let markdown = try flow(["docs", "--format", "markdown"]).output
    #expect(markdown.contains("## `stdin`\n") && markdown.contains("\n\n## `jsonl`\n"))
  }

  @Test("a kind that is none is a mistake, with the one that was meant")
  func unknown() throws {
    let outcome = try flow(["docs", "fliter"])
    #expect(outcome.status == 2 && outcome.output.isEmpty)
    #expect(
      outcome.errors == "flow docs: unknown source, step or sink “fliter”; did you mean “filter”?\n")
    #expect(try flow(["docs", "xyzzy"]).errors.contains("; flow nodes lists them all\n"))
  }
}
