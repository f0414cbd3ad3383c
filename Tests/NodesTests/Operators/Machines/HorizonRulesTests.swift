import Expectations
import JSON
import Language
import Testing

@testable import Engine
@testable import Nodes

@Suite struct HorizonRulesTests {
  private let order: RowOrder

  init() throws { order = try #require(RowOrder(".n")) }

  private func place(_ position: Value) -> RowPlace { RowPlace(order: order, position: position) }

  private func truncated(_ last: Value, moves: Bool = false, order other: RowOrder? = nil) -> Coverage {
    .truncated(Horizon(order: other ?? order, last: last, moves: moves))
  }

  @Test("a row missing from a complete poll is gone, and of a partial one nothing is known")
  func whole() {
    expect(Coverage.complete.absence(from: nil), equals: .gone)
    expect(Coverage.partial.absence(from: place(.number(1))), equals: .unknown)
  }

  @Test(
    "a row missing from a truncated list is gone only if its place is before a fixed horizon of the same order"
  )
  func absence() throws {
    expect(truncated(.number(5)).absence(from: place(.number(4))), equals: .gone)
    expect(truncated(.number(5)).absence(from: place(.number(5))), equals: .outOfSight)
    expect(truncated(.number(5)).absence(from: place(.number(6))), equals: .outOfSight)
    expect(truncated(.number(5)).absence(from: nil), equals: .outOfSight)
    expect(truncated(.number(5), moves: true).absence(from: place(.number(4))), equals: .outOfSight)
    expect(Coverage.truncated(nil).absence(from: place(.number(4))), equals: .outOfSight)
    let other = try #require(RowOrder("-.n"))
    expect(truncated(.number(5), order: other).absence(from: place(.number(4))), equals: .outOfSight)
  }

  @Test("a poll would have shown a row before a fixed horizon, or one whose place is not known")
  func shown() {
    let row = Value.record([("n", .number(5))])
    let event = Event(row, Poll(source: "in", number: 1, at: 0, rows: [row]), row: 0)
    #expect(truncated(.number(6)).wouldShow(event) && !truncated(.number(6), moves: true).wouldShow(event))
    #expect(!truncated(.number(5)).wouldShow(event) && !Coverage.partial.wouldShow(event))
    #expect(Coverage.truncated(nil).wouldShow(event) && Coverage.complete.wouldShow(event))
    #expect(truncated(.number(4)).wouldShow(Event(row, Poll(source: "in", number: 1, at: 0))))
  }

  @Test("places are stored only for a fixed order")
  func fixedOrder() {
    #expect(truncated(.number(1)).fixedOrder == order && truncated(.number(1), moves: true).fixedOrder == nil)
    #expect(Coverage.complete.fixedOrder == nil && Coverage.truncated(nil).fixedOrder == nil)
  }

  @Test("a stored baseline is the same again, and one of an earlier version is complete")
  func baseline() {
    for coverage in [Coverage.complete, .truncated(nil), truncated(.number(5), moves: true)] {
      for held in [nil, 7] {
        let baseline = SourcePolls.Baseline(coverage: coverage, held: held)
        expect(SourcePolls.Baseline(stored: baseline.stored), equals: baseline)
      }
    }
    expect(SourcePolls.Baseline(stored: true.stored), equals: SourcePolls.Baseline(coverage: .complete))
  }
}
