import Expectations
@testable import Nodes
import Engine
import Language
import Testing
import Trials

@Suite struct RateLimitTests {
  @Test("a pause saves up no more than the burst")
  func burst() throws {
    let lines = try Trial("rate_limit: { count: 6, per: 1m, burst: 2 }")
      .run("0s 1\n5m 2\n5m 3\n5m 4").lines
    expect(lines, equals: ["0s 1", "5m 2", "5m 3", "5m10s 4"])
  }

  @Test("the end of a poll waits behind its events, and no longer")
  func polls() throws {
    let lines = try Trial("rate_limit: { count: 6, per: 1m }")
      .run("0s 1\n0s 2\n0s poll\n1s poll\n2s 3\n2s poll", showsPolls: true).lines
    expect(lines, equals: ["0s 1", "10s 2", "10s poll", "10s poll", "20s 3", "20s poll"])
  }

  @Test("no end of a poll is lost at the limit", arguments: ["drop_oldest", "drop_newest"])
  func limit(_ policy: String) throws {
    let output = try Trial("rate_limit: { count: 1, per: 1h, bound: 2, when_full: \(policy) }")
      .run("1s 1\n1s 2\n1s poll\n2s 3\n2s poll", showsPolls: true)
    expect(output.lines.filter { $0.hasSuffix("poll") }.count, equals: 2)
    expect(output.lines.first, equals: "1s 1")
    let events = output.lines.count { !$0.hasSuffix("poll") }
    expect((output.counts?.dropped ?? 0) + events, equals: 3)
    #expect((output.counts?.dropped ?? 0) > 0)
  }

  @Test("what waits is sent at once when the stream ends")
  func end() throws {
    let lines = try Trial("rate_limit: { count: 1, per: 1m }").run("0s 1\n0s 2\n0s 3\n5s end").lines
    expect(lines, equals: ["0s 1", "5s 2", "5s 3"])
  }

  @Test("what is let go is counted")
  func dropped() throws {
    let output = try Trial("rate_limit: { count: 1, per: 1m, bound: 1 }").run("0s 1\n0s 2\n0s 3\n0s 4")
    expect(output.lines, equals: ["0s 1", "1m 4"])
    expect(output.counts?.dropped, equals: 2)
  }
}
