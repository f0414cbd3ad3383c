import Expectations
import JSON
import Language
import Testing

@testable import Engine

/// The rows on which a node fails: what is reported, and what is a problem.
@Suite struct RowFailuresTests {
  /// Polls of one list after another: the keys of their rows, those that fail in capitals.
  private struct Polls {
    var failures = RowFailures()
    var hasKeys = true
    private var number = 0
    private var before: Set<Value> = []

    init(hasKeys: Bool = true) { self.hasKeys = hasKeys }

    mutating func take(_ keys: String, entry: String? = nil, coverage: Coverage = .complete) -> RowFailures
      .Change?
    {
      number += 1
      let notes = entry.map { Value.record([("each", .string($0))]) } ?? .emptyObject
      let poll = Poll(source: "s", number: number, at: Double(number), notes: notes, coverage: coverage)
      let all = keys.map { Value.string($0.lowercased()) }
      if hasKeys { poll.note(keys: all, after: before) }
      before = Set(all)
      var rows = RowFailures.Rows(poll: poll)
      rows.taken = keys.count
      let failed = keys.filter(\.isUppercase)
      rows.failed = failed.count
      if hasKeys { rows.keys = Set(failed.map { Value.string($0.lowercased()) }) }
      rows.reason = "no amount"
      return failures.take(rows)
    }

    /// As in `1/3 of 2`, with `!` for a problem.
    var status: String {
      guard let status = failures.status else { return "" }
      return "\(status.number)/\(status.total) in \(status.polls)" + (status.isLoss ? "!" : "")
    }
  }

  @Test("no row that passes is a problem at once, one that never passed is none", arguments: [true, false])
  func losses(hasKeys: Bool) {
    var polls = Polls(hasKeys: hasKeys)
    expect(polls.take("abC"), equals: .failed)
    expect(polls.status, equals: "1/3 in 1")
    expectNil(polls.take("abC"))
    expectNil(polls.take("abC"))
    expect(polls.status, equals: "1/3 in 3")
    // Another row that never passed.
    expectNil(polls.take("abCD"))
    expectNil(polls.take("abCD"))
    expect(polls.status, equals: "2/4 in 5")
    expect(polls.take("ABCD"), equals: .lost)
    expect(polls.status, equals: "4/4 in 6!")
    expect(polls.take("abcd"), equals: .recovered(since: 1, polls: 6))
    expect(polls.status, equals: "")
    expectNil(polls.take(""))
  }

  @Test("rows that passed before are a problem when they fail in two polls", arguments: [true, false])
  func twice(hasKeys: Bool) {
    var polls = Polls(hasKeys: hasKeys)
    expectNil(polls.take("abc"))
    expect(polls.take("aBc"), equals: .failed)
    expect(polls.take("abc"), equals: .recovered(since: 2, polls: 1))
    expect(polls.take("aBc"), equals: .failed)
    expect(polls.take("aBc"), equals: .lost)
    expectNil(polls.take("aBc"))
    expect(polls.status, equals: "1/3 in 3!")
    // It is gone: nothing fails any more.
    expect(polls.take("ac"), equals: .recovered(since: 4, polls: 3))
  }

  @Test("with keys it matters which rows fail, also where others leave the list")
  func keys() {
    var polls = Polls()
    expect(polls.take("abCDe"), equals: .failed)
    // Rows move on, and one that was never read comes in as another leaves.
    expectNil(polls.take("FabCD"))
    expectNil(polls.take("gFabC"))
    expectNil(polls.take("hgFaB"))
    expect(polls.status, equals: "2/5 in 4")
    expect(polls.take("hgFaB"), equals: .lost)
    // The one that was lost has left, the other never passed.
    expect(polls.take("hgFai"), equals: .failed)
    expect(polls.status, equals: "1/5 in 6")
  }

  @Test("a partial poll without some of the rows says nothing of their number")
  func partial() {
    var polls = Polls(hasKeys: false)
    expect(polls.take("abcdE"), equals: .failed)
    for _ in 0..<3 { expectNil(polls.take("aEF", coverage: .partial)) }
    expect(polls.status, equals: "2/3 in 4")
  }

  @Test("each entry of a list is judged by itself, and over when it leaves the list")
  func entries() {
    var polls = Polls(hasKeys: false)
    expectNil(polls.take("a", entry: "x"))
    expect(polls.take("A", entry: "y"), equals: .lost)
    expect(polls.take("Ab", entry: "z"), equals: .failed)
    expectNil(polls.take("a", entry: "x"))
    expect(polls.status, equals: "2/3 in 1!")
    expect(polls.failures.status?.entries, equals: ["y", "z"])
    expect(
      polls.failures.status?.text, equals: "fails on 2 of 3 entries, for 1 poll: y: no amount; also z")
    let notes = Value.record([("each", "y"), ("gone", "remove")])
    let gone = Poll(source: "s", number: 9, at: 9, notes: notes)
    expect(polls.failures.take(RowFailures.Rows(poll: gone)), equals: .recovered(since: 2, polls: 1))
    expect(polls.failures.outcome(of: gone), equals: .gone)
    expect(polls.status, equals: "1/2 in 1")
  }
}
