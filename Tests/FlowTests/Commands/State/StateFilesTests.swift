import Expectations
import Foundation
import Testing

@testable import flow

@Suite struct StateFilesTests {
  let state: KeptState
  init() throws { state = try KeptState() }

  @Test("a pipeline is meant by its name, its file, or a file that gives it its name")
  func names() throws {
    let expected = try state.flow("show", "slips", "changes@upcoming")
    expect(expected.status, equals: 0)
    try state.place.write("a.yaml", "name: slips\nsources: {}\n")
    try state.place.write("slips.yaml", "name: other\n")
    for name in ["gone/slips.yaml", "slips.yaml", "./a.yaml", "a.yaml", state.place["a.yaml"]] {
      try expect(state.flow("show", name, "changes@upcoming"), equals: expected, "\(name)")
    }
  }

  @Test("another folder is one that is named")
  func folder() throws {
    let folder = state.place["home/flow"]
    let outcome = try flow(["state", "ls", "--json", "--state", folder])
    #expect(outcome.status == 0 && outcome.output.split(separator: "\n").count == 2)
    let missing = try flow(["state", "ls", "--state", folder + "/none"])
    expect(
      missing,
      equals: Outcome(
        status: 1, output: "",
        errors: "flow state ls: \(folder)/none: cannot read the folder: No such file or directory\n"))
    let homeless = try flow(["state", "ls"], environment: ["HOME": ""])
    #expect(homeless.status == 2 && homeless.errors.contains("; use --state FOLDER\n"))
  }

  @Test("a pipeline that has no state is an error that says which have, whatever is asked")
  func unknown() throws {
    for command in [["ls"], ["reset", "--yes"], ["dead", "ls"], ["dead", "retry", "--all"]] {
      let outcome = try Running(
        ["state"] + command + ["slisp"], in: state.place, input: .open,
        ["XDG_STATE_HOME": state.place["home"]]
      ).end()
      #expect(outcome.status == 2 && outcome.output.isEmpty)
      #expect(
        outcome.errors.hasSuffix(
          ": there is no state of “slisp” in \(state.place["home/flow"]); "
            + "did you mean “slips”? (there is “quiet” and “slips”)\n"), "\(outcome.errors)")
    }
    expect(state.files, equals: ["quiet.db", "quiet.db.lock", "slips.db", "slips.db.lock"])
    let none = try flow(["state", "show", "a", "b"], environment: ["XDG_STATE_HOME": "/nonexistent"])
    #expect(none.errors.hasSuffix("there is no state of “a” in /nonexistent/flow; the folder is empty\n"))
    expect(none.status, equals: 2)
  }

  @Test(
    "a name that would lead elsewhere is refused",
    arguments: ["../flow/slips", "a/b", "/etc/passwd", "", ".hidden", "x.yaml"])
  func elsewhere(name: String) throws {
    try state.place.write("x.yaml", "name: ../flow/slips\n")
    try FileManager.default.createDirectory(
      atPath: state.place["pipelines"], withIntermediateDirectories: true)
    for command in ["ls", "reset"] {
      let outcome = try state.flow(command, name)
      #expect(outcome.status == 2 && outcome.output.isEmpty, "\(outcome)")
    }
    expect(state.files, equals: ["quiet.db", "quiet.db.lock", "slips.db", "slips.db.lock"])
  }

  @Test("a path without a file is distinguished from a name")
  func paths() throws {
    try expect(
      state.flow("ls", "a/b").errors, equals: "flow state ls: “a/b” is neither a pipeline file nor a name\n")
    try expect(
      state.flow("ls", ".a").errors,
      equals: "flow state ls: “.a” cannot be the name of a pipeline with state\n")
  }
}
