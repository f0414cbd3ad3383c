import Expectations
import JSON
import Testing

@testable import flow

@Suite struct NodesCommandTests {
  @Test("the list is grouped by role and fits 80 columns")
  func list() throws {
    let outcome = try flow(["nodes"])
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
    let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
    expect(
      lines.filter { !$0.hasPrefix(" ") && !$0.isEmpty }.prefix(3), equals: ["Sources", "Steps", "Sinks"])
    for line in lines { #expect(line.count <= 80, "\(line)") }
    #expect(lines.contains { $0.hasPrefix("  filter ") })
  }

  @Test("as JSON it holds all that is declared")
  func json() throws {
    let nodes = try Value.parse(try flow(["nodes", "--json"]).output).items ?? []
    let filter = try #require(nodes.first { $0.member("kind")?.string == "filter" })
    #expect(filter.member("role")?.string == "step" && filter.member("shorthand")?.string == "where")
    expect(filter.member("options")?.items?.first?.member("required"), equals: .bool(true))
  }
}
