import Expectations
@testable import Nodes
import Engine
import Language
import Testing
import Trials

@Suite struct JoinTests {
  private func run(_ step: String, _ input: String, other: String) throws -> Trial.Output {
    try Trial(step, other: "other").run(input, other: other)
  }

  @Test("the latest of the other stream counts, and changes nothing afterwards")
  func latest() throws {
    let output = try run(
      "join: { with: other, key: .k, emit: $other.n }", #"1s {"k": 1}\#n3s {"k": 1}"#,
      other: #"0s {"k": 1, "n": 1}\#n2s {"k": 1, "n": 2}\#n4s {"k": 1, "n": 3}"#)
    expect(output.lines, equals: ["1s 1", "3s 2"])
  }

  @Test("a key of null joins with nothing")
  func nullKey() throws {
    let output = try run(
      "join: { with: other, key: .k, emit: $other }", #"1s {}"#, other: #"0s {"n": 1}"#)
    expect(output.lines, equals: ["1s null"])
  }

  @Test("each event of the other stream lives from when it came last")
  func lifetime() throws {
    let output = try run(
      "join: { with: other, key: .k, kind: inner, lifetime: 10s, emit: $other.n }",
      #"15s {"k": 1}\#n15s {"k": 2}\#n19s {"k": 1}"#,
      other: #"0s {"k": 1, "n": 1}\#n1s {"k": 2, "n": 2}\#n9s {"k": 1, "n": 3}"#)
    expect(output.lines, equals: ["15s 3"])
  }

  @Test("only an object can take a member")
  func noObject() throws {
    let output = try run("join: { with: other, key: . }", "0s 1", other: "")
    #expect(output.lines.isEmpty)
    expect(output.counts?.errors, equals: 1)
  }

  @Test("events wait for the first poll of the other stream, in order, with the ends of their polls")
  func waiting() throws {
    let trial = try Trial("join: { with: other, key: .k, wait: true, emit: $other.n }", other: "other")
    let output = try trial.run(
      """
      0s {"k": 1}
      0s {"k": 2}
      0s poll
      6s {"k": 3}
      6s poll
      """, other: #"5s {"k": 1, "n": 1}\#n5s poll\#n7s {"k": 2, "n": 2}\#n7s poll"#, showsPolls: true)
    expect(output.lines, equals: ["5s 1", "5s null", "5s poll", "6s null", "6s poll"])
  }

  @Test("a first poll without rows ends the wait too, a failed one does not")
  func emptyPoll() throws {
    let output = try run(
      "join: { with: other, key: .k, wait: true, emit: $other }", #"0s {"k": 1}"#,
      other: "1s failure\n5s poll")
    expect(output.lines, equals: ["5s null"])
    expect(output.outcome.messages.map(\.message), equals: ["it failed"])
  }

  @Test("a wait for more than half a minute is reported")
  func longWait() throws {
    let output = try run(
      "join: { with: other, key: .k, wait: true, emit: $other.n }", #"0s {"k": 1}\#n1s {"k": 1}"#,
      other: #"2m {"k": 1, "n": 5}\#n2m poll"#)
    expect(output.lines, equals: ["2m 5", "2m 5"])
    expect(output.outcome.messages.map(\.message), equals: ["events wait for the first poll of other"])
  }

  @Test("where the other stream ends without a poll, events are sent as they are, and the run ends")
  func endsWithout() throws {
    let output = try run(
      "join: { with: other, key: .k, wait: true, emit: $other.n }", #"0s {"k": 1}\#n1s end"#,
      other: #"2s {"k": 1, "n": 4}\#n3s end"#)
    expect(output.lines, equals: ["3s 4"])
  }

  @Test("no more than max_keys events wait")
  func waitingBound() throws {
    let output = try run(
      "join: { with: other, key: .k, wait: true, max_keys: 1, emit: '[.k, $other.n]' }",
      #"0s {"k": 1}\#n1s {"k": 2}\#n2s {"k": 3}"#, other: #"5s {"k": 1, "n": 1}\#n5s poll"#)
    expect(output.lines, equals: ["1s [1,null]", "1s [2,null]", "2s [3,null]"])
    expect(output.outcome.messages.first?.message.contains("more than max_keys"), equals: true)
  }

  @Test("what waits is stored, and waits in the next run")
  func keptWaiting() throws {
    let trial = try Trial(
      "join: { with: other, key: .k, wait: true, emit: '[.k, $other.n]' }", other: "other")
    let kept = try KeptTrial(
      trial.plan, input: #"0s {"k": 1}\#n1s {"k": 2}\#n8s {"k": 1}"#,
      other: #"5s {"k": 1, "n": 1}\#n5s poll\#n9s {"k": 1, "n": 2}\#n9s poll"#)
    let whole = try kept.run(killedBehind: [])
    expect(whole, equals: ["5s [1,1]", "5s [2,null]", "8s [1,1]"])
    for cuts in [[0], [1], [2], [0, 1, 2], [3]] {
      try expect(kept.run(killedBehind: cuts), equals: whole, "\(cuts)")
    }
  }

  @Test("it is the default where both are polled, and only there")
  func waitsByDefault() throws {
    func plan(_ other: String) throws -> Plan {
      try Trial.plan(
        """
        sources: { a: { http: 'http://x/' }, b: \(other) }
        streams: { both: { from: a, steps: [{ join: { with: b, key: .k, emit: $other.n } }] } }
        sinks: { heard: { null: {}, from: both } }
        """)
    }
    func heard(_ plan: Plan, _ other: String) throws -> [String] {
      var run = ScriptedRun(plan, start: 0)
      run.scripts["a"] = try Trial.script(#"0s {"k": 1}\#n0s poll"#, 0)
      run.scripts["b"] = try Trial.script(other, 0)
      return (try run.run().heard["heard"] ?? []).compactMap { $0.value.map { "\($0)" } }
    }
    let poll = #"1s {"k": 1, "n": 7}\#n1s poll"#
    try expect(heard(plan("{ http: 'http://y/' }"), poll), equals: ["7"])
    try expect(heard(plan("{ http: 'http://y/', every: 1h }"), poll), equals: ["7"])
    try expect(heard(plan("stdin"), #"1s {"k": 1, "n": 7}"#), equals: ["null"])
  }

  @Test("as and emit are not both given")
  func check() {
    #expect {
      try Trial("join: { with: other, key: .k, as: a, emit: . }", other: "other")
    } throws: { "\($0)".contains("no effect beside emit") }
  }
}
