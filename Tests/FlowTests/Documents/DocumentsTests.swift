import Foundation
import Language
import TestSupport
import Testing

@testable import flow

/// Every code block of README, docs and the topics of `flow docs` works as printed.
///
/// Pipelines pass `flow check` and their own tests, commands succeed, and transcripts show what is printed.
/// ``CodeBlock`` explains the info strings.
@Suite("code blocks in documents", .timeLimit(.minutes(30))) struct DocumentsTests {
  static let root = ShippedPipelinesTests.root
  static let documents =
    ["README.md"]
    + ((try? FileManager.default.contentsOfDirectory(atPath: "\(root)/docs")) ?? [])
    .filter { $0.hasSuffix(".md") }.sorted().map { "docs/\($0)" }

  @Test("README and docs", arguments: documents)
  func blocks(of name: String) throws {
    try run(try String(contentsOfFile: "\(Self.root)/\(name)", encoding: .utf8), of: name)
  }

  @Test("the topics of flow docs", arguments: Topic.all.map(\.name))
  func topics(_ name: String) throws {
    try run(flow(["docs", name, "--format", "markdown"]).output, of: "flow docs \(name)")
  }

  @Test("a transcript matches with … for any text, and fails otherwise")
  func transcripts() {
    #expect(DocumentScript.matches(["a 12 b", "x", "y", "end"], ["a … b", "…", "end"]))
    #expect(DocumentScript.matches(["end"], ["…", "end"]))
    #expect(!DocumentScript.matches(["a 12 c"], ["a … b"]))
    #expect(!DocumentScript.matches(["a", "b"], ["a"]))
    #expect(!DocumentScript.matches(["a"], ["a", "b"]))
  }

  @Test("the commands of a transcript run in one shell, as a reader has them, and may fail")
  func shell() throws {
    try run(
      "```console\n$ mkdir there && cd there\n$ false\n$ basename \"$PWD\"\nthere\n```\n", of: "a document")
    try run("```console\n$ basename \"$PWD\" | grep there\n```\n", of: "a document")
  }

  @Test("a block that would not be tested is an error")
  func untested() {
    #expect(throws: CodeBlock.Untestable.self) { try CodeBlock.all(in: "Text\n\n    flow run x.yaml\n") }
    #expect(throws: CodeBlock.Untestable.self) { try CodeBlock.all(in: "```sh\nflow run x.yaml\n") }
    #expect(throws: CodeBlock.Untestable.self) { try DocumentScript(CodeBlock.all(in: "```cobol\nX\n```\n")) }
  }

  /// Runs a document's blocks in a folder that holds what the root of a clone does.
  private func run(_ text: String, of name: String) throws {
    let blocks = try CodeBlock.all(in: text)
    let script = try DocumentScript(blocks)
    let place = try Workplace()
    for entry in ["pipelines", "config.yaml"] {
      try FileManager.default.copyItem(atPath: "\(Self.root)/\(entry)", toPath: place[entry])
    }
    try FileManager.default.createDirectory(atPath: place["results/bin"], withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: place["results/bin/flow"], withDestinationPath: try flowCommand().path)
    // As make install leaves them.
    try FileManager.default.createDirectory(
      atPath: place["results/share/flow"], withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: place["results/share/flow/pipelines"], withDestinationPath: "\(Self.root)/pipelines")
    let free = try freePorts(DocumentScript.ports.count)
    let ports = zip(DocumentScript.ports, free).map { (shown: "\($0)", free: "\($1)") }
    let code = ports.reduce(script.text) { $0.replacingOccurrences(of: $1.shown, with: $1.free) }
    try place.write("results/stdin", "")
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let outcome = try Running(
      ["-c", code], of: "/bin/bash", in: place, input: .file(place["results/stdin"]),
      [
        "HOME": place.path, "TZ": "UTC", "PATH": "\(place["results/bin"]):\(path)",
        "XDG_STATE_HOME": place["results/state"], "XDG_DATA_DIRS": place["results/share"],
      ]
    ).end()
    if outcome.status != 0 {
      let line = place.lines("results/at").last ?? "?"
      Issue.record(
        "\(name):\(line): this block fails:\n\(place.text("results/\(line)"))\(outcome.errors)")
    }
    for command in script.commands where place.has(command.result) {
      // A reader has a terminal, where messages have no times.
      let printed = ports.reduce(withoutTimes(place.text(command.result))) {
        $0.replacingOccurrences(of: $1.free, with: $1.shown)
      }
      let lines = printed.split(separator: "\n", omittingEmptySubsequences: false).map(String.init).dropLast()
      if DocumentScript.matches(ArraySlice(lines), ArraySlice(command.shown)) { continue }
      Issue.record("\(name):\(command.line): “\(command.text)” prints\n\(printed)")
    }
  }
}
