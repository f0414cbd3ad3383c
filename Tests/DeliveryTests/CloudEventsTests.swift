import Expectations
@testable import Delivery
import Trials
import Engine
import Fetch
import JSON
import Language
import TestSupport
import Testing

import System

@Suite("CloudEvents", .timeLimit(.minutes(30))) struct CloudEventsTests {
  private let asked = Journal<TransferOrder>()

  @Test("a request has the id of its Idempotency-Key, and the media type")
  func request() throws {
    let seen = try SinkBench.answering([.init("")], noting: asked).run(
      "go: { http: { url: 'http://a/', envelope: cloudevents, body: .after } }",
      lines: [#"{"type":"changed","key":"a b","after":{"n":1.50}}"#, #"[1]"#])
    let order = try #require(asked.entries.first)
    expect(order.header("Content-Type"), equals: "application/cloudevents+json")
    expect(order.header("Idempotency-Key"), equals: "p/go/1767225600000-0")
    expect(
      String(decoding: order.body, as: UTF8.self),
      equals:
        #"{"specversion":"1.0","id":"p/go/1767225600000-0","source":"/flow/p/in","type":"org.flow.changed","subject":"a b","time":"2026-01-01T00:00:00Z","datacontenttype":"application/json","data":{"n":1.50}}"#
    )
    #expect(asked.entries.count == 1 && seen.log.count == 1, "\(seen.log)")
  }

  @Test("a line has an id of its own, and no subject where the event is no change")
  func line() throws {
    let folder = Folder()
    _ = try SinkBench().run(
      "go: { jsonl: { path: '\(folder.path)/a', envelope: cloudevents } }", lines: [#"{"key":1}"#, "7"])
    let lines = contents(of: "\(folder.path)/a").split(separator: "\n")
    expect(
      lines,
      equals: [
        #"{"specversion":"1.0","id":"p/go/1767225600000-0","source":"/flow/p/in","type":"org.flow.event","time":"2026-01-01T00:00:00Z","datacontenttype":"application/json","data":{"key":1}}"#,
        #"{"specversion":"1.0","id":"p/go/1767225600000-1","source":"/flow/p/in","type":"org.flow.event","time":"2026-01-01T00:00:00Z","datacontenttype":"application/json","data":7}"#,
      ])
  }

  @Test("a NATS message has the media type and the whole envelope")
  func message() throws {
    var bench = SinkBench()
    bench.isDryRun = true
    let seen = try bench.run(
      "go: { nats: { subject: orders, envelope: cloudevents, body: .after } }",
      lines: [#"{"type":"added","key":7,"after":{"n":1.50}}"#])
    #expect(seen.text.contains("-H Content-Type:application/cloudevents+json "), "\(seen.text)")
    #expect(
      seen.text.contains(
        #"{"specversion":"1.0","id":"dry-run","source":"/flow/p/in","type":"org.flow.added","subject":"7","time":"2026-01-01T00:00:00Z","datacontenttype":"application/json","data":{"n":1.50}}"#
      ), "\(seen.text)")
  }

  @Test("options that exclude an envelope are refused")
  func problems() {
    #expect(
      SinkBench.problems("t: { http: { url: 'http://a', envelope: cloudevents, body_text: x } }").contains(
        "exclude"))
    #expect(
      SinkBench.problems("t: { nats: { subject: a, envelope: cloudevents, body_text: x } }").contains(
        "exclude"))
    #expect(
      SinkBench.problems("t: { jsonl: { path: a, envelope: cloudevents, event_id: x } }").contains("exclude"))
  }
}
