import Expectations
import Foundation
@testable import Store
import Testing

@testable import flow

@Suite struct StateResetCommandTests {
  let state: KeptState
  init() throws { state = try KeptState() }

  @Test("everything is forgotten but for the lock, and no other pipeline")
  func all() throws {
    let outcome = try state.flow("reset", "slips", "--yes")
    expect(
      outcome,
      equals: Outcome(
        status: 0, output: "deleted the state of “slips”: 7 keys, 2 waiting outputs, 3 dead letters\n",
        errors: ""))
    expect(state.files, equals: ["quiet.db", "quiet.db.lock", "slips.db.lock"])
    try expect(state.flow("reset", "slips", "--yes").status, equals: 2)
    try expect(state.read("quiet").epoch(), equals: 1)
  }

  @Test("some nodes are forgotten, and the others stay")
  func nodes() throws {
    let outcome = try state.flow("reset", "slips", "changes", "tell", "changes", "-y")
    expect(
      outcome,
      equals: Outcome(
        status: 0,
        output: """
          deleted the state of “changes” in “slips”: 3 keys, 0 facts, 0 waiting outputs
          deleted the state of “tell” in “slips”: 0 keys, 0 facts, 2 waiting outputs

          """, errors: ""))
    let reader = try state.read()
    try expect(Set(reader.tables().map(\.node)), equals: ["dedupe", "odd"])
    try expect(reader.keys(of: "dedupe").count, equals: 3)
    try expect(reader.facts().map(\.owner), equals: ["dedupe", "log", "pipeline", "upcoming"])
    #expect(try reader.sinks().map(\.name) == ["log", "tell"] && reader.deadLetters().count == 3)
    #expect(try reader.outbox(sink: "tell").isEmpty)
    try expect(state.flow("reset", "slips", "upcoming", "log", "--yes").status, equals: 0)
    try expect(state.read().facts().map(\.owner), equals: ["dedupe", "pipeline"])
  }

  @Test("a run does not begin with a state that was found inconsistent, until a part of it is reset")
  func inconsistent() throws {
    try state.open("slips").note(flaw: "the epoch 3 was to be written behind the epoch 7")
    let path = state.place["home/flow/slips.db"]
    try state.place.write(
      "slips.yaml", "sources: { upcoming: { file: in.txt } }\nsinks: { log: { jsonl: out.jsonl } }\n")
    try state.place.write("in.txt", "1\n")
    func run() throws -> Outcome {
      try Running(
        ["run", "--once", "slips.yaml"], in: state.place, input: .file(state.place["in.txt"]),
        ["XDG_STATE_HOME": state.place["home"]]
      ).end()
    }
    let refused = try run()
    #expect(refused.status == 1, "\(refused)")
    #expect(
      refused.errors.contains(
        "\(path): the state is inconsistent: the epoch 3 was to be written behind the epoch 7; "
          + "flow state reset slips deletes it, and with NODE the part of a node; then it starts again"),
      "\(refused)")
    try expect(state.flow("reset", "slips", "changes", "--yes").status, equals: 0)
    try expect(run().status, equals: 0)
  }

  @Test("a node that is not there is an error, and then nothing is forgotten")
  func unknown() throws {
    let outcome = try state.flow("reset", "slips", "dedupe", "chnages", "--yes")
    #expect(outcome.status == 2 && outcome.output.isEmpty)
    #expect(outcome.errors.contains("there is no state of “chnages” in “slips”; did you mean “changes”?"))
    try expect(state.read().keys(of: "dedupe").count, equals: 3)
    // Facts of the pipeline as such are no node's.
    try expect(state.flow("reset", "slips", "pipeline", "--yes").status, equals: 2)
  }

  @Test("without a terminal to ask on nothing is forgotten")
  func unasked() throws {
    for arguments in [["reset", "slips"], ["reset", "slips", "dedupe"]] {
      let outcome = try flow(["state"] + arguments, environment: ["XDG_STATE_HOME": state.place["home"]])
      #expect(outcome.status == 2 && outcome.output.isEmpty)
      #expect(
        outcome.errors.hasPrefix(
          "flow state reset: --yes is required without a terminal\n"))
    }
    try expect(state.read().keys(of: "dedupe").count, equals: 3)
  }

  @Test("on a terminal it asks, and does it on a yes alone")
  func asked() throws {
    for answer in ["n\n", "\n", "yesterday\n"] {
      let outcome = try state.typed("state reset slips", answer)
      expect(outcome.status, equals: 1)
      #expect(
        outcome.output.contains(
          "delete the state of “slips” (7 keys, 2 waiting outputs, 3 dead letters)? [y/N] "))
      #expect(outcome.output.contains("nothing was deleted"))
    }
    try expect(state.read().keys(of: "dedupe").count, equals: 3)
    let node = try state.typed("state reset slips dedupe", "y\n")
    expect(node.status, equals: 0)
    #expect(node.output.contains("delete the state of “dedupe” in “slips”? [y/N] "))
    #expect(
      node.output.contains("deleted the state of “dedupe” in “slips”: 3 keys, 1 fact, 0 waiting outputs"))
    try expect(state.typed("state reset slips", "YES\n").status, equals: 0)
    #expect(!state.files.contains("slips.db"))
  }

  @Test("what a run holds is not changed, and the run's process is named")
  func held() throws {
    let run = try state.open("slips")
    let number = ProcessInfo.processInfo.processIdentifier
    for arguments in [
      ["reset", "slips", "--yes"], ["reset", "slips", "dedupe", "--yes"], ["dead", "retry", "slips", "1"],
      ["dead", "drop", "slips", "--all"],
    ] {
      let outcome = try flow(["state"] + arguments, environment: ["XDG_STATE_HOME": state.place["home"]])
      #expect(outcome.status == 1 && outcome.output.isEmpty)
      #expect(
        outcome.errors.hasSuffix(
          ": \(state.path(of: "slips")): in use by process \(number); a pipeline's state has one user at a time\n"
        ),
        "\(outcome.errors)")
    }
    try expect(run.deadLetters().count, equals: 3)
    try expect(run.table(node: "dedupe", description: ".id").count, equals: 3)
  }

  @Test("damaged state can be forgotten, another program's database not")
  func damaged() throws {
    try state.place.write("home/flow/bad.db", "no database")
    let outcome = try state.flow("reset", "bad", "--yes")
    #expect(
      outcome.status == 0
        && outcome.output.hasPrefix("deleted the state of “bad”, which cannot be read: damaged"))
    #expect(!state.files.contains("bad.db"))
    try Database(path: state.path(of: "theirs")).execute("CREATE TABLE theirs (a)")
    let theirs = try state.flow("reset", "theirs", "--yes")
    #expect(theirs.status == 1 && theirs.errors.contains("a database of another program, not flow's state"))
    #expect(state.files.contains("theirs.db"))
  }
}
