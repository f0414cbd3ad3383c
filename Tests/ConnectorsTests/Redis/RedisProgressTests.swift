import Engine
import Expectations
@testable import Connectors
import JSON
import Language
import TestSupport
import Testing

/// Messages about entries that a stream has dropped, or a server has lost.
@Suite("The progress in a Redis stream") struct RedisProgressTests {
  private func facts(
    length: Int, first: String?, last: String, added: Int? = nil, deleted: String? = "0-0"
  ) -> RedisStreamFacts {
    var facts = RedisStreamFacts()
    (facts.length, facts.first, facts.added) = (length, first.flatMap { RedisID($0) }, added)
    facts.last = RedisID(last) ?? .zero
    facts.lastDeleted = added == nil ? nil : deleted.flatMap { RedisID($0) }
    return facts
  }

  /// A progress that has read three entries of five, and what it says of what the stream has then.
  private func said(_ later: RedisStreamFacts, counts: Bool = true) -> (id: String, log: [String]) {
    var progress = RedisProgress("s", nil)
    progress.begin(
      behind: .zero, facts(length: 5, first: "1-0", last: "5-0", added: counts ? 5 : nil))
    progress.advance(to: RedisID(time: 3, number: 0), by: 3)
    var stored = RedisProgress("s", progress.position)
    let journal = Journal<String>()
    let log = NodeLog(log: Log { journal.note($0.message) }, pipeline: "p", node: "in")
    stored.compare(with: later, log)
    return ("\(stored.id)", journal.entries)
  }

  @Test("there is no message while nothing is missing, also where what was read is dropped")
  func whole() {
    #expect(said(facts(length: 5, first: "1-0", last: "5-0", added: 5)).log == [])
    #expect(said(facts(length: 2, first: "4-0", last: "5-0", added: 5)).log == [])
    #expect(said(facts(length: 1, first: "3-0", last: "3-0", added: 3)).log == [])
    #expect(said(facts(length: 0, first: nil, last: "3-0", added: 3)).log == [])
  }

  @Test("entries that were dropped unread are counted where the server counts them")
  func dropped() {
    let one = said(facts(length: 1, first: "5-0", last: "5-0", added: 5))
    expect(one.log, equals: ["the stream s has dropped an entry behind 3-0 before it was read"])
    expect(one.id, equals: "4-18446744073709551615", "the first that is left is read next")
    let many = said(facts(length: 10, first: "91-0", last: "100-0", added: 100))
    expect(many.log, equals: ["the stream s has dropped 87 entries behind 3-0 before they were read"])
    let perhaps = "the stream s has dropped what was at 3-0, and perhaps entries behind it, unread"
    expect(said(facts(length: 1, first: "5-0", last: "5-0"), counts: false).log, equals: [perhaps])
    let deleted = facts(length: 1, first: "5-0", last: "5-0", added: 5, deleted: "4-0")
    expect(said(deleted).log, equals: [perhaps])
  }

  @Test("a server that has lost what it had is read on behind its end")
  func lost() {
    let cut = said(facts(length: 2, first: "1-0", last: "2-0", added: 2))
    expect(cut.id, equals: "2-0")
    #expect(cut.log.count == 1 && cut.log[0].hasSuffix("has lost what it had; it is read on behind its end"))
    let gone = said(RedisStreamFacts())
    expect(gone.id, equals: "0-0")
    #expect(gone.log.count == 1 && gone.log[0].hasSuffix("it is read from its beginning"))
  }

  @Test("the position of another stream is none")
  func otherStream() {
    var progress = RedisProgress("s", nil)
    progress.begin(behind: RedisID(time: 1, number: 2), RedisStreamFacts())
    #expect(!RedisProgress("t", progress.position).isKnown)
    expect("\(RedisProgress("s", progress.position).id)", equals: "1-2")
  }
}
