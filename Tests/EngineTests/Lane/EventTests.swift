import Dispatch
import Expectations
import JSON
import Language
import Reactive
import Testing

@testable import Engine

@Suite struct EventTests {
  private let rows = [Value.record([("n", .number(1))]), .record([("n", .number(2))])]

  @Test("an event knows the position of its row, whatever its value has become, until its poll has passed")
  func position() throws {
    let order = try #require(RowOrder(".n"))
    let poll = Poll(source: "in", number: 1, at: 0, rows: rows)
    let mapped = Event(rows[1], poll, row: 1).with(.string("two")).detached
    expect(mapped.position(in: order), equals: .number(2))
    expectNil(Event(rows[1], poll).position(in: order), "made from several rows, or none")
    expectNil(Event.end(of: poll).position(in: order))
    poll.forgetRows()
    expectNil(mapped.position(in: order))
  }

  @Test("tasks that keep events of one poll at once keep the key of each")
  func keysAtOnce() {
    let rows = (0..<2000).map { Value.number($0) }
    let poll = Poll(source: "in", number: 1, at: 0, rows: rows)
    poll.note(keys: rows.map { .string("key \($0)") }, after: [])
    let events = rows.enumerated().map { Event($0.element, poll, row: Int32($0.offset)) }
    let kept = Locked([Event]())
    DispatchQueue.concurrentPerform(iterations: 8) { task in
      let own = stride(from: task, to: rows.count, by: 8).map { events[$0].detached }
      kept.withLock { $0 += own }
    }
    poll.forgetRows()
    let found = kept.withLock { Set($0.compactMap { $0.key?.string }) }
    expect(found.count, equals: rows.count)
  }

  @Test(
    "of a poll that has passed an event that is kept has its own key alone, and the kept end of it all of them"
  )
  func keys() {
    let poll = Poll(source: "in", number: 1, at: 0, rows: rows)
    let names: [Value] = [.string("a"), .string("b")]
    poll.note(keys: names, after: [.string("z")])
    let events = rows.enumerated().map { Event($0.element, poll, row: Int32($0.offset)) }
    expect(events.map(\.key), equals: names)
    let kept = events[1].detached
    poll.forgetRows()
    expect(kept.key, equals: .string("b"))
    expectNil(events[0].key)
    #expect(poll.keys == [] && poll.keysBefore == [])

    let held = Poll(source: "in", number: 2, at: 0, rows: rows)
    held.note(keys: names, after: [])
    let end = Event.end(of: held).detached
    held.forgetRows()
    expect(end.poll.keys, equals: names)
  }

  @Test("$meta has the coverage of a poll, and none where there are no polls")
  func meta() throws {
    let horizon = Horizon(order: try #require(RowOrder("-.n")), last: .number(7), moves: false)
    let poll = Poll(source: "in", number: 3, at: 0, coverage: .truncated(horizon))
    expect(
      poll.meta.description,
      equals:
        #"{"source":"in","poll":3,"at":"1970-01-01T00:00:00Z","coverage":"truncated","order":"-.n","last":7}"#
    )
    expectNil(Poll(source: "in", at: 0).meta.member("coverage"))
  }

  @Test("a stored event keeps the coverage of its poll")
  func stored() throws {
    let poll = Poll(source: "in", number: 3, at: 5, coverage: .partial)
    let event = try #require(Event(stored: Event(.number(1), poll).stored))
    #expect(event.poll.coverage == .partial && !event.poll.isComplete && !event.poll.isMissingEvents)
  }

  @Test("an event takes no more room than its value and poll, so that queues of them stay small")
  func size() { #expect(MemoryLayout<Event>.stride <= 32) }
}
