import Foundation
import TestSupport
import Testing

@testable import flow

@Suite struct CompletionsCommandTests {
  /// What bash would offer for the last of the words.
  func completed(_ words: String..., in folder: String = "/") throws -> [String] {
    let script = try flow(["completions", "bash"]).output
    let line = words.map { "'\($0)'" }.joined(separator: " ")
    let program = """
      cd '\(folder)' || exit
      \(script)
      COMP_WORDS=(\(line)); COMP_CWORD=\(words.count - 1); _flow; printf '%s\\n' "${COMPREPLY[@]}"
      """
    return try output(of: "/bin/bash", program).split(separator: "\n").map(String.init)
  }

  func output(of shell: String, _ program: String) throws -> String {
    let process = TestProcess()
    process.executableURL = URL(fileURLWithPath: shell)
    process.arguments = ["-c", program]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("bash completes commands, options, choices and kinds")
  func words() throws {
    #expect(try completed("flow", "che") == ["check"])
    #expect(try Set(completed("flow", "")) == Set(Command.all.map(\.name)))
    #expect(try completed("flow", "graph", "--fo") == ["--format"])
    #expect(try completed("flow", "graph", "--format", "") == ["text", "mermaid", "dot", "svg"])
    #expect(try completed("flow", "graph", "--format", "=", "s") == ["svg"])
    #expect(try completed("flow", "docs", "filt") == ["filter"])
    #expect(try completed("flow", "help", "grap") == ["graph"])
    #expect(try completed("flow", "completions", "f") == ["fish"])
    #expect(try completed("flow", "eval", "--raw-i") == ["--raw-input"])
    #expect(try completed("flow", "eval", "--arg", "") == [])
  }

  @Test("bash completes what a command of several can do, and then the options of that")
  func parts() throws {
    #expect(try completed("flow", "state", "") == ["ls", "show", "rename", "reset", "dead"])
    #expect(try completed("flow", "state", "dead", "re") == ["retry"])
    #expect(try completed("flow", "state", "reset", "slips", "--y") == ["--yes"])
    #expect(try completed("flow", "state", "dead", "retry", "-") == ["--all", "--state", "--help"])
    #expect(try completed("flow", "state", "none", "-") == [])
    try withFile("", named: "slips.yaml") { path throws in
      let folder = String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.endIndex))
      #expect(try completed("flow", "state", "show", "s", in: folder) == ["slips.yaml"])
      #expect(try completed("flow", "state", "dead", "ls", "--state", "s", in: folder) == ["slips.yaml"])
    }
  }

  @Test("bash offers the names of pipelines where a command takes them, besides files")
  func names() throws {
    let script = try flow(["completions", "bash"]).output
    func offered(_ words: String...) throws -> [String] {
      let line = words.map { "'\($0)'" }.joined(separator: " ")
      let program = """
        cd /; flow() { case $2 in installed) printf '%s\\n' upcoming price ;; running) printf '%s\\n' upside '$(touch unsafe)' ;; esac; }
        \(script)
        COMP_WORDS=(\(line)); COMP_CWORD=\(words.count - 1); _flow; printf '%s\\n' "${COMPREPLY[@]}"
        """
      return try output(of: "/bin/bash", program).split(separator: "\n").map(String.init)
    }
    #expect(try offered("flow", "run", "up") == ["upcoming"])
    #expect(try offered("flow", "status", "up") == ["upside"])
    #expect(try offered("flow", "tap", "up") == ["upside"])
    // A name is no code.
    #expect(try offered("flow", "tap", "$") == [#"\$\(touch\ unsafe\)"#])
    #expect(try offered("flow", "state", "dead", "ls", "up") == ["upside"])
    #expect(try offered("flow", "new", "--from", "p") == ["price"])
    #expect(try flow(["completions", "zsh"]).output.contains("_flow_names installed"))
    #expect(
      try flow(["completions", "fish"]).output.contains(
        "seen_subcommand_from status' -a '(flow completions running 2> /dev/null)'"))
  }

  @Test("the other shells are told of each part of a command by what comes before it")
  func otherParts() throws {
    let fish = try flow(["completions", "fish"]).output
    let dead = "__fish_seen_subcommand_from state; and __fish_seen_subcommand_from dead"
    #expect(
      fish.contains(
        "complete -c flow -n '\(dead); and not __fish_seen_subcommand_from ls retry drop' -a retry -d "))
    #expect(fish.contains("complete -c flow -n '\(dead); and __fish_seen_subcommand_from retry' -l all -d "))
    let zsh = try flow(["completions", "zsh"]).output.split(separator: "\n").map(String.init)
    let nested = ["    state)", "        ls)", "        dead)", "            retry)", "    new)"]
    #expect(zsh.filter(nested.contains) == nested)
  }

  @Test("bash completes each word of a list")
  func lists() throws {
    #expect(try completed("flow", "new", "--steps", "filt") == ["filter"])
    #expect(try completed("flow", "new", "--steps", "map,filt") == ["map,filter"])
  }

  @Test("bash completes files, and nothing where only the user knows")
  func files() throws {
    try withFile("", named: "a b.yaml") { path throws in
      let folder = String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.endIndex))
      #expect(try completed("flow", "run", "a", in: folder) == ["a b.yaml"])
      #expect(try completed("flow", "run", "--config", "a", in: folder) == ["a b.yaml"])
      #expect(try completed("flow", "run", "--set", "a", in: folder) == [])
    }
  }

  @Test(
    "the other shells' scripts can be read by them, where they are installed", arguments: ["zsh", "fish"])
  func syntax(shell: String) throws {
    let outcome = try flow(["completions", shell])
    #expect(outcome.status == 0)
    for command in Command.all { #expect(outcome.output.contains(command.name), "\(command.name)") }
    let path = "/usr/bin/\(shell)"
    guard FileManager.default.isExecutableFile(atPath: path) else { return }
    try withFile(outcome.output) { file in _ = try output(of: path, "\(shell) -n '\(file)'") }
  }

  @Test(
    "fish offers commands, options, choices and the words of a list, where it is installed",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/fish")),
    arguments: [
      ("flow grap", ["graph"]), ("flow graph --fo", ["--format"]), ("flow docs filt", ["filter"]),
      ("flow graph --format ", ["dot", "mermaid", "svg", "text"]), ("flow state dead re", ["retry"]),
      ("flow state ", ["dead", "ls", "reset", "show"]), ("flow new --steps map,filt", ["map,filter"]),
      ("flow run --wait-", ["--wait-budget"]), ("flow completions f", ["fish"]),
    ])
  func fish(line: String, expected: [String]) throws {
    try withFile(try flow(["completions", "fish"]).output) { file in
      let program = "fish --no-config -c \"source '\(file)'; complete -C '\(line)'\""
      let offers = try output(of: "/bin/sh", program).split(separator: "\n")
      #expect(offers.compactMap { $0.split(separator: "\t").first.map(String.init) } == expected)
    }
  }

  @Test("an unknown shell is a mistake")
  func unknown() throws {
    let outcome = try flow(["completions", "bsh"])
    #expect(outcome.status == 2)
    #expect(
      outcome.errors.hasPrefix("flow completions: there are no completions for “bsh”; did you mean “bash”?\n")
    )
  }
}
