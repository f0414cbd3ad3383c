import Expectations
import Foundation
import JSON
import Testing

@testable import flow

@Suite struct SchemaCommandTests {
  @Test("the schema has a definition for every node, and every reference leads to one")
  func schema() throws {
    let outcome = try flow(["schema"])
    expect(outcome.status, equals: 0)
    let schema = try Value.parse(outcome.output)
    expect(schema.member("$schema")?.string, equals: "http://json-schema.org/draft-07/schema#")
    expect(schema.member("$id")?.string, equals: "urn:flow:pipeline")
    expect(schema.member("$comment")?.string, equals: "flow \(VersionCommand.version)")
    let definitions = try #require(schema.member("definitions"))
    for node in try Value.parse(try flow(["nodes", "--json"]).output).items ?? [] {
      let name = "\(node.member("role")?.string ?? "").\(node.member("kind")?.string ?? "")"
      #expect(definitions.member(name)?.member("description") != nil, "\(name)")
    }
    let references = outcome.output.matches(of: /"\$ref": "#\/definitions\/([^"]+)"/).map { String($0.1) }
    #expect(references.count > 10)
    for name in references { #expect(definitions.member(name) != nil, "\(name)") }
  }

  @Test("the line for editors is code in the help, on the page and in the manual, not a heading")
  func line() throws {
    let line = "# yaml-language-server: $schema=flow.schema.json"
    #expect(try flow(["schema", "--help"]).output.contains("\n\n    \(line)\n\n"))
    let page = try #require(DocsPages().files().first { $0.path == "commands/schema.md" }).text
    #expect(page.contains("\n\n    \(line)\n\n"))
    let escaped = line.replacingOccurrences(of: "-", with: "\\-")
    #expect(try flow(["docs", "--format", "man"]).output.contains("\n.nf\n\(escaped)\n.fi\n"))
  }

  @Test("the entry for SchemaStore is for files that are pipelines by their names")
  func entry() throws {
    let path = "\(ShippedPipelinesTests.root)/packaging/schemastore.json"
    let entry = try Value.parse(String(contentsOfFile: path, encoding: .utf8))
    let patterns = entry.member("fileMatch")?.items?.compactMap(\.string) ?? []
    expect(patterns, equals: ["*.flow.yaml"])
    for pattern in patterns {
      #expect(InstalledPipelines.suffixes.contains { pattern == "*\($0)" }, "\(pattern)")
    }
    #expect(entry.member("url")?.string?.hasSuffix("/flow.schema.json") == true)
    #expect(entry.member("name") != nil && entry.member("description") != nil)
  }
}
