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
    #expect(try shown("dedupe") == lines)
    #expect(try shown("dedupe", "-n", "2") == Array(lines[..<2]))
    #expect(try shown("dedupe", "-n0") == [])
    #expect(try state.flow("show", "slips", "dedupe", "-n", "x").status == 2)
    #expect(try shown("odd") == [#"{"key":"c3","value":"ff00"}"#])
  }

  @Test("each of several tables is named, and can be named")
  func tables() throws {
    #expect(
      try shown("changes") == [
        #"{"table":"changes","key":1,"value":{}}"#, #"{"table":"changes@upcoming","key":1,"value":[]}"#,
        #"{"table":"changes@upcoming","key":2,"value":[]}"#,
      ])
    #expect(try shown("changes@upcoming", "-n1") == [#"{"key":1,"value":[]}"#])
    #expect(
      try shown("changes", "--key", "1") == [
        #"{"table":"changes","key":1,"value":{}}"#, #"{"table":"changes@upcoming","key":1,"value":[]}"#,
      ])
  }

  @Test("a key is given as JSON, as its text, or in the digits that it is printed in")
  func key() throws {
    #expect(try shown("dedupe", "--key", "7") == [#"{"key":7,"value":null}"#])
    for key in [#""b\u0007""#, "b\u{07}", #" "\u0062\u0007" "#] {
      #expect(try shown("dedupe", "--key", key) == [#"{"key":"b\u0007","value":{"n":12345678901234567890}}"#])
    }
    #expect(try shown("odd", "--key", "c3") == [#"{"key":"c3","value":"ff00"}"#])
    #expect(
      try state.flow("show", "slips", "dedupe", "--key", "8")
        == Outcome(
          status: 1, output: "", errors: "flow state show: “dedupe” has no key “8”\n"))
    let source = try state.flow("show", "slips", "upcoming", "--key", "8")
    #expect(source.status == 1 && source.errors.contains("“upcoming” has no keys; "))
  }

  @Test("of sources and sinks what is known, and what waits")
  func facts() throws {
    #expect(try shown("upcoming") == [#"{"fact":"position","value":{"offset":12,"file":"a.jsonl"}}"#])
    #expect(
      try shown("log") == [
        #"{"fact":"file:/var/log/\u001b[2Jslips.jsonl","value":{"device":1,"inode":2,"offset":3456}}"#,
        #"{"fact":"written","value":{"epoch":1,"index":2}}"#,
      ])
    let waiting = try shown("tell")
    #expect(waiting.count == 2)
    #expect(
      waiting.first == #"{"waiting":{"id":"slips/tell/1/3","place":{"epoch":1,"index":3},"attempts":0,"#
        + #""due":null},"value":{"type":"changed","key":3}}"#)
    #expect(try shown("tell", "-n1") == Array(waiting.prefix(1)))
  }

  @Test("many keys come page by page, all of them once, beside a run")
  func many() throws {
    let run = try state.open("quiet")
    let table = try run.table(node: "dedupe", description: ".")
    for key in 0..<2500 { table.set(Array("[\(key)]".utf8), for: Array("\(key)".utf8)) }
    try run.commit { _ in }
    let outcome = try state.flow("show", "quiet", "dedupe")
    #expect(outcome.status == 0)
    #expect(outcome.output == (0..<2500).map { "{\"key\":\($0),\"value\":[\($0)]}\n" }.joined())
    #expect(
      try state.flow("show", "quiet", "dedupe", "-n", "1500").output.split(separator: "\n").count == 1500)
  }

  @Test("a node that is not there is an error that says which are")
  func unknown() throws {
    let outcome = try state.flow("show", "slips", "dedup")
    #expect(outcome.status == 2 && outcome.output.isEmpty)
    #expect(
      outcome.errors == "flow state show: there is no state of “dedup” in “slips”; did you mean “dedupe”? "
        + "(there is “changes”, “dedupe”, “log”, “odd”, “tell” and “upcoming”)\n")
    #expect(
      try state.flow("show", "quiet", "a").errors
        == "flow state show: there is no state of “a” in “quiet”; none of its nodes has state\n")
  }

  @Test("on a terminal nothing is printed that it would obey")
  func terminal() throws {
    let run = try state.open("quiet")
    let table = try run.table(node: "n", description: ".")
    table.set(Array("\"\u{9B}2J\u{202E}\"".utf8), for: Array("1".utf8))
    try run.commit { _ in }
    #expect(try state.flow("show", "quiet", "n").output == "{\"key\":1,\"value\":\"\u{9B}2J\u{202E}\"}\n")
    let outcome = try state.typed("state show quiet n", "")
    #expect(outcome.output.contains(#"{"key":1,"value":"\u009b2J\u202e"}"#), "\(outcome)")
  }
}
