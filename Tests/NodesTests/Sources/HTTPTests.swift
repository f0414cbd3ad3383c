import Expectations
@testable import Delivery
@testable import Nodes
import Trials
import Fetch
import TestSupport
import JSON
import Engine
import Language
import Reactive
import Testing

import System

@Suite struct HTTPTests {
  @Test("an array is rows, an object is a row, and rows says otherwise")
  func rows() throws {
    try expect(WebTrial("http: 'http://a/x'") { _ in .init("[1,2]") }.rows(), equals: #"[1,2]"#)
    try expect(WebTrial("http: 'http://a/x'") { _ in .init(#"{"n":1}"#) }.rows(), equals: #"[{"n":1}]"#)
    let inside = try WebTrial("http: { url: 'http://a/x', rows: '.items[]' }") { _ in .init(#"{"items":[3]}"#)
    }
    try expect(inside.rows(), equals: #"[3]"#)
  }

  @Test("pages are followed by what the answer links, by its header, by number and by offset")
  func pages() throws {
    let linked = try WebTrial("http: { url: 'http://a/x?q=1', rows: '.r[]', next: .next }") { order in
      order.address.text.contains("p=2")
        ? .init(#"{"r":[3],"next":null}"#) : .init(#"{"r":[1,2],"next":"/x?q=1&p=2"}"#)
    }
    try expect(linked.rows(), equals: #"[1,2,3]"#)
    let header = try WebTrial("http: 'http://a/x'") { order in
      order.address.text.contains("p=2")
        ? .init("[2]") : .init("[1]", [("Link", "</x?p=2>; rel=\"next\"")])
    }
    try expect(header.rows(), equals: #"[1,2]"#)
    let numbered = try WebTrial("http: { url: 'http://a/x', page: page }") { order in
      order.address.text.hasSuffix("page=3") ? .init("[]") : .init("[7]")
    }
    try expect(numbered.rows(), equals: #"[7,7]"#)
    expect(numbered.paths, equals: ["x?page=1", "x?page=2", "x?page=3"])
    let offset = try WebTrial("http: { url: 'http://a/x', offset: skip }") { order in
      order.address.text.hasSuffix("skip=4") ? .init("[]") : .init("[1,2]")
    }
    try expect(offset.rows(), equals: #"[1,2,1,2]"#)
  }

  @Test("a cursor is the value of a query item, a text or a number, beside the other items")
  func cursors() throws {
    let cursors = try WebTrial(
      "http: { url: 'http://a/x?q=1', rows: '.r[]', next: .c, cursor: after, query: { n: '2' } }"
    ) { order in
      if order.address.text.contains("after=5") { return .init(#"{"r":[3],"c":""}"#) }
      return .init(
        order.address.text.contains("after=a") ? #"{"r":[2],"c":5}"# : #"{"r":[1],"c":"a b&c"}"#)
    }
    #expect(try cursors.rows() == "[1,2,3]")
    #expect(
      cursors.paths == ["x?q=1&n=2", "x?q=1&n=2&after=a%20b%26c", "x?q=1&n=2&after=5"], "\(cursors.paths)")
    let stuck = try WebTrial("http: { url: 'http://a/x', rows: '.r[]', next: .c, cursor: after }") { _ in
      .init(#"{"r":[1],"c":"a"}"#)
    }
    let error = #expect(throws: WrongAnswer.self) { try stuck.poll() }
    #expect(error?.description.contains("the pages form a cycle") == true)
    let wrong = try WebTrial("http: { url: 'http://a/x', rows: '.r[]', next: .c, cursor: after }") { _ in
      .init(#"{"r":[1],"c":{}}"#)
    }
    #expect(throws: WrongAnswer.self) { try wrong.poll() }
  }

  @Test("pages that are counted end with the total, where it is known, and else with an empty one")
  func countedEnd() throws {
    let trial = try WebTrial("http: { url: 'http://a/x', rows: '.r[]', page: p, total: .total }") { order in
      Self.page(Self.number(order) == 1 ? [1, 2, 3] : [4, 5, 6])
    }
    #expect(try trial.poll().coverage == .complete && trial.paths == ["x?p=1", "x?p=2"])
  }

  @Test("as many rows as the limit, in one page of which nothing says that it is the last, are truncated")
  func limitOfAddress() throws {
    for (count, expected) in [(2, Coverage.truncated(nil)), (3, .complete)] {
      let trial = try WebTrial("http: { url: 'http://a/x?n=2', limit: \(count) }") { _ in .init("[1,2]") }
      #expect(try trial.poll().coverage == expected)
    }
  }

  @Test("more pages than allowed fail the poll, as does anything that is no whole JSON on any page")
  func failures() throws {
    let endless = try WebTrial("http: { url: 'http://a/x', page: page, max_pages: 3 }") { _ in .init("[1]") }
    #expect(throws: WrongAnswer.self) { try endless.poll() }
    let html = try WebTrial("http: { url: 'http://a/x', next: .next, rows: '.r[]' }") { order in
      order.address.text.contains("p=2")
        ? .init("<html>sorry</html>") : .init(#"{"r":[1],"next":"/x?p=2"}"#)
    }
    #expect(throws: (any Error).self) { try html.poll() }
    let wrong = try WebTrial("http: { url: 'http://a/x', rows: '.items[]' }") { _ in .init(#"{"items":3}"#) }
    #expect(throws: (any Error).self) { try wrong.poll() }
  }

  @Test(
    "rows that cannot be meant are explained",
    arguments: [
      (
        ".results", #"{"results":[{"n":1},{"n":2}]}"#,
        "the row is an array of 2 elements: did you mean .results[]? (for one row, write rows: (.results))"
      ),
      (
        ".resutls[]", #"{"count":1,"results":[]}"#,
        "the response has no “resutls”; it contains count, results; did you mean .results?"
      ),
      (".items", #"{"count":1}"#, "the response has no “items”; it contains count"),
      (".items[]", "{}", "the response has no “items”; it is empty"),
      (".data.items[]", #"{"data":{"rows":[]}}"#, ".data has no “items”; it contains rows"),
      (".items[]", "[{},{},{}]", "the response is an array of 3 elements: did you mean .[]?"),
    ])
  func unlikelyRows(rows: String, body: String, message: String) throws {
    let trial = try WebTrial("http: { url: 'http://a/x', rows: '\(rows)' }") { _ in .init(body) }
    let error = #expect(throws: WrongAnswer.self) { try trial.poll() }
    expect(error?.description.hasSuffix(": " + message), equals: true, "\(String(describing: error))")
  }

  @Test(
    "rows that may be meant are taken",
    arguments: [
      ("(.results)", #"{"results":[1]}"#, "[[1]]"), (".", "[1]", "[[1]]"), (".items[]?", "{}", "[]"),
      (".item", #"{"item":null}"#, "[null]"),
    ])
  func likelyRows(rows: String, body: String, expected: String) throws {
    let trial = try WebTrial("http: { url: 'http://a/x', rows: '\(rows)' }") { _ in .init(body) }
    try expect(trial.rows(), equals: expected)
  }

  @Test(
    "an answer that is no list fails the poll, unless rows says what its rows are",
    arguments: [
      (204, ""), (205, ""), (202, "[]"), (200, "null"), (200, #"{"error":"backend down"}"#),
      (200, #"{"success":false,"message":"later"}"#),
    ])
  func noList(status: Int, body: String) throws {
    let trial = try WebTrial("http: 'http://a/x'") { _ in .init(body, status: status) }
    #expect(throws: WrongAnswer.self) { try trial.poll() }
    let asked = try WebTrial("http: { url: 'http://a/x', rows: . }") { _ in .init(body, status: status) }
    try expect(asked.poll().rows.count, equals: 1)
  }

  @Test("a page to sign in, in which select finds nothing, is no empty list; another page is")
  func signIn() throws {
    func trial(_ page: String) throws -> WebTrial {
      try WebTrial("http: { url: 'http://a/x', decode: { html: { select: .offer } } }") { _ in .init(page) }
    }
    let failure = #expect(throws: WrongAnswer.self) {
      try trial("<html><title>Sign in | Shop</title><form><input type=password></form></html>").poll()
    }
    expect(failure?.failureKind, equals: .loginPage)
    expect(
      failure?.description,
      equals: "GET http://a/x: an HTML page titled “Sign in | Shop”, in which select finds nothing")
    try expect(
      trial("<html><title>Shop</title><form><input type=password></form></html>").rows(), equals: "[]")
    try expect(
      trial("<html><title>Sign in</title><p class=offer>1</p></html>").rows(), equals: #"["1"]"#)
  }

  @Test("a part of a list fails the poll, also where rows is given, unless a part was asked for")
  func part() throws {
    for options in ["url: 'http://a/x'", "url: 'http://a/x', rows: '.[]'"] {
      let trial = try WebTrial("http: { \(options) }") { _ in .init("[1]", status: 206) }
      #expect(throws: (any Error).self) { try trial.poll() }
    }
    let range = try WebTrial("http: { url: 'http://a/x', headers: { range: bytes=0-2 } }") { _ in
      .init("[1]", status: 206)
    }
    try expect(range.rows(), equals: "[1]")
  }

  @Test("what next gives is a text or the end")
  func next() throws {
    for end in ["null", "false", #""""#] {
      let trial = try WebTrial("http: { url: 'http://a/x', rows: '.r[]', next: .next }") { _ in
        .init(#"{"r":[1],"next":\#(end)}"#)
      }
      try expect(trial.rows(), equals: "[1]")
    }
    for wrong in ["17", "true", "{}", #"["/x?p=2"]"#] {
      let trial = try WebTrial("http: { url: 'http://a/x', rows: '.r[]', next: .next }") { _ in
        .init(#"{"r":[1],"next":\#(wrong)}"#)
      }
      #expect(throws: WrongAnswer.self) { try trial.poll() }
    }
  }

  @Test("pages that form a cycle fail the poll")
  func circle() throws {
    let own = try WebTrial("http: { url: 'http://a/x', rows: '.r[]', next: .next }") { _ in
      .init(#"{"r":[1],"next":"/x"}"#)
    }
    #expect(throws: WrongAnswer.self) { try own.poll() }
    expect(own.paths, equals: ["x"])
    let header = try WebTrial("http: 'http://a/x?p=1'") { order in
      .init("[1]", [("Link", "</x?p=\(order.address.text.hasSuffix("p=1") ? 2 : 1)>; rel=\"next\"")])
    }
    #expect(throws: WrongAnswer.self) { try header.poll() }
    expect(header.paths, equals: ["x?p=1", "x?p=2"])
  }

  @Test("a poll that repeats one that has failed is one request, which spares the budget of its host")
  func repetition() throws {
    let budget = SiteBudget([.init(6, per: .seconds(3600))])
    let trial = try WebTrial(
      "http: https://x.org/a, every: 1h", budgets: ["x.org": budget], { _ in .init("", status: 500) })
    #expect(throws: FetchError.self) { try trial.poll() }
    expect(trial.asked.entries.count, equals: 3)
    let wait = #expect(throws: FetchError.self) { try trial.poll(isRepetition: true) }
    #expect(wait?.isWait == true && trial.asked.entries.count == 3)
    let other = try WebTrial("http: https://x.org/a, every: 1h", { _ in .init("", status: 500) })
    #expect(throws: FetchError.self) { try other.poll(isRepetition: true) }
    expect(other.asked.entries.count, equals: 1)
  }

  private static func page(_ ids: [Int], total: Int = 6, next: Int? = nil) -> Canned.Reply {
    let rows = ids.map { #"{"id":\#($0),"day":\#($0)}"# }.joined(separator: ",")
    return .init(#"{"total":\#(total),"r":[\#(rows)],"next":\#(next.map { "\"/x?p=\($0)\"" } ?? "null")}"#)
  }

  private static func number(_ order: TransferOrder) -> Int {
    order.address.query.first { $0.name == "p" }?.value.flatMap { Int($0) } ?? 1
  }

  @Test("limit cuts a list, whose last row is its horizon where the order is known")
  func limit() throws {
    func coverage(_ options: String, _ pages: [[Int]] = [[1, 2], [3, 4], [5, 6]]) throws -> (Coverage, Int) {
      let trial = try WebTrial("http: { url: 'http://a/x', rows: '.r[]', next: .next, \(options) }") {
        order in
        let number = Self.number(order)
        return Self.page(pages[number - 1], next: number < pages.count ? number + 1 : nil)
      }
      let answer = try trial.poll()
      return (answer.coverage, answer.rows.count)
    }
    let order = try #require(RowOrder(".day"))
    func horizon(_ last: Int, moves: Bool = false) -> Coverage {
      .truncated(Horizon(order: order, last: .number(last), moves: moves))
    }
    #expect(try coverage("limit: 3, order: .day") == (horizon(3), 3))
    #expect(try coverage("limit: 4, order: .day, moves: true") == (horizon(4, moves: true), 4))
    #expect(try coverage("limit: 6, order: .day") == (.complete, 6))
    #expect(try coverage("limit: 6, total: .total") == (.complete, 6))
    #expect(try coverage("limit: 5, total: .total, order: .day") == (horizon(5), 5))
    #expect(try coverage("limit: 4") == (.truncated(nil), 4))
    #expect(try coverage("limit: 4, order: -.day") == (.truncated(nil), 4), "they are not in this order")
    #expect(
      try coverage("limit: 2, total: .total, order: .day", [[1, 2]]) == (horizon(2), 2), "by the address")
    #expect(try coverage("max_pages: 3") == (.complete, 6))
  }

  @Test("by number or offset a list may go on where the limit is reached, unless the total says otherwise")
  func limitOfCounted() throws {
    for (options, expected) in [("", Coverage.truncated(nil)), (", total: '4'", .complete)] {
      let trial = try WebTrial("http: { url: 'http://a/x', page: p, limit: 4\(options) }") { order in
        let first = Self.number(order) * 2
        return .init("[\(first),\(first + 1)]")
      }
      let answer = try trial.poll()
      #expect(answer.rows.count == 4 && answer.coverage == expected && trial.paths.count == 2)
    }
  }

  @Test("a limit without an order is reported once, with what follows")
  func unknownOrder() throws {
    let trial = try WebTrial("http: { url: 'http://a/x', limit: 1 }") { _ in .init("[1,2]") }
    for _ in 0..<2 { try expect(trial.poll().coverage, equals: .truncated(nil)) }
    #expect(trial.told.entries.count == 1 && trial.told.entries[0].hasSuffix("for example order: .date"))
  }

  @Test("pages that lack rows of the total are read once more, and are partial if they still do")
  func total() throws {
    for (second, expected) in [([4, 5, 6], Coverage.complete), ([5, 6], .partial)] {
      let requests = Locked(0)
      let trial = try WebTrial("http: { url: 'http://a/x', rows: '.r[]', next: .next, total: .total }") {
        order in
        let count = requests.withLock { count in
          count += 1
          return count
        }
        if Self.number(order) == 1 { return Self.page([1, 2, 3], next: 2) }
        return Self.page(count > 2 ? second : [3, 5, 6])
      }
      let answer = try trial.poll()
      #expect(answer.coverage == expected && trial.paths.count == 4)
      expect(answer.rows.count, equals: (expected == .complete ? 6 : 5))
      expect(trial.told.entries.count, equals: (expected == .complete ? 0 : 1))
    }
    let wrong = try WebTrial("http: { url: 'http://a/x', rows: '.r[]', total: .count }") { _ in
      Self.page([1])
    }
    #expect(throws: WrongAnswer.self) { try wrong.poll() }
  }

  @Test("a list whose total changes while it is read has shifted")
  func changingTotal() throws {
    let requests = Locked(0)
    let trial = try WebTrial("http: { url: 'http://a/x', rows: '.r[]', next: .next, total: .total }") {
      order in
      let isFirst = requests.withLock { count in
        count += 1
        return count == 1
      }
      // Row 1 has left the list behind the first page, and row 4 has moved before the second.
      return Self.number(order) == 1
        ? isFirst ? Self.page([1, 2, 3], next: 2) : Self.page([2, 3, 4], total: 5, next: 2)
        : Self.page([5, 6], total: 5)
    }
    let answer = try trial.poll()
    #expect(answer.coverage == .complete && trial.paths.count == 4)
    expect(Value.array(answer.rows.compactMap { $0.member("id") }).description, equals: "[2,3,4,5,6]")
  }

  @Test("a key is sent and never shown")
  func secrets() throws {
    let trial = try WebTrial("http: { url: 'http://a/x', bearer: s3cret }") { order in
      order.headers.contains { $0.value == "Bearer s3cret" } ? .init("nothing", status: 403) : .init("[]")
    }
    let error = #expect(throws: (any Error).self) { try trial.poll() }
    expect(error.map { "\($0)".contains("403") && !"\($0)".contains("s3cret") }, equals: true)
    let basic = try WebTrial("http: { url: 'http://a/x', basic: 'me:you' }") { _ in .init("[]") }
    _ = try basic.poll()
    expect(basic.asked.entries.first?.headers.contains { $0.value == "Basic bWU6eW91" }, equals: true)
  }

  @Test("a body is posted as JSON")
  func post() throws {
    let trial = try WebTrial("http: { url: 'http://a/q', method: post, body: { open: true } }") { _ in
      .init("[1]")
    }
    try expect(trial.rows(), equals: #"[1]"#)
    let order = try #require(trial.asked.entries.first)
    #expect(order.method == .post && String(decoding: order.body, as: UTF8.self) == #"{"open":true}"#)
  }

  @Test("a poll of a failing server has failed, and no old answer takes its place")
  func failing() throws {
    let isBroken = Locked(false)
    let trial = try WebTrial("http: 'http://a/x'") { _ in
      isBroken.withLock { $0 } ? .init("oops", status: 503) : .init("[1]")
    }
    try expect(trial.poll().notes, equals: .emptyObject)
    isBroken.withLock { $0 = true }
    for _ in 0..<2 { #expect(throws: FetchError.self) { try trial.poll() } }
    isBroken.withLock { $0 = false }
    try expect(trial.rows(), equals: "[1]")
  }

  @Test("with on_failure: old the last good response is used, which is reported once, and so is its end")
  func old() throws {
    let isBroken = Locked(false)
    let trial = try WebTrial("http: 'http://a/x', on_failure: old") { _ in
      isBroken.withLock { $0 } ? .init("oops", status: 503) : .init("[1]")
    }
    try expect(trial.poll().notes, equals: .emptyObject)
    isBroken.withLock { $0 = true }
    for _ in 0..<2 {
      let answer = try trial.poll()
      #expect(Value.array(answer.rows).description == "[1]" && answer.notes.member("stale")?.isTruthy == true)
    }
    expect(
      trial.told.entries.count { $0.contains("until there is a new one") }, equals: 1, "\(trial.told.entries)"
    )
    isBroken.withLock { $0 = false }
    try expect(trial.poll().notes, equals: .emptyObject)
    expect(trial.told.entries.last, equals: "there is a new response again")
  }

  @Test(
    "only the response of a poll that the source accepts is kept as the last good one",
    arguments: [#"{"error": "down for maintenance"}"#, "null", #"{"items": 3}"#])
  func kept(bad: String) throws {
    let replies = Locked([Canned.Reply("oops", status: 503), .init(bad), .init(#"{"items": [1]}"#)])
    let trial = try WebTrial("http: { url: 'http://a/x', rows: '.items[]' }, on_failure: old") { _ in
      replies.withLock { $0.count > 1 ? $0.removeLast() : $0[0] }
    }
    try expect(trial.rows(), equals: "[1]")
    #expect(throws: (any Error).self) { try trial.poll() }
    // The good one, not the page that came in between.
    let answer = try trial.poll()
    #expect(Value.array(answer.rows).description == "[1]" && answer.notes.member("stale")?.isTruthy == true)
  }

  @Test("a response that the cache reuses was observed when the server gave it")
  func observed() throws {
    let trial = try WebTrial("http: { url: 'http://a/x', cache: 1h }") { _ in .init("[1]") }
    try expectNil(trial.poll().at)
    let reused = try trial.poll()
    expect(trial.paths.count, equals: 1)
    #expect(try #require(reused.at) <= 1_772_323_200)
  }

  @Test("a poll that fails behind a page of the last response leaves nothing of it to the next poll")
  func staleThenFailed() throws {
    let state = Journal<String>()
    let trial = try WebTrial("http: { url: 'http://a/1', cache: 0s }") { order in
      let isFirst = order.address.path.hasSuffix("1")
      if state.entries.last == "broken" { return .init("oops", status: isFirst ? 500 : 404) }
      return .init(isFirst ? "[1]" : "[2]", isFirst ? [("Link", "</2>; rel=next")] : [])
    }
    try expect(trial.rows(), equals: "[1,2]")
    state.note("broken")
    #expect(throws: FetchError.self) { try trial.poll() }
    state.note("well")
    let answer = try trial.poll()
    #expect(answer.rows.count == 2 && answer.notes == .emptyObject)
  }
}
