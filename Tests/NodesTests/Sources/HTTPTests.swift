import TestSupport
import JSON
import Engine
import Language
import Testing

@testable import Nodes
import System

@Suite struct HTTPTests {
  @Test("an array is rows, an object is a row, and rows says otherwise")
  func rows() throws {
    #expect(try WebTrial("http: 'http://a/x'") { _ in .init("[1,2]") }.rows() == #"[1,2]"#)
    #expect(try WebTrial("http: 'http://a/x'") { _ in .init(#"{"n":1}"#) }.rows() == #"[{"n":1}]"#)
    let inside = try WebTrial("http: { url: 'http://a/x', rows: '.items[]' }") { _ in .init(#"{"items":[3]}"#)
    }
    #expect(try inside.rows() == #"[3]"#)
  }

  @Test("pages are followed by what the answer links, by its header, by number and by offset")
  func pages() throws {
    let linked = try WebTrial("http: { url: 'http://a/x?q=1', rows: '.r[]', next: .next }") { order in
      order.address.text.contains("p=2")
        ? .init(#"{"r":[3],"next":null}"#) : .init(#"{"r":[1,2],"next":"/x?q=1&p=2"}"#)
    }
    #expect(try linked.rows() == #"[1,2,3]"#)
    let header = try WebTrial("http: 'http://a/x'") { order in
      order.address.text.contains("p=2")
        ? .init("[2]") : .init("[1]", [("Link", "</x?p=2>; rel=\"next\"")])
    }
    #expect(try header.rows() == #"[1,2]"#)
    let numbered = try WebTrial("http: { url: 'http://a/x', page: page }") { order in
      order.address.text.hasSuffix("page=3") ? .init("[]") : .init("[7]")
    }
    #expect(try numbered.rows() == #"[7,7]"#)
    #expect(numbered.paths == ["x?page=1", "x?page=2", "x?page=3"])
    let offset = try WebTrial("http: { url: 'http://a/x', offset: skip }") { order in
      order.address.text.hasSuffix("skip=4") ? .init("[]") : .init("[1,2]")
    }
    #expect(try offset.rows() == #"[1,2,1,2]"#)
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
    "an answer that is no list fails the poll, unless rows says what its rows are",
    arguments: [
      (204, ""), (205, ""), (202, "[]"), (200, "null"), (200, #"{"error":"backend down"}"#),
      (200, #"{"success":false,"message":"later"}"#),
    ])
  func noList(status: Int, body: String) throws {
    let trial = try WebTrial("http: 'http://a/x'") { _ in .init(body, status: status) }
    #expect(throws: WrongAnswer.self) { try trial.poll() }
    let asked = try WebTrial("http: { url: 'http://a/x', rows: . }") { _ in .init(body, status: status) }
    #expect(try asked.poll().rows.count == 1)
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
    #expect(try range.rows() == "[1]")
  }

  @Test("what next gives is a text or the end")
  func next() throws {
    for end in ["null", "false", #""""#] {
      let trial = try WebTrial("http: { url: 'http://a/x', rows: '.r[]', next: .next }") { _ in
        .init(#"{"r":[1],"next":\#(end)}"#)
      }
      #expect(try trial.rows() == "[1]")
    }
    for wrong in ["17", "true", "{}", #"["/x?p=2"]"#] {
      let trial = try WebTrial("http: { url: 'http://a/x', rows: '.r[]', next: .next }") { _ in
        .init(#"{"r":[1],"next":\#(wrong)}"#)
      }
      #expect(throws: WrongAnswer.self) { try trial.poll() }
    }
  }

  @Test("pages that go in a circle end the poll at the first that was fetched before")
  func circle() throws {
    let own = try WebTrial("http: { url: 'http://a/x', rows: '.r[]', next: .next }") { _ in
      .init(#"{"r":[1],"next":"/x"}"#)
    }
    #expect(throws: WrongAnswer.self) { try own.poll() }
    #expect(own.paths == ["x"])
    let header = try WebTrial("http: 'http://a/x?p=1'") { order in
      .init("[1]", [("Link", "</x?p=\(order.address.text.hasSuffix("p=1") ? 2 : 1)>; rel=\"next\"")])
    }
    #expect(throws: WrongAnswer.self) { try header.poll() }
    #expect(header.paths == ["x?p=1", "x?p=2"])
  }

  @Test("a key is sent and never shown")
  func secrets() throws {
    let trial = try WebTrial("http: { url: 'http://a/x', bearer: s3cret }") { order in
      order.headers.contains { $0.value == "Bearer s3cret" } ? .init("nothing", status: 403) : .init("[]")
    }
    let error = #expect(throws: (any Error).self) { try trial.poll() }
    #expect(error.map { "\($0)".contains("403") && !"\($0)".contains("s3cret") } == true)
    let basic = try WebTrial("http: { url: 'http://a/x', basic: 'me:you' }") { _ in .init("[]") }
    _ = try basic.poll()
    #expect(basic.asked.entries.first?.headers.contains { $0.value == "Basic bWU6eW91" } == true)
  }

  @Test("a body is posted as JSON")
  func post() throws {
    let trial = try WebTrial("http: { url: 'http://a/q', method: post, body: { open: true } }") { _ in
      .init("[1]")
    }
    #expect(try trial.rows() == #"[1]"#)
    let order = try #require(trial.asked.entries.first)
    #expect(order.method == .post && String(decoding: order.body, as: UTF8.self) == #"{"open":true}"#)
  }

  @Test("a failing server is replaced by its last response, reported once, and so is its return")
  func stale() throws {
    let isBroken = Journal<Bool>()
    let trial = try WebTrial("http: 'http://a/x'") { _ in
      isBroken.entries.last == true ? .init("oops", status: 503) : .init("[1]")
    }
    #expect(try trial.poll().notes == .emptyObject)
    isBroken.note(true)
    for _ in 0..<2 {
      let answer = try trial.poll()
      #expect(Value.array(answer.rows).description == "[1]" && answer.notes.member("stale")?.isTruthy == true)
    }
    #expect(
      trial.told.entries.count { $0.contains("until there is a new one") } == 1, "\(trial.told.entries)")
    isBroken.note(false)
    #expect(try trial.poll().notes == .emptyObject)
    #expect(trial.told.entries.last == "there is a new response again")
  }
}
