import Expectations
@testable import Nodes
import TestSupport
import Fetch
import JSON
import Reactive
import Store
import Testing
import Trials

import System
@testable import Engine
@testable import Language

@Suite struct EnrichTests {
  private static let step = #"enrich: { url: 'http://a/\(.)', with: '[., $answer]', concurrency: 2 }"#

  @Test(
    "events stay in order, so many lookups are under way, and the end of a poll waits for all of its events")
  func order() throws {
    let bench = try LookupBench(Self.step, [1, 2, 3])
    expect(bench.asked.entries, equals: ["/1", "/2"])
    bench.answer("/2", "20")
    #expect(bench.heard.entries == [] && bench.asked.entries == ["/1", "/2", "/3"])
    bench.answer("/1", "10")
    expect(bench.heard.entries, equals: ["[1,10]", "[2,20]"])
    bench.answer("/3", "30")
    expect(bench.heard.entries, equals: ["[1,10]", "[2,20]", "[3,30]", "end"])
  }

  @Test("with decode, the answer is the list of values; what cannot be decoded is the event's error")
  func decoded() throws {
    let step = Self.step.replacing(
      "concurrency: 2", with: "concurrency: 4, decode: { csv: { types: { n: number } } }")
    let bench = try LookupBench(step, [1, 2, 3, 4])
    bench.answer("/1", "n,x\n1,a\n2,b\n", ("Content-Type", "text/csv"))
    bench.answer("/2", "n,x\n1\n")
    bench.answer("/3", "<html><title>Log in</title></html>", ("Content-Type", "text/html"))
    bench.answer("/4", "", status: 404)
    expect(bench.heard.entries, equals: [#"[1,[{"n":1,"x":"a"},{"n":2,"x":"b"}]]"#, "[4,null]", "end"])
    expect(bench.told.entries.count, equals: 2, "\(bench.told.entries)")
    #expect(bench.told.entries[0].contains("GET http://a/2: csv: line 2"), "\(bench.told.entries)")
    #expect(bench.told.entries[1].contains("instead of csv"), "\(bench.told.entries)")
  }

  @Test("a large text is decoded beside the transfers, in the encoding that the server names")
  func largeText() throws {
    let bench = try LookupBench(
      Self.step.replacing("concurrency: 2", with: "decode: text, concurrency: 2"), [1])
    let line = String(repeating: "x", count: 100_000)
    bench.answer("/1", line, ("Content-Type", "text/plain; charset=iso-8859-1"))
    #expect(
      eventually {
        bench.clock.advance(by: .zero)
        return bench.heard.entries == ["[1,[\"\(line)\"]]", "end"]
      })
  }

  @Test("one address is requested once for all events that wait for it, and the response is reused")
  func sameAddress() throws {
    let bench = try LookupBench(Self.step, [1, 1, 2])
    expect(bench.asked.entries, equals: ["/1", "/2"])
    bench.answer("/2", "20")
    bench.answer("/1", "10")
    expect(bench.heard.entries, equals: ["[1,10]", "[1,10]", "[2,20]", "end"])
    let kept = try LookupBench(Self.step.replacing("concurrency: 2", with: "concurrency: 1"), [1, 2, 1])
    kept.answer("/1", "10")
    kept.answer("/2", "20")
    #expect(kept.asked.entries == ["/1", "/2"] && kept.heard.entries.count == 4)
  }

  @Test("what is not there is null; any other failure is the event's own, and the others go on")
  func failures() throws {
    let bench = try LookupBench(Self.step, [1, 2])
    bench.answer("/1", "gone", status: 404)
    bench.answer("/2", "no", status: 400)
    expect(bench.heard.entries, equals: ["[1,null]", "end"])
    #expect(bench.told.entries.count == 1 && bench.told.entries[0].contains("answered 400"))
  }

  @Test("while a service is down or asks to wait, events wait, and are sent in order when it is back")
  func outage() throws {
    let bench = try LookupBench(Self.step, [1, 2])
    for _ in 0..<3 {
      for path in ["/1", "/2"] { bench.answer(path, "down", status: 503) }
      bench.clock.advance(by: .seconds(120))
    }
    expect(bench.heard.entries, equals: [])
    #expect(bench.told.entries[0].contains("answered 503"), "\(bench.told.entries)")
    #expect(bench.told.entries[0].contains("; 2 events wait, next try in "), "\(bench.told.entries)")
    #expect(bench.told.entries.count < 6)
    for path in ["/2", "/1"] { bench.answer(path, "7") }
    expect(bench.heard.entries, equals: ["[1,7]", "[2,7]", "end"])
    expect(bench.told.entries.last, equals: "GET http://a/1: answered again")
  }

  @Test("a request that fails for longer than patience is the event's error, and the others go on")
  func patience() throws {
    let bench = try LookupBench(
      Self.step.replacing("concurrency: 2", with: "concurrency: 2, patience: 1m"), [1, 2])
    bench.answer("/2", "20")
    for _ in 0..<8 where bench.heard.entries.isEmpty {
      bench.answer("/1", "down", status: 500)
      bench.clock.advance(by: .seconds(61))
    }
    expect(bench.heard.entries, equals: ["[2,20]", "end"])
    #expect(bench.told.entries.last?.contains("answered 500") ?? false)
  }

  @Test("patience counts from the first attempt of a request, not from the end of its first round")
  func patienceOfRound() throws {
    let bench = try LookupBench(
      Self.step.replacing("concurrency: 2", with: "concurrency: 2, patience: 1m"), [1])
    // The four attempts of a round, with the waits between them, take as long as patience.
    for _ in 0..<4 {
      bench.answer("/1", "down", status: 500)
      bench.clock.advance(by: .seconds(21))
    }
    expect(bench.heard.entries, equals: ["end"])
    #expect(bench.told.entries.last?.contains("answered 500") ?? false)
  }

  @Test(
    "the status says how many events wait for what, since when, until when and why; it is a problem of the pipeline"
  )
  func status() throws {
    let bench = try LookupBench(Self.step, [1, 2, 3])
    bench.clock.advance(by: .seconds(60))
    expectNil(bench.status().nodes[1].wait)
    for _ in 0..<2 {
      bench.answer("/1", "down", status: 503, ("Retry-After", "300"))
      bench.clock.advance(by: .milliseconds(2))
    }
    let text =
      "3 events wait for GET http://a/1, since 1970-01-01T00:00:00Z, next try at 1970-01-01T00:06:00Z: "
      + "answered 503 Service Unavailable: down"
    let status = bench.status()
    expect(status.problems, equals: ["enrich: \(text)"])
    expect(PipelineStatus(jsonValue: status.jsonValue)?.nodes[1].wait?.text(isOver: false), equals: text)
    expect(status.jsonValue.member("nodes")?.items?[1].member("waiting")?.member("events")?.double, equals: 3)
    bench.clock.advance(by: .seconds(400))
    bench.answer("/1", "10")
    #expect(bench.status().nodes[1].wait == nil && bench.status().problems.isEmpty)
    // One that asks to wait does not fail, and neither do the others, which wait for it.
    bench.answer("/2", "slow down", status: 429, ("Retry-After", "300"))
    let wait = try #require(bench.status().nodes[1].wait)
    #expect(wait.events == 2 && !wait.isFailing && wait.reason.hasPrefix("answered 429"))
    #expect(bench.status().problems.isEmpty)
  }

  @Test("with stale, the last response is used while the server fails, and the event says so")
  func stale() throws {
    let step =
      #"enrich: { url: 'http://a/\(.)', with: '[., $answer, $meta.stale, $meta.age]', cache: 1m, stale: 1h }"#
    let bench = try LookupBench(step, [1], later: [600: [1, 3], 9000: [1]])
    func refuse() {
      for _ in 0..<2 {
        bench.answer("/1", "down", status: 503)
        bench.clock.advance(by: .milliseconds(2))
      }
    }
    bench.answer("/1", "10")
    expect(bench.heard.entries, equals: ["[1,10,null,null]", "end"])
    bench.clock.advance(by: .seconds(600))
    refuse()
    expect(bench.heard.entries.last, equals: "[1,10,true,600]")
    expect(
      bench.told.entries,
      equals: [
        "GET http://a/1: answered 503 Service Unavailable: down (tried 2 times); used the response of 10m ago"
      ])
    expect(bench.status().nodes[1].stale, equals: 1)
    expect(bench.status().holdings, equals: ["enrich has used old responses for 1 event"])
    bench.answer("/3", "30")
    expect(bench.heard.entries.last, equals: "[3,30,null,null]")
    expect(bench.told.entries.last, equals: "GET http://a/3: answered again")
    // Older than both allow: the event waits.
    bench.clock.advance(by: .seconds(8400))
    refuse()
    expect(bench.heard.entries.count, equals: 4)
    expect(bench.told.entries.last?.contains("1 event waits, next try in"), equals: true)
  }

  @Test("one address that fails while others answer is reported as itself, at growing distances")
  func oneFails() throws {
    let bench = try LookupBench(Self.step, Array(1...8))
    for number in 2...8 { bench.answer("/\(number)", "7") }
    for _ in 0..<8 {
      bench.answer("/1", "down", status: 500)
      bench.clock.advance(by: .seconds(61))
    }
    #expect(bench.told.entries.allSatisfy { $0.contains("GET http://a/1: answered 500") })
    #expect((2...4).contains(bench.told.entries.count), "\(bench.told.entries)")
    expect(bench.heard.entries, equals: [])
    bench.answer("/1", "1")
    #expect(bench.heard.entries.count == 9 && bench.told.entries.last == "GET http://a/1: answered again")
  }

  @Test("with state, a run that ends while the service is down leaves the events to the next one")
  func endsInOutage() throws {
    let state = try TemporaryState()
    let first = try LookupBench(Self.step, [1, 2], ends: true, state)
    for _ in 0..<8 where !first.hasEnded {
      for path in ["/1", "/2"] { first.answer(path, "slow down", status: 429) }
      first.clock.advance(by: .milliseconds(2))
    }
    #expect(first.hasEnded && first.heard.entries == [])
    #expect(first.told.entries.contains("2 events wait for a response; the next run repeats the requests"))
    let second = try LookupBench(Self.step, [], state.copy())
    for path in ["/1", "/2"] { second.answer(path, "7") }
    expect(second.heard.entries.filter { $0 != "end" }, equals: ["[1,7]", "[2,7]"])
  }

  @Test("stopped without state, it waits for the answers; the run ends with the last of them")
  func stopWithoutState() throws {
    let bench = try LookupBench(Self.step, [1, 2, 3])
    bench.run.stop()
    bench.clock.advance(by: .seconds(1))
    #expect(!bench.hasEnded)
    for number in 1...3 { bench.answer("/\(number)", "0") }
    #expect(bench.heard.entries.count == 4 && bench.hasEnded)
  }

  @Test("a source that ends, as with --once, waits for the answers too")
  func once() throws {
    let bench = try LookupBench(Self.step, [1], ends: true)
    #expect(!bench.hasEnded)
    bench.answer("/1", "10")
    #expect(bench.heard.entries == ["[1,10]", "end"] && bench.hasEnded)
  }

  @Test(
    "stopped or killed with state, the next run asks again for all that had no answer",
    arguments: [false, true])
  func inFlight(isKilled: Bool) throws {
    let state = try TemporaryState()
    let first = try LookupBench(Self.step, [1, 2, 3], state)
    first.answer("/1", "10")
    expect(first.heard.entries, equals: ["[1,10]"])
    if !isKilled {
      first.run.stop()
      first.clock.advance(by: .zero)
      #expect(first.hasEnded)
    }
    let second = try LookupBench(Self.step, [], state.copy())
    expect(second.asked.entries, equals: ["/2", "/3"])
    second.answer("/3", "30")
    second.answer("/2", "20")
    expect(second.heard.entries.filter { $0 != "end" }, equals: ["[2,20]", "[3,30]"])
  }

  @Test("a response that arrives after the end, or after a hard stop, is ignored")
  func late() throws {
    let bench = try LookupBench(Self.step, [1])
    bench.run.abort()
    bench.answer("/1", "10")
    #expect(bench.heard.entries == [] && bench.hasEnded)
  }

  @Test("an expression of the address leads nowhere else, and nothing is asked for null")
  func addresses() throws {
    let url = #"enrich: { url: 'https://a/x/\(.)/y?q=\(.)', with: $answer }"#
    let trial = try Trial(
      url, web: "https://a/x/%2F%3F%23%20%25/y?q=%2F%3F%23%20%25 1\nhttps://a/x/../y?q=.. 2")
    let output = try trial.run(#"0s "/?# %"\#n1s ".."\#n2s null\#n3s {}"#)
    expect(output.lines, equals: ["0s 1", "2s null"])
    let messages = output.outcome.messages.map(\.message)
    #expect(messages.count == 2 && messages[0].contains("would change the address"))
    #expect(messages[1].contains("cannot be part of an address"))
  }

  @Test("the host of an address is no matter of data, which is found before anything is run")
  func hosts() throws {
    for url in [#"https://\(.host)/x"#, #"https://a\(.host)/x"#, #"\(.url)"#] {
      #expect(throws: Trial.Wrong.self) { try Trial("enrich: '\(url)'") }
    }
    #expect(throws: Trial.Wrong.self) { try Trial("enrich: 'ftp://a/x'") }
    _ = try Trial(#"enrich: 'https://a?x=\(.n)'"#)
  }

  @Test("in a scriptedRun what has no answer is an error of the event, which says what to do")
  func noAnswer() throws {
    let output = try Trial(#"enrich: 'https://a/\(.)'"#).run("0s 1")
    expect(output.lines, equals: [])
    expect(
      output.outcome.messages.map(\.message),
      equals: [
        "GET https://a/1: the test has no response for it; add one under web"
      ])
  }
}
