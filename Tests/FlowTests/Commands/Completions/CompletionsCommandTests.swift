import Expectations
import Foundation
import TestSupport
import Testing

@testable import flow

@Suite struct CompletionsCommandTests {
  /// What flow names for the last of the words.
  func completed(_ words: String...) -> [String] {
    Completion(words).lines.map { $0.hasPrefix("\t") ? $0 : String($0.prefix { $0 != "\t" }) }
  }

  /// What bash would offer for the last of the words, where the command answers with these lines.
  func offered(_ words: String..., answer: [String], in folder: String = "/") throws -> [String] {
    let script = try flow(["completions", "bash"]).output
    let line = words.map { "'\($0)'" }.joined(separator: " ")
    let program = """
      cd '\(folder)' || exit
      flow() { [ "$1" = __complete ] && printf '%s\\n' \(answer.map { "$'\($0)'" }.joined(separator: " ")); }
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

  @Test("commands, options, choices and kinds")
  func words() {
    expect(completed("che"), equals: ["check"])
    expect(Set(completed("")), equals: Set(Command.all.map(\.name)))
    expect(completed(), equals: completed(""))
    expect(completed("graph", "--fo"), equals: ["--format"])
    expect(completed("graph", "--format", ""), equals: ["text", "mermaid", "dot", "svg"])
    expect(completed("graph", "--format", "=", "s"), equals: ["svg"])
    expect(completed("graph", "--format", "="), equals: ["text", "mermaid", "dot", "svg"])
    expect(completed("graph", "--format=s"), equals: ["--format=svg"])
    expect(completed("docs", "filt"), equals: ["filter"])
    expect(completed("help", "grap"), equals: ["graph"])
    expect(completed("completions", "f"), equals: ["fish"])
    expect(completed("eval", "--raw-i"), equals: ["--raw-input"])
    expect(completed("eval", "--arg", ""), equals: [])
    expect(completed("run", "--wait-"), equals: ["--wait-budget"])
    expect(completed("none", ""), equals: [])
    #expect(Completion(["graph", "--fo"]).lines.allSatisfy { $0.split(separator: "\t").count == 2 })
  }

  @Test("what a command of several can do, and then the options of that")
  func parts() {
    expect(completed("state", ""), equals: ["ls", "show", "rename", "reset", "dead"])
    expect(completed("state", "dead", "re"), equals: ["retry"])
    expect(completed("state", "reset", "slips", "--y"), equals: ["--yes"])
    expect(completed("state", "dead", "retry", "-"), equals: ["--all", "--state", "--help"])
    expect(completed("state", "none", "-"), equals: [])
  }

  @Test("each word of a list, files, and nothing where only the user knows")
  func listsAndFiles() {
    expect(completed("new", "--steps", "filt"), equals: ["\tlist", "filter"])
    expect(completed("new", "--steps", "map,filt"), equals: ["\tlist", "map,filter"])
    expect(completed("run", "a").first, equals: "\tfiles")
    expect(completed("run", "--config", "a"), equals: ["\tfiles"])
    expect(completed("run", "--set", "a"), equals: [])
  }

  @Test("bash offers the words that flow names, files where it says so, and no name as code")
  func bash() throws {
    try expect(offered("flow", "grap", answer: ["graph\\tshow"]), equals: ["graph"])
    try expect(
      offered("flow", "tap", "$", answer: [#"$(touch unsafe)\t"#]), equals: [#"\$\(touch\ unsafe\)"#])
    try withFile("", named: "a b.yaml") { path throws in
      let folder = String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.endIndex))
      try expect(
        offered("flow", "run", "a", answer: ["\\tfiles", "apod\\t"], in: folder),
        equals: ["a b.yaml", "apod"])
    }
  }

  @Test(
    "the other shells' scripts can be read by them, where they are installed", arguments: ["zsh", "fish"])
  func syntax(shell: String) throws {
    let outcome = try flow(["completions", shell])
    expect(outcome.status, equals: 0)
    let path = "/usr/bin/\(shell)"
    guard FileManager.default.isExecutableFile(atPath: path) else { return }
    try withFile(outcome.output) { file in _ = try output(of: path, "\(shell) -n '\(file)'") }
  }

  @Test(
    "fish offers the words that flow names, with their summaries, where it is installed",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/fish")))
  func fish() throws {
    try withFile(try flow(["completions", "fish"]).output) { file in
      let program = """
        function flow; test $argv[1] = __complete; and printf 'graph\\tshow it\\n%s\\n' (count $argv); end
        source '\(file)'; complete -C 'flow state gra'
        """
      try withFile(program) { script in
        let offers = try output(of: "/bin/sh", "fish --no-config '\(script)'").split(separator: "\n")
        expect(offers.map(String.init), equals: ["graph\tshow it"])
      }
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
