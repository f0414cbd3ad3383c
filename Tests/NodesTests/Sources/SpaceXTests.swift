import Expectations
@testable import Delivery
@testable import Nodes
import Trials
import TestSupport
import JSON
import Engine
import Language
import Testing

import System

@Suite struct SpaceXTests {
  @Test("a collection is one list, one entry an object")
  func list() throws {
    let trial = try WebTrial("spacex: { collection: rockets, url: 'http://a' }") { _ in
      .init(#"[{"id":"x"}]"#)
    }
    try expect(trial.rows(), equals: #"[{"id":"x"}]"#)
    expect(trial.paths, equals: ["v4/rockets"])
    let one = try WebTrial("spacex: { collection: launches/next, version: v5, url: 'http://a' }") { _ in
      .init(#"{"id":"y"}"#)
    }
    try expect(one.rows(), equals: #"[{"id":"y"}]"#)
    expect(one.paths, equals: ["v5/launches/next"])
    let text = try WebTrial("spacex: { url: 'http://a' }") { _ in .init("\"Not Found\"") }
    #expect(throws: WrongAnswer.self) { try text.poll() }
  }

  @Test("a query is asked page after page, with what stands for ids put in their place")
  func query() throws {
    let trial = try WebTrial(
      "spacex: { populate: [rocket], where: { upcoming: true }, sort: { date_utc: desc }, fields: [name], url: 'http://a' }"
    ) { order in
      String(decoding: order.body, as: UTF8.self).contains("\"page\":2")
        ? .init(#"{"docs":[{"id":"b"}],"totalDocs":2,"hasNextPage":false}"#)
        : .init(#"{"docs":[{"id":"a"}],"totalDocs":2,"hasNextPage":true}"#)
    }
    try expect(trial.rows(), equals: #"[{"id":"a"},{"id":"b"}]"#)
    let order = try #require(trial.asked.entries.first)
    #expect(order.method == .post && order.address.path == "/v4/launches/query")
    expect(
      String(decoding: order.body, as: UTF8.self),
      equals:
        #"{"query":{"upcoming":true},"options":{"limit":100,"page":1,"populate":["rocket"],"sort":{"date_utc":"desc"},"select":{"name":1}}}"#
    )
  }

  @Test("pages without an end fail the poll")
  func endless() throws {
    let trial = try WebTrial("spacex: { populate: [rocket], url: 'http://a' }") { _ in
      .init(#"{"docs":[{"id":"a"}],"totalDocs":2,"hasNextPage":true}"#)
    }
    #expect(throws: WrongAnswer.self) { try trial.poll() }
  }

  @Test("pages that lack entries are asked for once more, and are partial if they still do")
  func lacking() throws {
    let calls = Journal<Int>()
    let trial = try WebTrial("spacex: { populate: [rocket], url: 'http://a' }") { order in
      calls.note(1)
      let isSecond = String(decoding: order.body, as: UTF8.self).contains("\"page\":2")
      let ids = isSecond ? [calls.entries.count > 4 ? "b" : "a"] : ["a"]
      let rows = ids.map { #"{"id":"\#($0)"}"# }.joined()
      return .init(#"{"docs":[\#(rows)],"totalDocs":2,"hasNextPage":\#(!isSecond)}"#)
    }
    let partial = try trial.poll()
    #expect(partial.coverage == .partial && partial.rows.count == 1 && trial.paths.count == 4)
    expect(
      trial.told.entries,
      equals: ["1 of 2 entries were read; entries that are missing do not count as removed"])
    let single = try WebTrial("spacex: { populate: [rocket], url: 'http://a' }") { _ in
      .init(#"{"docs":[{"id":"a"}],"totalDocs":3,"hasNextPage":false}"#)
    }
    #expect(try single.poll().coverage == .partial && single.paths.count == 1)
  }
}
