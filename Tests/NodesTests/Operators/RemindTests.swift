import Expectations
@testable import Nodes
import Engine
import Language
import TestSupport
import Testing
import Trials

@Suite struct RemindTests {
  private func told(_ key: Int, at: String, lead: String, in left: Int, _ event: String) -> String {
    #"{"key":\#(key),"at":"\#(at)","lead":"\#(lead)","in":\#(left),"event":\#(event)}"#
  }

  @Test("a lead that has fired for a time does not fire again when that is repeated, or moves a little")
  func moves() throws {
    let output = try Trial("remind: { key: .id, at: .net, before: [1h, 10m] }").run(
      """
      0s {"id":1,"net":7200}
      61m {"id":1,"net":7200}
      62m {"id":1,"net":7210}
      2h {"id":1,"net":36000}
      """)
    expect(
      output.lines,
      equals: [
        "1h " + told(1, at: "1970-01-01T02:00:00Z", lead: "1h", in: 3600, #"{"id":1,"net":7200}"#),
        "1h50m10s " + told(1, at: "1970-01-01T02:00:10Z", lead: "10m", in: 600, #"{"id":1,"net":7210}"#),
        "9h " + told(1, at: "1970-01-01T10:00:00Z", lead: "1h", in: 3600, #"{"id":1,"net":36000}"#),
        "9h50m " + told(1, at: "1970-01-01T10:00:00Z", lead: "10m", in: 600, #"{"id":1,"net":36000}"#),
      ])
  }

  @Test("a lead that is late by no more than grace fires at once, with the time left")
  func late() throws {
    let lines = try Trial("remind: { key: .id, at: .net, before: [1h, 10m, 0s], grace: 5m }")
      .run(#"0s {"id":1,"net":420}"#).lines
    expect(
      lines,
      equals: [
        "0s " + told(1, at: "1970-01-01T00:07:00Z", lead: "10m", in: 420, #"{"id":1,"net":420}"#),
        "7m " + told(1, at: "1970-01-01T00:07:00Z", lead: "0s", in: 0, #"{"id":1,"net":420}"#),
      ])
  }

  @Test("no lead before the time fires once the time has come: a launch known too late is no reminder")
  func past() throws {
    let output = try Trial("remind: { key: .id, at: .net, before: [1h, 10m] }").run(
      """
      0s {"id":1,"net":86400}
      0s poll
      30m {"id":1,"net":60}
      30m poll
      """)
    #expect(output.lines.isEmpty && output.outcome.messages.isEmpty)
  }

  @Test(
    "a key that the last whole poll lacks is held back until it is back; a failed poll holds back nothing")
  func missing() throws {
    let polls = """
      0s {"id":1,"net":7200}
      0s {"id":2,"net":7200}
      0s poll
      30m {"id":2,"net":7200}
      30m poll
      59m failure
      """
    let second = "1h " + told(2, at: "1970-01-01T02:00:00Z", lead: "1h", in: 3600, #"{"id":2,"net":7200}"#)
    let step = "remind: { key: .id, at: .net, before: [1h] }"
    try expect(
      Trial(step).run(polls + "\n70m {\"id\":2,\"net\":7200}\n70m poll").linesDespiteTrouble, equals: [second]
    )
    // Back in time, and with the time that is left.
    let back = "\n90m {\"id\":1,\"net\":7200}\n90m {\"id\":2,\"net\":7200}\n90m poll"
    try expect(
      Trial(step).run(polls + back).linesDespiteTrouble,
      equals: [
        second, "1h30m " + told(1, at: "1970-01-01T02:00:00Z", lead: "1h", in: 1800, #"{"id":1,"net":7200}"#),
      ])
    // Too late.
    try expect(
      Trial(step).run(polls + back.replacing("90m", with: "121m")).linesDespiteTrouble, equals: [second])
    let first = "1h " + told(1, at: "1970-01-01T02:00:00Z", lead: "1h", in: 3600, #"{"id":1,"net":7200}"#)
    let both = try Trial("remind: { key: .id, at: .net, before: [1h], when_missing: fire }").run(polls)
      .linesDespiteTrouble
    expect(both, equals: [first, second])
  }

  @Test("a poll of which a step failed on a row makes nothing missing")
  func incomplete() throws {
    let output = try Trial(
      """
      - filter: if .bad then error("bad") else true end
      - remind: { key: .id, at: .net }
      """
    ).run(
      """
      0s {"id":1,"net":60}
      0s poll
      30s {"id":2,"bad":true}
      30s poll
      """)
    expect(output.linesDespiteTrouble.count, equals: 1)
  }

  @Test("behind changes nothing is missing, and what was removed is cancelled")
  func behindChanges() throws {
    let output = try Trial(
      """
      - changes: { key: .id, first: emit }
      - remind: { key: .key, at: .after.net }
      """
    ).run(
      """
      0s {"id":1,"net":60}
      0s {"id":2,"net":60}
      0s poll
      30s {"id":1,"net":60}
      30s poll
      """)
    #expect(output.lines.count == 1 && output.lines[0].contains(#""key":1"#))
  }

  @Test("a removed key, or a time that is gone, fires no more")
  func cancelled() throws {
    let output = try Trial("remind: { key: .id, at: .net }").run(
      """
      0s {"id":1,"net":60}
      0s {"id":2,"net":60}
      1s {"id":1,"type":"removed","net":60}
      1s {"id":2,"net":null}
      """)
    #expect(output.lines.isEmpty)
    #expect(output.outcome.messages.isEmpty)
  }

  @Test("far-off times come, to the millisecond")
  func farOff() throws {
    let event = #"{"id":1,"net":"2030-06-01T12:00:00.250Z"}"#
    let lines = try Trial("remind: { key: .id, at: .net }", now: 1_767_225_600).run("0s " + event).lines
    expect(
      lines, equals: ["1612d12h250ms " + told(1, at: "2030-06-01T12:00:00.250Z", lead: "0s", in: 0, event)])
  }

  @Test("what is no time fails; what has no key is of the key null")
  func wrongTime() throws {
    let output = try Trial("remind: { key: .id, at: .net }").run(#"0s {"id":1,"net":"soon"}\#n1s {"net":60}"#)
    expect(
      output.lines,
      equals: [#"1m {"key":null,"at":"1970-01-01T00:01:00Z","lead":"0s","in":0,"event":{"net":60}}"#])
    expect(output.counts?.errors, equals: 1)
    expect(output.outcome.messages.first?.message.hasPrefix(#"not a time: "soon""#), equals: true)
  }

  @Test(
    "times beyond the reach of instants are far away: no reminder, and no failure; a new time of the key counts"
  )
  func beyond() throws {
    let output = try Trial("remind: { key: .id, at: .net }").run(
      """
      0s {"id":1,"net":"9999-12-31T23:59:59Z"}
      0s {"id":2,"net":"0001-01-01T00:00:00Z"}
      1s {"id":1,"net":60}
      """)
    expect(
      output.lines,
      equals: [
        #"1m {"key":1,"at":"1970-01-01T00:01:00Z","lead":"0s","in":0,"event":{"id":1,"net":60}}"#
      ])
    expect(output.counts?.errors, equals: 0)
  }

  @Test("milliseconds are no time, and the end of a day is the beginning of the next")
  func milliseconds() throws {
    let output = try Trial("remind: { key: .id, at: .net }", now: 1_767_225_600).run(
      #"0s {"id":1,"net":1767268800000}\#n0s {"id":2,"net":"2026-01-01T24:00:00Z"}\#n0s {"id":3,"net":"2026-01-01T24:00:01Z"}"#
    )
    #expect(output.lines.count == 1 && output.lines[0].contains(#""at":"2026-01-02T00:00:00Z""#))
    #expect(
      output.outcome.messages.first?.message.hasPrefix(
        "not a time: 1767268800000 seconds since 1970 is not of the years 0 to 9999; divide milliseconds by 1000"
      )
        == true)
    expect(output.counts?.errors, equals: 2)
  }

  @Test("a time that is years ahead takes no time in a test, and one that is far away never comes")
  func farAhead() throws {
    var output: Trial.Output?
    let time = try elapsed {
      output = try Trial("remind: { key: .id, at: .net }").run(
        #"0s {"id":1,"net":"9999-12-31T23:59:59Z"}\#n0s {"id":2,"net":1900000000}"#)
    }
    expect(output?.lines.count, equals: 1)
    #expect(output?.lines.first?.hasPrefix(#"21990d17h46m40s {"key":2,"#) == true, "\(output?.lines ?? [])")
    expect(output?.outcome.messages.map(\.message), equals: ["1 reminder was still waiting"])
    #expect(time < .seconds(20))
  }

  @Test("at the end of the stream nothing fires before its time")
  func end() throws {
    let output = try Trial("remind: { key: .id, at: .net }").run(#"0s {"id":1,"net":60}\#n1s end"#)
    #expect(output.lines.isEmpty)
    expect(output.outcome.messages.map(\.message), equals: ["1 reminder was still waiting"])
  }

  @Test("a key too many counts as dropped")
  func limit() throws {
    let output = try Trial("remind: { key: .id, at: .net, max_keys: 1 }")
      .run(#"0s {"id":1,"net":60}\#n0s {"id":2,"net":60}"#)
    expect(output.counts?.dropped, equals: 1)
  }
}
