import Nodes
import Engine
import Language
import Testing

@Suite struct TimeoutTests {
  private let silentFromTheStart = #"10s {"type":"silent","since":"1970-01-01T00:00:00Z","for":"10s"}"#

  @Test("a stream without any event is silent from the start, and reported once")
  func never() throws {
    #expect(try Trial("timeout: 10s").run("1h end").lines == [silentFromTheStart])
  }

  @Test("the first event after it comes behind the news of its return")
  func back() throws {
    #expect(
      try Trial("timeout: 10s").run("30s 1\n31s end").lines == [
        silentFromTheStart, #"30s {"type":"back","since":"1970-01-01T00:00:00Z","for":"30s"}"#, "30s 1",
      ])
  }

  @Test("with polls, one without events will do, and one that fails will not")
  func polls() throws {
    let lines = try Trial("timeout: { for: 10s, polls: true }")
      .run("5s poll\n12s poll\n20s failure\n23s poll\n24s end").lines
    #expect(
      lines == [
        #"22s {"type":"silent","since":"1970-01-01T00:00:12Z","for":"10s"}"#,
        #"23s {"type":"back","since":"1970-01-01T00:00:12Z","for":"11s"}"#,
      ])
  }

  @Test("without polls, a poll without events is silence")
  func emptyPolls() throws {
    #expect(try Trial("timeout: 10s").run("5s poll\n9s poll\n12s end").lines == [silentFromTheStart])
  }

  @Test("times are reported to the millisecond")
  func milliseconds() throws {
    let lines = try Trial("timeout: { for: 10s, pass: false }").run("30s500us1ns 1\n31s end").lines
    #expect(lines.last == #"30s500us1ns {"type":"back","since":"1970-01-01T00:00:00Z","for":"30s1ms"}"#)
  }
}
