import Expectations
import Engine
import TestSupport
import Testing
import Trials

@testable import Delivery

/// Deliveries that a simulated run leaves out: said at the start, counted at the end, and not where there were none.
@Suite struct SuppressionTests {
  private func messages(of count: Int) throws -> [String] {
    let log = Journal<String>()
    var context = SinkContext.lone(.real) { log.note($0.message) }
    context.outputs = OutputPolicy(below: "out/sky", of: .simulation, isLive: false, reason: "under --sky")
    var suppression = try #require(Suppression(of: .message, context))
    for _ in 0..<count { _ = suppression.next() }
    suppression.report()
    suppression.report()
    return log.entries
  }

  @Test("what was left out is counted once, in the singular or the plural; none is not worth a line")
  func counts() throws {
    let start = "messages are not published under --sky; --live-sinks publishes them"
    try expect(messages(of: 0), equals: [start])
    try expect(messages(of: 1), equals: [start, "1 message was not published"])
    try expect(messages(of: 2), equals: [start, "2 messages were not published"])
  }

  @Test("a sink that delivers, or shows its deliveries in a dry run, leaves none out")
  func live() {
    expectNil(Suppression(of: .row, .lone(.real) { _ in }))
  }
}
