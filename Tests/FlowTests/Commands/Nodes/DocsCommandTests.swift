import Expectations
import Engine
import Foundation
import JSON
import Testing

@testable import Language
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

  @Test("with --out each topic, node and command is a file, whose links lead to others")
  func pages() throws {
    let place = try Workplace("")
    try expect(place.flow("docs", "--out", "reference/new").status, equals: 0)
    let files = DocsPages().files()
    let paths = Set(files.map(\.path))
    #expect(paths.isSuperset(of: ["index.md", "steps/settle.md", "sources/http.md", "sinks/http.md"]))
    #expect(paths.isSuperset(of: Topic.all.map { "topics/\($0.name).md" }))
    #expect(paths.isSuperset(of: Command.all.map { "commands/\($0.name).md" }))
    for (path, text) in files {
      expect(place.text("reference/new/\(path)"), equals: text, "\(path)")
      #expect(text.hasPrefix("# "), "\(path)")
      for link in text.matches(of: /\]\((?:\.\.\/)?([a-z]+\/[^)]+)\)/) where !link.1.hasPrefix("http") {
        #expect(paths.contains(String(link.1)), "\(path): \(link.1)")
      }
    }
    let settle = place.text("reference/new/steps/settle.md")
    #expect(settle.contains("[`flow docs examples`](../topics/examples.md)"))
    #expect(place.text("reference/new/sinks/http.md").contains("See also [`http`](../sources/http.md)"))
    try expect(place.flow("docs", "map", "--out", "x").status, equals: 2)
    try expect(place.flow("docs", "--format", "man", "--out", "x").status, equals: 2)
    try place.write("file", "")
    let refused = try place.flow("docs", "--out", "file")
    #expect(refused.status == 2 && refused.errors.contains("file/index.md cannot be written"), "\(refused)")
  }

  @Test(
    "each topic is a page of text that fits 80 columns but for its examples and names",
    arguments: Topic.all.map(\.name))
  func topics(_ name: String) throws {
    let topic = try #require(Topic.named(name))
    let text = try flow(["docs", topic.name])
    #expect(text.status == 0 && text.output.hasPrefix("\(topic.name): \(topic.summary)\n"))
    for line in text.output.split(separator: "\n") where !line.hasPrefix("  ") {
      #expect(line.count <= 80, "\(line)")
    }
    let catalog = Catalog([])
    #expect(TopicMarkdown.text(topic, catalog).hasPrefix("## \(topic.name)\n"))
  }

  @Test("each file of topics is listed by its name, and each line for a table has one")
  func files() throws {
    let folder = ShippedPipelinesTests.root + "/Sources/Language/Reference/Topics"
    let files = try FileManager.default.contentsOfDirectory(atPath: folder)
    expect(files.sorted(), equals: Topic.all.map { "\($0.name).md" }.sorted())
    for topic in Topic.all {
      for case .text(let text) in topic.parts(.all) {
        #expect(!text.contains("{{"), "\(topic.name): \(text)")
      }
    }
  }

  @Test(
    "each file about a node is named for it, and each node has one, of paragraphs and a block of examples")
  func nodeFiles() throws {
    let kinds = Catalog.all.nodes.map { spec in
      let isAlone = Catalog.all.named(spec.kind).count == 1
      return isAlone ? "\(spec.kind).md" : "\(spec.kind)_\(spec.roleName).md"
    }
    var files: [String] = []
    for module in ["Nodes", "Connectors"] {
      let folder = ShippedPipelinesTests.root + "/Sources/\(module)/Reference"
      for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
        files.append(name)
        let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
        let parts = text.components(separatedBy: "```")
        #expect(parts.count == 3 && parts[1].hasPrefix("examples\n# ") && parts[2] == "\n", "\(name)")
        #expect(!parts[0].contains("\n#") && !parts[0].contains("\n|"), "\(name)")
      }
    }
    expect(files.sorted(), equals: kinds.sorted())
    for spec in Catalog.all.nodes {
      #expect(!spec.examples.isEmpty && !spec.details.contains("{{"), "\(spec.kind)")
    }
  }

  @Test(
    "no table of a topic is empty, and none of its cells in the first and last column",
    arguments: Topic.all.map(\.name))
  func tables(_ name: String) throws {
    let topic = try #require(Topic.named(name))
    for part in topic.parts(.all) {
      guard case .table(let columns, let rows) = part else { continue }
      #expect(!rows.isEmpty, "the table of \(columns)")
      for row in rows { #expect(row.first?.isEmpty == false && row.last?.isEmpty == false, "\(row)") }
    }
  }

  @Test("a search lists the pages with all of its words, from their beginnings, those of that name first")
  func search() throws {
    let limit = try flow(["docs", "--search", "rate limit"])
    #expect(limit.status == 0 && limit.output.hasPrefix("rate_limit, a step: "))
    #expect(!limit.output.contains("csv, a sink"), "“separated” has no word that begins with “rate”")
    #expect(try flow(["docs", "--search", "Retry-After backoff"]).output.contains("http, a "))
    let horizon = try flow(["docs", "--search", "horizon truncated"]).output.split(separator: "\n")
    #expect(horizon.contains { $0.hasPrefix("    ") && $0.contains("horizon") && $0.contains("truncated") })
    for line in horizon { #expect(line.count <= 80) }
    let none = try flow(["docs", "--search", "xyzzy"])
    #expect(none.status == 1 && none.output.isEmpty && none.errors.contains("no page has “xyzzy”"))
  }

  @Test(
    "a search by the word that people look for finds the page where the thing is treated",
    arguments: [
      ("timezone", "sources"), ("pagination", "http"), ("oauth", "http"), ("checksum", "install"),
      ("uninstall", "install"), ("port in use", "errors"), ("no space left", "errors"), ("macos", "install"),
      ("arm64", "install"), ("email", "notify"),
    ])
  func wanted(_ words: String, _ page: String) throws {
    let pages = DocsSearch(words).pages.prefix(4).map(\.name)
    #expect(pages.contains(page), "\(pages)")
  }

  @Test("a page begins with options and examples, and says where their notation is explained")
  func order() throws {
    let text = try flow(["docs", "changes"]).output
    let places = ["\nOptions\n", "\nExamples\n", "flow docs examples", "\nDetails\n", "\nState\n"].map {
      text.range(of: $0)?.lowerBound
    }
    #expect(!places.contains(nil) && places.compactMap(\.self) == places.compactMap(\.self).sorted())
    #expect(try flow(["docs", "examples"]).output.contains("5s poll truncated .net moves"))
    #expect(
      !(try flow(["docs", "jsonl"]).output).contains("flow docs examples"), "its examples have no events")
  }

  @Test("every member of $meta and every function of flow's own is documented")
  func expressions() throws {
    let order = try #require(RowOrder("-.net"))
    let horizon = Horizon(order: order, last: .number(1), moves: true)
    let known = Set(ExpressionScope.metaMembers.map(\.name))
    for coverage in [Coverage.complete, .truncated(horizon), .partial] {
      let meta = Poll(source: "s", number: 1, at: 0, coverage: coverage).meta
      meta.forEachMember { name, _ in #expect(known.contains(name.string ?? ""), "\(name)") }
    }
    for function in ExpressionScope.functions { _ = try Program("try \(function.call)") }
  }

  @Test("every manual page names what it describes and has no control line of its texts")
  func manualPages() throws {
    let flow1 = try flow(["docs", "--format", "man"]).output
    let pipeline = try flow(["docs", "--format", "man", "flow-pipeline"]).output
    let nodes = try flow(["docs", "--format", "man", "flow-nodes"]).output
    #expect(flow1.hasPrefix(".TH FLOW 1 ") && flow1.contains("\nflow \\- "))
    for command in Command.all {
      let name = command.name.replacingOccurrences(of: "-", with: "\\-")
      #expect(flow1.contains(".SS \"flow \(name)"), "\(name)")
    }
    for topic in Topic.all { #expect(pipeline.contains("\n.SH \"\(topic.name.uppercased())\"\n")) }
    for spec in Catalog.all.nodes {
      #expect(nodes.contains("\n.SS \"\(spec.kind)\"\n"), "\(spec.kind)")
      try expect(flow(["docs", "--format", "man", spec.kind]).status, equals: 0)
    }
    let macros: Set = ["TH", "SH", "SS", "PP", "TP", "IP", "RS", "RE", "nf", "fi", "nh", "ad"]
    for line in (flow1 + pipeline + nodes).split(separator: "\n")
    where line.hasPrefix(".") || line.hasPrefix("'") {
      let name = line.dropFirst().prefix { $0 != " " }
      #expect(macros.contains(String(name)), "\(line)")
    }
    #expect(try flow(["docs", "--format", "man", "filter"]).output.contains("\n.SS \"filter\"\n"))
  }

  @Test("flow docs config documents every setting that flow reads, and the manual every variable")
  func settings() throws {
    let page = try flow(["docs", "config", "--format", "markdown"]).output
    for name in ConfigFile.settings { #expect(page.contains("| `\(name)` |"), "\(name)") }
    let variables = Set(CommandPage.variables.map(\.0))
    let root = ShippedPipelinesTests.root + "/Sources"
    let files = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
    for file in files where file.hasSuffix(".swift") {
      let text = try String(contentsOfFile: "\(root)/\(file)", encoding: .utf8)
      for match in text.matches(of: /(?:environment|list)\("([A-Z_]+)"\)/) {
        // Debug builds alone read it.
        if match.1 == "FLOW_TEST_VERSION" { continue }
        #expect(variables.contains(String(match.1)), "\(file): \(match.1)")
      }
    }
  }

  @Test("the variables of expressions are documented, and every member that a source adds to $meta")
  func variables() throws {
    let page = try flow(["docs", "expressions", "--format", "markdown"]).output
    for name in ExpressionScope.variables + ["event", "other", "answer", "last"] {
      #expect(page.contains("| `$\(name)` |"), "\(name)")
    }
    let words = Set(page.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
    let functions = try flow(["eval", "-nr", "builtins[]"]).output.split(separator: "\n")
    #expect(functions.count > 200)
    for function in functions {
      let name = String(function.prefix { $0 != "/" })
      #expect(words.contains(name), "\(name)")
    }
    let path = "\(ShippedPipelinesTests.root)/Sources/Delivery/Web/WebFetch.swift"
    let fetch = try String(contentsOfFile: path, encoding: .utf8)
    let notes = try #require(fetch.split(separator: "func notes()").last?.split(separator: ".record(").first)
    let members = notes.matches(of: /\("([a-z]+)", \./).map { String($0.1) }
    #expect(members.count >= 3)
    for member in members { #expect(page.contains("| `\(member)` |"), "\(member)") }
  }

  @Test("a kind that is none is a mistake, with the one that was meant")
  func unknown() throws {
    let outcome = try flow(["docs", "fliter"])
    #expect(outcome.status == 2 && outcome.output.isEmpty)
    expect(
      outcome.errors,
      equals: "flow docs: unknown topic, source, step or sink “fliter”; did you mean “filter”?\n")
    #expect(
      try flow(["docs", "redirects"]).errors.contains("; the word occurs in http"),
      "in a page of another name")
    #expect(try flow(["docs", "xyzzy"]).errors.contains("; flow docs lists them all\n"))
    try expect(
      flow(["docs", "yaml"]).errors,
      equals: "flow docs: “yaml” is a format of decode; see flow docs decoders\n")
  }
}
