import Expectations
import Foundation
import JSON
import Store
import Testing

@testable import flow

@Suite struct StateListCommandTests {
  let state: KeptState
  init() throws { state = try KeptState() }

  @Test("every pipeline has a line that fits 80 columns")
  func list() throws {
    let outcome = try state.flow("ls")
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
    let lines = outcome.output.split(separator: "\n").map(String.init)
    try #require(lines.count == 3)
    for line in lines { #expect(line.columns <= 80, "\(line)") }
    func words(_ line: String) -> [String] { line.split(separator: " ").map(String.init) }
    expect(
      words(lines[0]), equals: ["pipeline", "size", "nodes", "keys", "waiting", "dead", "changed", "file"])
    #expect(words(lines[1]).first == "quiet" && words(lines[1])[3...6] == ["0", "0", "0", "0"])
    #expect(words(lines[2]).first == "slips" && words(lines[2])[3...6] == ["6", "7", "2", "3"])
    #expect(words(lines[2]).last?.hasPrefix("…") == true && lines[2].hasSuffix("/slips.yaml"))
  }

  @Test("of a pipeline every step, source and sink is there, and nothing that a terminal would obey")
  func details() throws {
    let outcome = try state.flow("ls", "slips")
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
    let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    for line in lines { #expect(line.columns <= 80, "\(line)") }
    try #require(lines.count > 3)
    #expect(lines[0].hasPrefix("slips  …") && lines[0].hasSuffix("/pipelines/slips.yaml"))
    #expect(lines[1].hasSuffix("/home/flow/slips.db"))
    #expect(lines[2].contains(", epoch 1, changed 20"))
    expect(
      lines[3...].joined(separator: "\n"),
      equals: #"""

        step              keys  keyed by
        changes              1  .key
        changes@upcoming     2  .key
        dedupe               3  .id
        odd                  1  bytes

        source    position
        upcoming  {"offset":12,"file":"a.jsonl"}

        sink  waiting  dead  written  file                           offset
        log         0     0      1.2  /var/log/\u001b[2Jslips.jsonl    3456
        tell        2     3

        node    fact    value
        dedupe  passed      9

        """#)
  }

  @Test("as JSON there is a line a pipeline, or a line a node, with everything")
  func json() throws {
    let all = try state.flow("ls", "--json").output.split(separator: "\n").map { try Value.parse(String($0)) }
    try #require(all.count == 2)
    let slips = all[1]
    #expect(
      slips.member("name")?.string == "slips" && slips.member("path")?.string == state.path(of: "slips"))
    expect(slips.member("pipeline")?.string, equals: state.pipeline)
    #expect(all[0].member("pipeline")?.isNull == true && all[0].member("epoch")?.double == 1)
    for (name, number) in [("nodes", 6.0), ("keys", 7), ("waiting", 2), ("dead", 3), ("epoch", 1)] {
      expect(slips.member(name)?.double, equals: number, "\(name)")
    }
    #expect(slips.member("size")?.double ?? 0 >= 4096)
    expect(slips.member("changed")?.string?.hasSuffix("Z"), equals: true)

    try expect(
      state.flow("ls", "slips", "quiet", "--json").output,
      equals: #"""
        {"pipeline":"slips","node":"changes","tables":[{"name":"changes","keyed_by":".key","keys":1},\#
        {"name":"changes@upcoming","keyed_by":".key","keys":2}]}
        {"pipeline":"slips","node":"dedupe","tables":[{"name":"dedupe","keyed_by":".id","keys":3}],\#
        "facts":{"passed":9}}
        {"pipeline":"slips","node":"log","facts":{"file:/var/log/\u001b[2Jslips.jsonl":\#
        {"device":1,"inode":2,"offset":3456}},"written":{"epoch":1,"index":2},"waiting":0,"dead":0}
        {"pipeline":"slips","node":"odd","tables":[{"name":"odd","keyed_by":"bytes","keys":1}]}
        {"pipeline":"slips","node":"tell","written":null,"waiting":2,"dead":3}
        {"pipeline":"slips","node":"upcoming","facts":{"position":{"offset":12,"file":"a.jsonl"}}}

        """#)
  }

  @Test("it reads beside a run, and changes nothing")
  func held() throws {
    let before = state.files
    let alone = try state.flow("ls", "slips", "--json")
    expect(state.files, equals: before)
    let run = try state.open("slips")
    try expect(state.flow("ls", "slips", "--json"), equals: alone)
    try run.commit { epoch throws(StoreError) in
      try epoch.set(.integer(10), owner: "dedupe", name: "passed")
    }
    #expect(try state.flow("ls", "slips", "--json").output.contains(#"{"passed":10}"#))
  }

  @Test("an unreadable file is reported and hides no other")
  func damaged() throws {
    try state.place.write("home/flow/bad.db", "no database")
    try state.place.write("home/flow/.db", "no name")
    let outcome = try state.flow("ls")
    expect(outcome.status, equals: 1)
    #expect(outcome.output.contains("\nquiet ") && outcome.output.contains("\nslips "))
    expect(
      outcome.errors,
      equals: "flow state ls: \(state.path(of: "bad")): damaged: it does not begin as a database does; "
        + "--reset-corrupt sets it aside\n")
  }

  @Test("where there is no state, that is no failure")
  func nothing() throws {
    let outcome = try flow(["state", "ls"], environment: ["XDG_STATE_HOME": "/nonexistent"])
    expect(
      outcome, equals: Outcome(status: 0, output: "", errors: "no pipeline has state in /nonexistent/flow\n"))
    try expect(
      flow(["state", "ls", "--json"], environment: ["XDG_STATE_HOME": "/nonexistent"]),
      equals: Outcome(status: 0, output: "", errors: ""))
  }
}
