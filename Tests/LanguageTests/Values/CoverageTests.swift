import Expectations
import JSON
import Testing

@testable import Language

@Suite struct CoverageTests {
  @Test(
    "a coverage is read as it is written",
    arguments: [
      Coverage.complete, .partial, .truncated(nil),
      .truncated(Horizon(order: RowOrder("-.a.b")!, last: .number(3), moves: true)),
    ])
  func again(_ coverage: Coverage) {
    expect(Coverage(Value.record(coverage.members)), equals: coverage)
  }

  @Test("an object without coverage has none, and a horizon without its order is unknown")
  func unknown() {
    expectNil(Coverage(.emptyObject))
    expectNil(Coverage(.record([("coverage", "some")])))
    expect(
      Coverage(.record([("coverage", "truncated"), ("order", "net"), ("last", .number(1))])),
      equals: .truncated(nil))
  }

  @Test(
    "an order names a member of the rows",
    arguments: [(".net", false), ("-.net", true), (".a.b_2", false)])
  func orders(_ text: String, _ isDescending: Bool) throws {
    let order = try #require(RowOrder(text))
    #expect(order.text == text && order.isDescending == isDescending)
  }

  @Test("anything else is no order", arguments: ["", ".", "-", "net", ".a..b", ".a[]", ".2", ". a", "- .a"])
  func wrong(_ text: String) { expectNil(RowOrder(text)) }

  @Test("a position is that of the member, and null is none")
  func positions() throws {
    let order = try #require(RowOrder(".a.b"))
    try expect(order.position(of: Value.parse(#"{"a":{"b":5}}"#)), equals: .number(5))
    try expectNil(order.position(of: Value.parse(#"{"a":{"b":null}}"#)))
    try expectNil(order.position(of: Value.parse(#"{"a":1}"#)))
  }

  @Test("a horizon covers what comes before its last row, and is not sure of its equals")
  func covers() throws {
    let ascending = Horizon(order: try #require(RowOrder(".n")), last: .number(5), moves: false)
    #expect(ascending.covers(.number(4)) && !ascending.covers(.number(5)) && !ascending.covers(.number(6)))
    let descending = Horizon(order: try #require(RowOrder("-.n")), last: .number(5), moves: false)
    #expect(descending.covers(.number(6)) && !descending.covers(.number(5)) && !descending.covers(.number(4)))
  }
}
