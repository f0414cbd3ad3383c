import Expectations
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
    expect(process.terminationStatus, equals: 0)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("bash completes commands, options, choices and kinds")
  func words() throws {
    try expect(completed("flow", "che"), equals: ["check"])
    try expect(Set(completed("flow", "")), equals: Set(Command.all.map(\.name)))
    try expect(completed("flow", "graph", "--fo"), equals: ["--format"])
    try expect(completed("flow", "graph", "--format", ""), equals: ["text", "mermaid", "dot", "svg"])
    try expect(completed("flow", "graph", "--format", "=", "s"), equals: ["svg"])
    try expect(completed("flow", "docs", "filt"), equals: ["filter"])
    try expect(completed("flow", "help", "grap"), equals: ["graph"])
    try expect(completed("flow", "completions", "f"), equals: ["fish"])
    try expect(completed("flow", "eval", "--raw-i"), equals: ["--raw-input"])
    try expect(completed("flow", "eval", "--arg", ""), equals: [])
  }

  @Test("bash completes what a command of several can do, and then the options of that")
  func parts() throws {
    try expect(completed("flow", "state", ""), equals: ["ls", "show", "rename", "reset", "dead"])
    try expect(completed("flow", "state", "dead", "re"), equals: ["retry"])
    try expect(completed("flow", "state", "reset", "slips", "--y"), equals: ["--yes"])
    try expect(completed("flow", "state", "dead", "retry", "-"), equals: ["--all", "--state", "--help"])
    try expect(completed("flow", "state", "none", "-"), equals: [])
    try withFile("", named: "slips.yaml") { path throws in
      let folder = String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.endIndex))
      try expect(completed("flow", "state", "show", "s", in: folder), equals: ["slips.yaml"])
      try expect(completed("flow", "state", "dead", "ls", "--state", "s", in: folder), equals: ["slips.yaml"])
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
    try expect(offered("flow", "run", "up"), equals: ["upcoming"])
    try expect(offered("flow", "status", "up"), equals: ["upside"])
    try expect(offered("flow", "tap", "up"), equals: ["upside"])
    // A name is no code.
    try expect(offered("flow", "tap", "$"), equals: [#"\$\(touch\ unsafe\)"#])
    try expect(offered("flow", "state", "dead", "ls", "up"), equals: ["upside"])
    try expect(offered("flow", "new", "--from", "p"), equals: ["price"])
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
    expect(zsh.filter(nested.contains), equals: nested)
  }

  @Test("bash completes each word of a list")
  func lists() throws {
    try expect(completed("flow", "new", "--steps", "filt"), equals: ["filter"])
    try expect(completed("flow", "new", "--steps", "map,filt"), equals: ["map,filter"])
  }

  @Test("bash completes files, and nothing where only the user knows")
  func files() throws {
    try withFile("", named: "a b.yaml") { path throws in
      let folder = String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.endIndex))
      try expect(completed("flow", "run", "a", in: folder), equals: ["a b.yaml"])
      try expect(completed("flow", "run", "--config", "a", in: folder), equals: ["a b.yaml"])
      try expect(completed("flow", "run", "--set", "a", in: folder), equals: [])
    }
  }

  @Test(
    "the other shells' scripts can be read by them, where they are installed", arguments: ["zsh", "fish"])
  func syntax(shell: String) throws {
    let outcome = try flow(["completions", shell])
    expect(outcome.status, equals: 0)
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
      expect(offers.compactMap { $0.split(separator: "\t").first.map(String.init) }, equals: expected)
    }
  }

  @Test("an unknown shell is a mistake")
  func unknown() throws {
    let outcome = try flow(["completions", "bsh"])
    expect(outcome.status, equals: 2)
    #expect(
      outcome.errors.hasPrefix("flow completions: there are no completions for “bsh”; did you mean “bash”?\n")
    )
  }
}
