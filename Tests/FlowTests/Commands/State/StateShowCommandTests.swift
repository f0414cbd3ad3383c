import Expectations
import Foundation
import Store
import Testing

@testable import flow

@Suite struct StateShowCommandTests {
  let state: KeptState
  init() throws { state = try KeptState() }

  func shown(_ node: String, _ options: String...) throws -> [String] {
    let outcome = try Running(
      ["state", "show", "slips", node] + options, in: state.place, input: .open,
      ["XDG_STATE_HOME": state.place["home"]]
    ).end()
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
    return outcome.output.split(separator: "\n").map(String.init)
  }

  @Test("keys come the oldest first, as they are, behind what else is known")
  func keys() throws {
    let lines = [
      #"{"fact":"passed","value":9}"#, #"{"key":7,"value":null}"#,
      #"{"key":"b\u0007","value":{"n":12345678901234567890}}"#, #"{"key":5,"value":""}"#,
    ]
    try expect(shown("dedupe"), equals: lines)
    try expect(shown("dedupe", "-n", "2"), equals: Array(lines[..<2]))
    try expect(shown("dedupe", "-n0"), equals: [])
    try expect(state.flow("show", "slips", "dedupe", "-n", "x").status, equals: 2)
    try expect(shown("odd"), equals: [#"{"key":"c3","value":"ff00"}"#])
  }

  @Test("each of several tables is named, and can be named")
  func tables() throws {
    try expect(
      shown("changes"),
      equals: [
        #"{"table":"changes","key":1,"value":{}}"#, #"{"table":"changes@upcoming","key":1,"value":[]}"#,
        #"{"table":"changes@upcoming","key":2,"value":[]}"#,
      ])
    try expect(shown("changes@upcoming", "-n1"), equals: [#"{"key":1,"value":[]}"#])
    try expect(
      shown("changes", "--key", "1"),
      equals: [
        #"{"table":"changes","key":1,"value":{}}"#, #"{"table":"changes@upcoming","key":1,"value":[]}"#,
      ])
  }

  @Test("a key is given as JSON, as its text, or in the digits that it is printed in")
  func key() throws {
    try expect(shown("dedupe", "--key", "7"), equals: [#"{"key":7,"value":null}"#])
    for key in [#""b\u0007""#, "b\u{07}", #" "\u0062\u0007" "#] {
      try expect(
        shown("dedupe", "--key", key), equals: [#"{"key":"b\u0007","value":{"n":12345678901234567890}}"#])
    }
    try expect(shown("odd", "--key", "c3"), equals: [#"{"key":"c3","value":"ff00"}"#])
    try expect(
      state.flow("show", "slips", "dedupe", "--key", "8"),
      equals: Outcome(
        status: 1, output: "", errors: "flow state show: “dedupe” has no key “8”\n"))
    let source = try state.flow("show", "slips", "upcoming", "--key", "8")
    #expect(source.status == 1 && source.errors.contains("“upcoming” has no keys; "))
  }

  @Test("of sources and sinks what is known, and what waits")
  func facts() throws {
    try expect(shown("upcoming"), equals: [#"{"fact":"position","value":{"offset":12,"file":"a.jsonl"}}"#])
    try expect(
      shown("log"),
      equals: [
        #"{"fact":"file:/var/log/\u001b[2Jslips.jsonl","value":{"device":1,"inode":2,"offset":3456}}"#,
        #"{"fact":"written","value":{"epoch":1,"index":2}}"#,
      ])
    let waiting = try shown("tell")
    expect(waiting.count, equals: 2)
    expect(
      waiting.first,
      equals: #"{"waiting":{"id":"slips/tell/1/3","place":{"epoch":1,"index":3},"attempts":0,"#
        + #""due":null},"value":{"type":"changed","key":3}}"#)
    try expect(shown("tell", "-n1"), equals: Array(waiting.prefix(1)))
  }

  @Test("many keys come page by page, all of them once, beside a run")
  func many() throws {
    let run = try state.open("quiet")
    let table = try run.table(node: "dedupe", description: ".")
    for key in 0..<2500 { table.set(Array("[\(key)]".utf8), for: Array("\(key)".utf8)) }
    try run.commit { _ in }
    let outcome = try state.flow("show", "quiet", "dedupe")
    expect(outcome.status, equals: 0)
    expect(outcome.output, equals: (0..<2500).map { "{\"key\":\($0),\"value\":[\($0)]}\n" }.joined())
    try expect(
      state.flow("show", "quiet", "dedupe", "-n", "1500").output.split(separator: "\n").count, equals: 1500)
  }

  @Test("a node that is not there is an error that says which are")
  func unknown() throws {
    let outcome = try state.flow("show", "slips", "dedup")
    #expect(outcome.status == 2 && outcome.output.isEmpty)
    expect(
      outcome.errors,
      equals: "flow state show: there is no state of “dedup” in “slips”; did you mean “dedupe”? "
        + "(there is “changes”, “dedupe”, “log”, “odd”, “tell” and “upcoming”)\n")
    try expect(
      state.flow("show", "quiet", "a").errors,
      equals: "flow state show: there is no state of “a” in “quiet”; none of its nodes has state\n")
  }

  @Test("on a terminal nothing is printed that it would obey")
  func terminal() throws {
    let run = try state.open("quiet")
    let table = try run.table(node: "n", description: ".")
    table.set(Array("\"\u{9B}2J\u{202E}\"".utf8), for: Array("1".utf8))
    try run.commit { _ in }
    try expect(
      state.flow("show", "quiet", "n").output, equals: "{\"key\":1,\"value\":\"\u{9B}2J\u{202E}\"}\n")
    let outcome = try state.typed("state show quiet n", "")
    #expect(outcome.output.contains(#"{"key":1,"value":"\u009b2J\u202e"}"#), "\(outcome)")
  }
}
