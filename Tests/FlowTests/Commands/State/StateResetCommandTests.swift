import Foundation
import Store
import Testing

@testable import flow

@Suite struct StateResetCommandTests {
  let state: KeptState
  init() throws { state = try KeptState() }

  @Test("everything is forgotten but for the lock, and no other pipeline")
  func all() throws {
    let outcome = try state.flow("reset", "slips", "--yes")
    #expect(
      outcome
        == Outcome(
          status: 0, output: "deleted the state of “slips”: 7 keys, 2 waiting outputs, 3 dead letters\n",
          errors: "")
    )
    #expect(state.files == ["quiet.db", "quiet.db.lock", "slips.db.lock"])
    #expect(try state.flow("reset", "slips", "--yes").status == 2)
    #expect(try state.read("quiet").epoch() == 1)
  }

  @Test("some nodes are forgotten, and the others stay")
  func nodes() throws {
    let outcome = try state.flow("reset", "slips", "changes", "tell", "changes", "-y")
    #expect(
      outcome
        == Outcome(
          status: 0,
          output: """
            deleted the state of “changes” in “slips”: 3 keys, 0 facts, 0 waiting outputs
            deleted the state of “tell” in “slips”: 0 keys, 0 facts, 2 waiting outputs

            """, errors: ""))
    let reader = try state.read()
    #expect(try Set(reader.tables().map(\.node)) == ["dedupe", "odd"])
    #expect(try reader.keys(of: "dedupe").count == 3)
    #expect(try reader.facts().map(\.owner) == ["dedupe", "log", "pipeline", "upcoming"])
    #expect(try reader.sinks().map(\.name) == ["log", "tell"] && reader.deadLetters().count == 3)
    #expect(try reader.outbox(sink: "tell").isEmpty)
    #expect(try state.flow("reset", "slips", "upcoming", "log", "--yes").status == 0)
    #expect(try state.read().facts().map(\.owner) == ["dedupe", "pipeline"])
  }

  @Test("a node that is not there is an error, and then nothing is forgotten")
  func unknown() throws {
    let outcome = try state.flow("reset", "slips", "dedupe", "chnages", "--yes")
    #expect(outcome.status == 2 && outcome.output.isEmpty)
    #expect(outcome.errors.contains("there is no state of “chnages” in “slips”; did you mean “changes”?"))
    #expect(try state.read().keys(of: "dedupe").count == 3)
    // Facts of the pipeline as such are no node's.
    #expect(try state.flow("reset", "slips", "pipeline", "--yes").status == 2)
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
    #expect(try state.read().keys(of: "dedupe").count == 3)
  }

  @Test("on a terminal it asks, and does it on a yes alone")
  func asked() throws {
    for answer in ["n\n", "\n", "yesterday\n"] {
      let outcome = try state.typed("state reset slips", answer)
      #expect(outcome.status == 1)
      #expect(
        outcome.output.contains(
          "delete the state of “slips” (7 keys, 2 waiting outputs, 3 dead letters)? [y/N] "))
      #expect(outcome.output.contains("nothing was deleted"))
    }
    #expect(try state.read().keys(of: "dedupe").count == 3)
    let node = try state.typed("state reset slips dedupe", "y\n")
    #expect(node.status == 0)
    #expect(node.output.contains("delete the state of “dedupe” in “slips”? [y/N] "))
    #expect(
      node.output.contains("deleted the state of “dedupe” in “slips”: 3 keys, 1 fact, 0 waiting outputs"))
    #expect(try state.typed("state reset slips", "YES\n").status == 0)
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
    #expect(try run.deadLetters().count == 3)
    #expect(try run.table(node: "dedupe", description: ".id").count == 3)
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
