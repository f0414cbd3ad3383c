import Testing

@testable import Language

@Suite struct NodeListTests {
  @Test("nodes are listed by role, their summaries in a column of their own")
  func list() {
    let lines = toys.list(width: 32)
    #expect(lines.prefix(2) == ["Sources", "  api     ask a server for rows"])
    #expect(lines.contains("  join    add what another"))
    #expect(lines.contains("          stream said last"))
    #expect(lines.filter { !$0.hasPrefix(" ") } == ["Sources", "", "Steps", "", "Sinks"])
  }
}
