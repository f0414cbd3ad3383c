import Expectations
@testable import Nodes
import JSON
import Engine
import Language
import Reactive
import Testing
import Trials

@Suite("changes")
struct ChangesTests {
  /// Type and key of each change, with its time.
  private func changes(_ step: String, _ input: String) throws -> [String] {
    try Trial(step).run(input).outcome.heard["heard", default: []].compactMap { heard in
      heard.value.map { value in
        "\(DurationText.format(heard.at)) \(value.member("type")?.string ?? "") \(value.member("key") ?? .null)"
      }
    }
  }

  @Test("numbers that are equal are one key however they are written, also within arrays; no others are")
  func numberKeys() throws {
    let rows = [
      #"{"d": 1, "id": 1453125555555555551, "v": 1}"#, #"{"d": 2.0, "id": 1453125555555555552, "v": 1}"#,
    ]
    let again = [
      #"{"d": 1.0, "id": 1453125555555555551, "v": 2}"#, #"{"d": 2, "id": 1453125555555555552.0, "v": 1}"#,
    ]
    let input = (rows.map { "0s " + $0 } + ["0s poll"] + again.map { "1m " + $0 } + ["1m poll"])
      .joined(separator: "\n")
    let steps = [
      "changes: { key: '[.d, .id]', watch: [.v] }", "changes: { key: .id, watch: [.v] }", "dedupe: .id",
    ]
    for (step, count) in zip(steps, [1, 1, 2]) {
      let plan = try Trial(step).plan
      let alone = try Trial(step).run(input).lines
      let kept = try KeptTrial(plan, input: input).run(killedBehind: [0])
      #expect(alone.count == count && kept.count == count, "\(step): \(alone), \(kept)")
    }
  }

  @Test("an object is one key in any order of its members, and has one form in all changes")
  func objectKeys() throws {
    let input = """
      0s {"id": {"b": 1, "a": [{"d": 1, "c": 2}]}, "v": 1}
      0s poll
      1m {"id": {"a": [{"c": 2, "d": 1.0}], "b": 1}, "v": 1}
      1m poll
      2m {"id": {"a": [{"d": 1, "c": 2}], "b": 1}, "v": 2}
      2m poll
      3m poll
      """
    let key = #"{"a":[{"c":2,"d":1}],"b":1}"#
    let expected = ["2m changed \(key)", "3m removed \(key)"]
    #expect(try changes("changes: .id", input) == expected)
    let kept = try KeptTrial(Trial("changes: .id").plan, input: input).run(killedBehind: [0, 1, 2])
    #expect(kept.count == 2 && kept.allSatisfy { $0.contains(#""key":\#(key),"#) }, "\(kept)")
  }

  @Test("a row that a step before it fails on is not removed")
  func tornPoll() throws {
    let input = """
      0s {"id": "a", "net": "2026-01-01T00:00:00Z"}
      0s {"id": "b", "net": "2026-01-01T00:00:00Z"}
      0s poll
      1h {"id": "a", "net": null}
      1h poll
      2h {"id": "a", "net": "2026-01-01T00:00:00Z"}
      2h poll
      """
    let found = try changes("- map: '{id, at: (.net | fromdate)}'\n- changes: .id", input)
    // At one o'clock nothing is known of a, and b may only have lost its key.
    expect(found, equals: ["2h removed \"b\""])
  }

  @Test("a poll that fails changes nothing, and the one after it is compared with the one before it")
  func failedPoll() throws {
    let input = """
      0s {"id": "a"}
      0s poll
      1h failure
      2h {"id": "b"}
      2h poll
      """
    try expect(changes("changes: .id", input), equals: ["2h added \"b\"", "2h removed \"a\""])
  }

