import Expectations
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
}
