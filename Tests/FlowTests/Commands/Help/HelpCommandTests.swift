import Expectations
import Testing

@testable import flow

@Suite struct HelpCommandTests {
  @Test("the list of commands fits a screen of 80 columns and 24 lines, and names every command")
  func screen() throws {
    let outcome = try flow(["help"])
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
    let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    // One line is for the prompt.
    #expect(lines.count < 24)
    for line in lines { #expect(line.count <= 80, "\(line)") }
    for command in Command.all {
      // Some share the last three lines.
      let shared = lines.suffix(3).flatMap { $0.dropFirst(7).split(separator: ", ").map(String.init) }
      #expect(
        lines.contains { $0.dropFirst(7).hasPrefix("\(command.usage) ") } || shared.contains(command.usage))
    }
    let titles = lines.dropFirst().map { $0.prefix { $0 != " " } }.filter { !$0.isEmpty }
    expect(titles, equals: ["write", "run", "watch", "data", "learn", "past", "also"])
    try expect(flow(["--help"]), equals: outcome)
    try expect(flow([]), equals: Outcome(status: 2, output: "", errors: outcome.output))
  }

  @Test("the help of a command is what the command itself says")
  func commands() throws {
    for command in Command.all {
      let outcome = try flow(["help", command.name])
      #expect(outcome.status == 0 && outcome.output.hasPrefix("flow \(command.name)"))
      try expect(flow([command.name, "--help"]), equals: outcome)
    }
  }

  @Test("every command that has a manual has an example, and none is too wide")
  func examples() {
    for manual in Command.all.compactMap(\.manual) {
      #expect(!manual.examples.isEmpty, "\(manual.name)")
      #expect(manual.examples.allSatisfy { $0.command.contains("flow ") })
      let examples = manual.examples.flatMap { ["  \($0.command)", "  # \($0.what)"] }
      for line in manual.help.split(separator: "\n") where !examples.contains(String(line)) {
        #expect(line.count <= 80, "\(line)")
      }
    }
  }

  @Test("a command that is none is a mistake, with the one that was meant")
  func unknown() throws {
    let outcome = try flow(["help", "chekc"])
    #expect(outcome.status == 2 && outcome.output.isEmpty)
    #expect(outcome.errors.hasPrefix("flow: unknown command “chekc”; did you mean “check”?\n"))
    try expect(flow(["chekc"]), equals: outcome)
  }

  @Test("an unknown option of a command points to its help, which also shows subcommands")
  func options() throws {
    try expect(
      flow(["run", "--nope"]).errors, equals: "flow run: unknown option “--nope”\nSee flow help run.\n")
    #expect(try flow(["run", "--onec"]).errors.contains("unknown option “--onec”; did you mean “--once”?\n"))
    try expect(flow(["help", "state", "show"]), equals: flow(["state", "show", "--help"]))
  }
}