  @Test("a row without a key is an error, and removes nothing", arguments: [#"{"error": "down"}"#, "null"])
  func noKey(row: String) throws {
    let input = """
      0s {"id": "a"}
      0s poll
      1h \(row)
      1h poll
      2h {"id": "a"}
      2h poll
      """
    try expect(changes("changes: .id", input), equals: [])
  }

  @Test("the same value in other words is no change")
  func otherWords() throws {
    let input = """
      0s {"id": 1, "n": 1.0, "o": {"a": 1, "b": 2}}
      0s poll
      1h {"o": {"b": 2, "a": 1}, "n": 1, "id": 1}
      1h poll
      """
    try expect(changes("changes: .id", input), equals: [])
  }

  @Test("what comes and goes over many polls, beside a naive model", arguments: 1...20)
  func model(_ seed: UInt64) throws {
    var random = Draw(seed)
    var before: [Int: Int] = [:]
    var input = ""
    var expected: [String] = []
    for hour in 1...20 {
      var now: [Int: Int] = [:]
      for key in 0..<12 where random.below(3) > 0 {
        now[key] = random.below(2) == 0 ? before[key] ?? 0 : hour
      }
      for (key, value) in now.sorted(by: { $0.key < $1.key }) {
        input += "\(hour)h {\"id\": \(key), \"v\": \(value)}\n"
        if hour > 1, before[key] == nil { expected.append("\(hour)h added \(key)") }
        if hour > 1, let old = before[key], old != value { expected.append("\(hour)h changed \(key)") }
      }
      input += "\(hour)h poll\n"
      if hour > 1 {
        expected += before.keys.sorted().filter { now[$0] == nil }.map { "\(hour)h removed \($0)" }
      }
      before = now
    }
    try expect(changes("changes: { key: .id, sudden_loss: off }", input), equals: expected)
  }

  /// Numbers that a seed decides.
  private struct Draw {
    var state: UInt64
    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

    mutating func below(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % limit
    }
  }

  @Test("keys that are of another kind than before are reported once, with what keeps them alike")
  func otherKeys() throws {
    let output = try Trial("changes: .id").run(
      """
      0s {"id":1}
      0s poll
      1s {"id":"1"}
      1s {"id":"2"}
      1s poll
      2s {"id":{"n":1}}
      2s poll
      """)
    expect(output.lines.count, equals: 6)
    expect(
      output.outcome.messages.map(\.message),
      equals: [
        #"the keys of input are strings now and were numbers ("1", 1), so that no row is known: all are added, and "#
          + "those before removed; a key such as .id | tostring would stay the same"
      ])
    let mixed = try Trial("changes: .id").run(
      #"0s {"id":1}"# + "\n0s poll\n" + #"1s {"id":1}"# + "\n" + #"1s {"id":"1"}"# + "\n1s poll")
    #expect(mixed.outcome.messages.isEmpty && mixed.lines.count == 1)
  }

  @Test(
    "a response that was taken for a row is reported with where its rows are",
    arguments: [
      (#"{"items":[{"id":1},{"id":2}],"n":1}"#, ".items[]"), (#"{"a-b":[{"id":1}],"c":[1]}"#, #".["a-b"][]"#),
      (#"{"x":{"id":1},"y":{"id":2}}"#, "to_entries[] | .value"),
    ])
  func wholeResponse(_ response: String, _ rows: String) throws {
    let messages = try Trial("changes: .id").run("0s \(response)\n0s poll").outcome.messages.map(\.message)
    expect(messages.first?.hasSuffix("write rows: \(rows) at the source"), equals: true, "\(messages)")
  }

  @Test("a row without a key is reported as that", arguments: [#"{"x":1}"#, #"{"tags":["a"]}"#, "{}", "7"])
  func noKey(_ row: String) throws {
    let messages = try Trial("changes: .id?").run("0s \(row)\n0s poll").outcome.messages.map(\.message)
    expect(messages.first?.contains("the key .id? of this row is null"), equals: true)
    expect(messages.first?.contains("rows:"), equals: false)
  }
}
