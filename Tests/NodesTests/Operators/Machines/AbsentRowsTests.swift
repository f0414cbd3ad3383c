import Expectations
import JSON
import Language
import Reactive
import Testing

@testable import Nodes

@Suite struct AbsentRowsTests {
  private func rows(
    _ confirmation: PollsOrTime = .polls(1), lifetime: Double = 100, bound: Int = 10
  ) -> AbsentRows<MemoryState<Value, AbsentRow>> {
    AbsentRows(state: MemoryState(), confirmation: confirmation, lifetime: lifetime, bound: bound)
  }

  @Test("a loss is confirmed at once by default")
  func atOnce() {
    var rows = rows()
    let isConfirmed = rows.lose("a", .number(1), nil, at: 0)
    #expect(isConfirmed && rows.count == 0)
  }

  @Test("a loss is confirmed by so many polls, the first included")
  func polls() {
    var rows = rows(.polls(3))
    let isConfirmed = rows.lose("a", .number(1), nil, at: 0)
    #expect(!isConfirmed)
    let second = rows.confirm(at: 1) { _ in true }
    #expect(second.confirmed.isEmpty && second.isWaiting)
    let third = rows.confirm(at: 2) { _ in true }
    #expect(third.confirmed.map(\.key) == ["a"] && !third.isWaiting && rows.count == 0)
  }

  @Test("a loss is confirmed by time, from the first poll that has shown it")
  func time() {
    var rows = rows(.time(.seconds(10)))
    let isConfirmed = rows.lose("a", .number(1), nil, at: 5)
    #expect(!isConfirmed)
    let counts = [14.0, 15].map { rows.confirm(at: $0) { _ in true }.confirmed.count }
    expect(counts, equals: [0, 1])
  }

  @Test("a row out of sight is only confirmed by polls that show it gone, from the first of them")
  func hidden() {
    var rows = rows(.time(.seconds(10)))
    rows.hide("a", .number(1), nil, at: 0)
    let counts = [(50.0, false), (60, true), (70, true)].map { now, isGone in
      rows.confirm(at: now) { _ in isGone }.confirmed.count
    }
    expect(counts, equals: [0, 0, 1])
  }

  @Test("a row that returns is handed out as it was")
  func back() {
    var rows = rows()
    rows.hide("a", .number(1), nil, at: 0)
    let values = ["b", "a", "a"].map { rows.bringBack(.string($0))?.value }
    expect(values, equals: [nil, .number(1), nil])
  }

  @Test("a row is forgotten after its lifetime, and the oldest of too many at once")
  func forgotten() {
    var rows = rows(lifetime: 10, bound: 2)
    for (index, key) in ["a", "b", "c"].enumerated() {
      rows.hide(.string(key), .number(1), nil, at: Double(index))
    }
    #expect(rows.count == 2 && !rows.contains("a"))
    rows.forget(at: 11)
    expect(rows.count, equals: 2)
    rows.forget(at: 11.5)
    #expect(rows.count == 1 && rows.contains("c"))
  }

  @Test("a removal that waits for its confirmation is not forgotten, and keeps no other row from it")
  func waiting() {
    var rows = rows(.time(.seconds(20)), lifetime: 10)
    let isConfirmed = rows.lose("a", .number(1), nil, at: 0)
    rows.hide("b", .number(2), nil, at: 1)
    rows.forget(at: 15)
    #expect(!isConfirmed && rows.contains("a") && !rows.contains("b"))
    let later = rows.confirm(at: 20) { _ in true }
    #expect(later.confirmed.map(\.key) == ["a"] && rows.count == 0)
  }

  @Test("a stored row is the same again")
  func stored() throws {
    let order = try #require(RowOrder("-.a.b"))
    let row = AbsentRow(
      .string("x"), since: 5.25, polls: 2, place: RowPlace(order: order, position: .number(7)))
    expect(AbsentRow(stored: row.stored), equals: row)
    expect(AbsentRow(stored: AbsentRow(.null, since: 0).stored), equals: AbsentRow(.null, since: 0))
  }
}
