import Expectations
@testable import Nodes
import Engine
import JSON
import Language
import Reactive
import Testing
import Trials

@Suite struct SettleTests {
  /// A change as `changes` sends it.
  private func change(_ at: String, _ key: String, _ before: String, _ after: String) throws -> String {
    let (old, new) = (try Value.parse(before), try Value.parse(after))
    let type = old == .null ? "added" : new == .null ? "removed" : "changed"
    let diff = type == "changed" ? Value.differences(from: old, to: new).map(\.value) : []
    let value = Value.record([
      ("type", .string(type)), ("key", .string(key)), ("at", .string(at)), ("before", old), ("after", new),
      ("diff", .array(diff)),
    ])
    return "\(at) \(value)"
  }

  private func run(_ step: String, _ input: [String]) throws -> [String] {
    try Trial(step).run(input.joined(separator: "\n")).lines
  }

  @Test("a value that goes and returns sends nothing, and the next change is from what was sent last")
  func returns() throws {
    let lines = try run(
      "settle: 10m",
      [
        change("0s", "a", #"{"n":1}"#, #"{"n":2}"#), change("1m", "a", #"{"n":2}"#, #"{"n":1}"#),
        change("1h", "a", #"{"n":1}"#, #"{"n":3}"#),
      ])
    expect(
      lines,
      equals: [
        #"1h10m {"type":"changed","key":"a","at":"1h","before":{"n":1},"after":{"n":3},"diff":[{"path":"/n","before":1,"after":3}]}"#
      ])
  }

  @Test(
    "only the fields that a change has named are compared: what changes does not watch is no news here either"
  )
  func fields() throws {
    let one =
      #"0s {"type":"changed","key":"a","at":"x","before":{"n":1,"v":1},"after":{"n":2,"v":5},"diff":[{"path":"/n","before":1,"after":2}]}"#
    let two =
      #"1m {"type":"changed","key":"a","at":"y","before":{"n":2,"v":6},"after":{"n":1,"v":9},"diff":[{"path":"/n","before":2,"after":1}]}"#
    try expect(run("settle: 10m", [one, two]), equals: [])
  }

  @Test("texts that return but for what counts as nothing are no news")
  func texts() throws {
    let changes = [
      try change("0s", "a", #"{"t":"x 1"}"#, #"{"t":"y 2"}"#),
      try change("1m", "a", #"{"t":"y 2"}"#, #"{"t":"x  3"}"#),
    ]
    try expect(run("settle: { for: 10m, text: { ignore: '[0-9]', collapse: true } }", changes), equals: [])
    try expect(run("settle: { for: 10m, text: { ignore: '[0-9]' } }", changes).count, equals: 1)
  }

  @Test("an element of a list that has moved meanwhile is found, whatever its index was")
  func moved() throws {
    let one =
      #"0s {"type":"changed","key":"a","at":"x","before":{"l":[{"i":1,"v":0}]},"after":{"l":[{"i":1,"v":1}]},"diff":[{"path":"/l/0/v","before":0,"after":1}]}"#
    let two =
      #"1m {"type":"changed","key":"a","at":"y","before":{"l":[{"i":1,"v":1}]},"after":{"l":[{"i":2,"v":7},{"i":1,"v":1}]},"diff":[{"path":"/l/0","after":{"i":2,"v":7}}]}"#
    let lines = try run("settle: { for: 10m, arrays_by: i }", [one, two])
    #expect(lines.count == 1 && lines[0].contains(#"{"path":"/l/1/v","before":0,"after":1}"#))
  }

  @Test("removed and back as it was is no news; removed and back with another value is a change")
  func back() throws {
    let gone = try change("0s", "a", #"{"n":1}"#, "null")
    try expect(run("settle: 10m", [gone, change("1m", "a", "null", #"{"n":1}"#)]), equals: [])
    let other = try run("settle: 10m", [gone, change("1m", "a", "null", #"{"n":2}"#)])
    #expect(other.count == 1 && other[0].contains(#""type":"changed""#) && other[0].contains(#""before":1"#))
  }

  /// A row that goes and returns, once with another value that is not watched and once with one that is.
  private static let returning = """
    0h {"id":1,"n":1,"v":1}
    0h poll
    1h poll
    2h {"id":1,"n":1,"v":2}
    2h poll
    20h poll
    21h {"id":1,"n":5,"v":3}
    21h poll
    40h end
    """

  @Test(
    "a row that goes and returns is compared by the fields that changes watches, past a filter and in another stream",
    arguments: [
      "- changes: { key: .id, watch: [.n] }\n- settle: 2h",
      "- changes: { key: .id, ignore: [.v] }\n- filter: .key == 1\n- settle: 2h",
    ])
  func watched(steps: String) throws {
    let lines = try Trial(steps).run(Self.returning).lines
    #expect(
      lines.count == 1 && lines[0].contains(#""diff":[{"path":"/n","before":1,"after":5}]"#), "\(lines)")
    let steps = steps.split(separator: "\n").map { "\($0)" }
    let yaml = """
      sources: { input: stdin }
      streams:
        all: { from: input, steps: [ \(steps.dropLast().map { "{ \($0.dropFirst(2)) }" }.joined(separator: ", ")) ] }
        quiet: { from: all, steps: [ { \(steps.last?.dropFirst(2) ?? "") } ] }
      sinks: { heard: { null: {}, from: quiet } }
      """
    var run = ScriptedRun(try Trial.plan(yaml), start: 0)
    run.scripts["input"] = try Trial.script(Self.returning, 0)
    try expect(run.run().heard["heard"]?.count { $0.value != nil }, equals: 1)
  }

  @Test("the fields of settle itself come before those of changes, and count alone behind other events")
  func ownFields() throws {
    let own = "- changes: { key: .id, watch: [.n] }\n- settle: { for: 2h, watch: [.v] }"
    try expect(Trial(own).run(Self.returning).lines.count, equals: 2)
    let mapped = "- changes: { key: .id, watch: [.n] }\n- map: .\n- settle: 2h"
    try expect(Trial(mapped).run(Self.returning).lines.count, equals: 2)
  }

  @Test("a key that never falls quiet is sent after max_wait, and compared with that from then on")
  func longest() throws {
    let input = try (0..<6).map { try change("\($0)m", "a", #"{"n":\#($0)}"#, #"{"n":\#($0 + 1)}"#) }
    let lines = try run("settle: { for: 2m, max_wait: 3m }", input)
    expect(lines.map { $0.prefix { $0 != " " } }, equals: ["3m", "6m"])
    #expect(lines[0].contains(#"[{"path":"/n","before":0,"after":"#))
  }

  @Test("what is due at one instant comes in the order of the last change of each key")
  func ties() throws {
    let lines = try run(
      "settle: 10m",
      [
        change("0s", "a", "1", "2"), change("0s", "b", "1", "2"), change("0s", "c", "1", "2"),
        change("0s", "a", "2", "3"),
      ])
    expect(
      lines.compactMap { try? Value.parse(String($0.drop { $0 != "{" })).member("key")?.string },
      equals: [
        "b", "c", "a",
      ])
  }

  @Test("an event that is no change is an error of the event")
  func others() throws {
    let output = try Trial("settle: 10m").run(#"0s {"key":"a"}"# + "\n1s 7")
    #expect(output.lines == [] && output.counts?.errors == 2)
    expect(output.outcome.messages.first?.message.contains("settle follows changes"), equals: true)
  }

  @Test(
    "over any polls, the changes sent lead from the first poll to the last, each from where the one before ended"
  )
  func fold() throws {
    for seed in 1...60 {
      var random = SplitMix64(seed: UInt64(seed))
      var rows: [String: Int] = [:]
      var first: [String: Int]?
      var lines: [String] = []
      for hour in 0..<30 {
        for key in ["a", "b", "c", "d"] where Int.random(in: 0..<3, using: &random) == 0 {
          rows[key] = Int.random(in: 0..<4, using: &random) == 0 ? nil : Int.random(in: 0..<3, using: &random)
        }
        if first == nil { first = rows }
        for (key, n) in rows.sorted(by: { $0.key < $1.key }) {
          lines.append(#"\#(hour)h {"id":"\#(key)","n":\#(n)}"#)
        }
        lines.append("\(hour)h poll")
      }
      lines.append("29h end")
      let quiet = Int.random(in: 1...4, using: &random)
      let sent = try Trial("- changes: .id\n- settle: { for: \(quiet)h30m, max_wait: 9h }")
        .run(lines.joined(separator: "\n")).lines
      var folded = first ?? [:]
      for line in sent {
        let change = try Value.parse(String(line.drop { $0 != "{" }))
        let key = try #require(change.member("key")?.string)
        let before = change.member("before")?.member("n")?.double.map { Int($0) }
        let after = change.member("after")?.member("n")?.double.map { Int($0) }
        #expect(before == folded[key] && before != after, "seed \(seed): \(line)")
        folded[key] = after
      }
      expect(folded, equals: rows, "seed \(seed)")
    }
  }
}
