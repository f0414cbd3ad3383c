import Expectations
import Foundation
import JSON
import Store
import Testing

@testable import flow

@Suite struct StateDeadCommandTests {
  let state: KeptState
  init() throws { state = try KeptState() }

  @Test("dead letters are listed within 80 columns, and nothing that a terminal would obey")
  func list() throws {
    let outcome = try state.flow("dead", "ls", "slips")
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
    #expect(
      outcome.output.hasPrefix(
        #"""
        number  node  given up             attempts  reason
             1  tell  2026-01-01 00:00:00         5  exit status 0\u001b[2J
                slips/tell/1/0  {"type":"changed","key":0}
             2  tell  2026-01-01 00:00:00         5  exit status 1\u001b[2J
                slips/tell/1/1  {"type":"changed","key":1}

        """#), "\(outcome.output)")
    let run = try state.open("slips")
    let long = OutboxEntry(
      sink: "tell", place: .init(epoch: 9, index: 9), id: "long",
      bytes: Array("\"\(String(repeating: "ż", count: 999))\"".utf8))
    try run.update { epoch throws(StoreError) in
      try epoch.giveUp(long, reason: String(repeating: "no ", count: 99), at: 0)
    }
    let lines = try state.flow("dead", "ls", "slips").output.split(separator: "\n")
    expect(lines.count, equals: 9)
    for line in lines { #expect(line.columns <= 80, "\(line)") }
  }

  @Test("as JSON a letter has all of it")
  func json() throws {
    let outcome = try state.flow("dead", "ls", "slips", "--json")
    expect(
      outcome.output.split(separator: "\n").last.map(String.init),
      equals:
        #"{"number":3,"sink":"tell","at":"2026-01-01T00:00:00Z","attempts":5,"reason":"exit status 2\u001b[2J","#
        + #""id":"slips/tell/1/2","place":{"epoch":1,"index":2},"value":{"type":"changed","key":2}}"#)
  }

  @Test("a letter that is put back waits with its old id, and those not named stay dead")
  func retry() throws {
    let outcome = try state.flow("dead", "retry", "slips", "2")
    expect(outcome, equals: Outcome(status: 0, output: "put back 2, tell, slips/tell/1/1\n", errors: ""))
    let reader = try state.read()
    try expect(reader.deadLetters().map(\.number), equals: [1, 3])
    let waiting = try reader.outbox(sink: "tell")
    expect(waiting.map(\.id), equals: ["slips/tell/1/1", "slips/tell/1/3", "slips/tell/1/4"])
    expect(waiting.first?.attempts, equals: 0)
    try expect(state.flow("dead", "retry", "slips", "--all").status, equals: 0)
    #expect(try state.read().outbox(sink: "tell").count == 5 && state.read().deadLetters().isEmpty)
  }

  @Test("letters are dropped, some or all")
  func drop() throws {
    let some = try state.flow("dead", "drop", "slips", "1", "3")
    expect(some.output, equals: "dropped 1, tell, slips/tell/1/0\ndropped 3, tell, slips/tell/1/2\n")
    try expect(state.read().deadLetters().map(\.number), equals: [2])
    try expect(state.flow("dead", "drop", "slips", "--all").status, equals: 0)
    let nothing = Outcome(status: 0, output: "", errors: "“slips” has no dead letters\n")
    try expect(state.flow("dead", "drop", "slips", "--all"), equals: nothing)
    try expect(state.flow("dead", "ls", "slips"), equals: nothing)
    try expect(state.read().outbox(sink: "tell").count, equals: 2)
  }

  @Test("a number that is none, or of no letter, changes nothing")
  func mistakes() throws {
    func mistake(_ arguments: String...) throws -> String {
      let outcome = try flow(
        ["state", "dead"] + arguments, environment: ["XDG_STATE_HOME": state.place["home"]])
      #expect(outcome.status == 2 && outcome.output.isEmpty)
      return String(outcome.errors.prefix { $0 != "\n" })
    }
    try expect(
      mistake("drop", "slips", "1", "4"),
      equals: "flow state dead drop: “slips” has no dead letter 4; “flow state dead ls slips” lists them")
    try expect(
      mistake("retry", "quiet", "4"),
      equals: "flow state dead retry: “quiet” has no dead letter 4; it has none")
    try expect(
      mistake("drop", "slips", "x"),
      equals: "flow state dead drop: “x” is not a NUMBER of a dead letter, such as 1")
    try expect(
      mistake("drop", "slips"), equals: "flow state dead drop: give the NUMBERs of dead letters, or --all")
    try expect(
      mistake("retry", "slips", "1", "--all"),
      equals: "flow state dead retry: NUMBERs and --all exclude each other")
    try expect(state.read().deadLetters().count, equals: 3)
  }
}
