import Engine
import JSON
import Language
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
    let list = try flow(["docs"]).output
    #expect(list.hasPrefix("Topics\n  pipeline ") && list.contains("\n\nSources\n  file "))
    let markdown = try flow(["docs", "--format", "markdown"]).output
    #expect(markdown.contains("## `stdin`\n") && markdown.contains("\n\n## `jsonl`\n"))
    #expect(markdown.hasPrefix("## pipeline\n") && markdown.contains("\n\n## errors\n"))
  }

  @Test(
    "each topic is a page of text that fits 80 columns but for its examples and names", arguments: Topic.all)
  func topics(_ topic: Topic) throws {
    let text = try flow(["docs", topic.name])
    #expect(text.status == 0 && text.output.hasPrefix("\(topic.name): \(topic.summary)\n"))
    for line in text.output.split(separator: "\n") where !line.hasPrefix("  ") {
      #expect(line.count <= 80, "\(line)")
    }
    let catalog = Catalog([])
    #expect(TopicMarkdown.text(topic, catalog).hasPrefix("## \(topic.name)\n"))
  }

  @Test("every member of $meta and every function of flow's own is documented")
  func expressions() throws {
    let order = try #require(RowOrder("-.net"))
    let horizon = Horizon(order: order, last: .number(1), moves: true)
    let known = Set(Topic.metaMembers.map(\.name))
    for coverage in [Coverage.complete, .truncated(horizon), .partial] {
      let meta = Poll(source: "s", number: 1, at: 0, coverage: coverage).meta
      meta.forEachMember { name, _ in #expect(known.contains(name.string ?? ""), "\(name)") }
    }
    for function in Topic.functions { _ = try Program("try \(function.call)") }
  }

  @Test("a kind that is none is a mistake, with the one that was meant")
  func unknown() throws {
    let outcome = try flow(["docs", "fliter"])
    #expect(outcome.status == 2 && outcome.output.isEmpty)
    #expect(
      outcome.errors
        == "flow docs: unknown topic, source, step or sink “fliter”; did you mean “filter”?\n")
    #expect(try flow(["docs", "xyzzy"]).errors.contains("; flow docs lists them all\n"))
  }
}
