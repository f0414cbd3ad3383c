import Expectations
import Testing

@testable import flow

@Suite struct StateCommandTests {
  @Test("its help and that of its parts fit 80 columns, and each has an example")
  func help() throws {
    func all(_ manual: Manual) -> [Manual] { [manual] + manual.parts.flatMap(all) }
    let manuals = all(try #require(StateCommand.command.manual))
    expect(
      manuals.map(\.name),
      equals: [
        "state", "state ls", "state show", "state rename", "state reset", "state dead", "state dead ls",
        "state dead retry",
        "state dead drop",
      ])
    for manual in manuals {
      #expect(!manual.examples.isEmpty, "\(manual.name)")
      let words = manual.name.split(separator: " ").map(String.init)
      let outcome = try flow(words + ["--help"])
      expect(outcome, equals: Outcome(status: 0, output: manual.help, errors: ""))
      for line in manual.help.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    }
    let help = try flow(["help", "state"]).output
    #expect(help.hasPrefix("flow state COMMAND    show or reset the state of pipelines\n"))
    #expect(help.contains("\n  state show PIPELINE NODE       print the state of a node\n"))
    #expect(help.contains("  flow state show new-launches changes\n") && help.contains("\n  -y, --yes "))
  }

  @Test("what it is to do must be said, and be something that it does")
  func parts() throws {
    let nothing = try flow(["state"])
    #expect(nothing.status == 2 && nothing.output.isEmpty)
    #expect(
      nothing.errors.hasPrefix(
        "flow state: a subcommand is missing: “ls”, “show”, “rename”, “reset” or “dead”\nSee flow help state."
      ))
    let unknown = try flow(["state", "dead", "rety"])
    expect(unknown.status, equals: 2)
    #expect(
      unknown.errors.hasPrefix(
        "flow state dead: unknown command “flow state dead rety”; did you mean “retry”?\n")
    )
    #expect(try flow(["state", "show", "p"]).errors.hasPrefix("flow state show: NODE is missing\n"))
    #expect(try flow(["state", "reset"]).errors.hasPrefix("flow state reset: PIPELINE is missing\n"))
    #expect(try flow(["state", "ls", "--yes"]).errors.hasPrefix("flow state ls: unknown option “--yes”"))
  }
}
