import Engine
import Expectations
import Foundation
import JSON
import Language
import Testing
import Trials

@testable import Nodes

/// What a list says of rows that it does not have, where the source does not read on.
@Suite struct UnreadRowsTests {
  private func trial(_ options: String, _ body: String) throws -> WebTrial {
    try WebTrial("http: { url: 'http://a/x', rows: '.items[]'\(options) }") { _ in .init(body) }
  }

  @Test(
    "a list that says that it goes on is truncated, once with the line that reads the rest",
    arguments: [
      (#""has_more":true"#, "as .has_more is true: page: page may read the rest"),
      (#""next":"/x?p=2""#, "as .next is an address: next: .next reads the rest"),
      (
        #""meta":{"next_cursor":"b"}"#,
        #"as .meta.next_cursor is "b": next: .meta.next_cursor, cursor: cursor reads the rest"#
      ),
      (#""pagination":{"isLast":false}"#, "as .pagination.isLast is false: page: page may read the rest"),
    ])
  func truncated(_ members: String, _ words: String) throws {
    let trial = try trial("", #"{"items":[{"id":1},{"id":2}],\#(members)}"#)
    for _ in 0..<2 {
      let answer = try trial.poll()
      expect(answer.coverage, equals: .truncated(nil))
      expect(answer.hint, equals: "only the first 2 rows are read, \(words)")
    }
    expect(trial.told.entries.count, equals: 1)
    let told = trial.told.entries.first ?? ""
    let way = words.components(separatedBy: ": ").dropFirst().joined(separator: ": ")
    #expect(
      told.contains(": \(way); ") && told.hasSuffix("next: null says that this is the whole list"), "\(told)")
  }

  @Test("a list that is read on, said to be whole, or limited, is not reported")
  func meant() throws {
    let body = #"{"items":[{"id":1}],"has_more":true,"next":"/x?p=2"}"#
    let whole = try trial(", next: null", body)
    expect(try whole.poll().coverage, equals: .complete)
    let limited = try trial(", limit: 1, order: .id", body)
    let order = try #require(RowOrder(".id"))
    expect(
      try limited.poll().coverage,
      equals: .truncated(Horizon(order: order, last: .number(1), moves: false)))
    for trial in [whole, limited] {
      expect(try trial.poll().hint, equals: nil)
      expect(trial.told.entries, equals: [])
    }
    let followed = try WebTrial("http: { url: 'http://a/x', rows: '.items[]', next: .next }") { order in
      .init(order.address.text.hasSuffix("p=2") ? #"{"items":[2],"next":null}"# : body)
    }
    expect(try followed.poll().coverage, equals: .complete)
    expect(followed.told.entries, equals: [])
  }

  @Test("fewer rows than the limit, in a list that goes on, are reported too")
  func belowLimit() throws {
    let trial = try trial(", limit: 5, method: post", #"{"items":[{"id":1}],"more":true,"offset":0}"#)
    let answer = try trial.poll()
    expect(answer.coverage, equals: .truncated(nil))
    #expect(
      answer.hint?.hasSuffix("flow docs http says how to read the rest (next, cursor, page, offset)") == true)
    expect(trial.told.entries.count, equals: 1)
  }

  @Test("a number of rows above those that are there is a warning, and changes nothing")
  func stated() throws {
    let body = #"{"items":[{"id":1}],"count":200}"#
    let trial = try trial("", body)
    for _ in 0..<2 {
      let answer = try trial.poll()
      expect(answer.coverage, equals: .complete)
      expect(answer.hint, equals: nil)
    }
    expect(
      trial.told.entries,
      equals: [
        "the answer states 200 rows (.count) and has 1: if it is a part of the list, total: .count lets no missing "
          + "row count as removed; if the number means something else, total: null"
      ])
    let other = try self.trial(", total: null", body)
    expect(try other.poll().coverage, equals: .complete)
    expect(other.told.entries, equals: [])
    expect(try self.trial(", total: .count", body).poll().coverage, equals: .partial)
  }

  @Test("rows that no member of the answer contains are not looked at")
  func others() throws {
    let body = #"{"items":{"a":{"id":1}},"has_more":true}"#
    for rows in [".items[]", "to_entries[]", "[1][]"] {
      let trial = try WebTrial("http: { url: 'http://a/x', rows: '\(rows)' }") { _ in .init(body) }
      expect(try trial.poll().coverage, equals: .complete)
    }
  }
}
