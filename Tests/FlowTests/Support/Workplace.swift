import TestSupport
import Foundation

/// A folder for one test, in which the `flow` command is run; gone with it.
final class Workplace {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: "flow-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  /// A folder with the pipeline `p.yaml`, and lines of JSON to be read from `in.jsonl`.
  convenience init(_ pipeline: String, input: String? = nil) throws {
    try self.init()
    try write("p.yaml", pipeline)
    if let input { try write("in.jsonl", input) }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  subscript(_ name: String) -> String { "\(path)/\(name)" }

  func write(_ name: String, _ text: String) throws { try write(name, Data(text.utf8)) }

  func write(_ name: String, _ bytes: Data) throws { try bytes.write(to: URL(fileURLWithPath: self[name])) }

  func append(_ name: String, _ text: String) throws { try append(name, Data(text.utf8)) }

  func append(_ name: String, _ bytes: Data) throws {
    if !has(name) { try write(name, Data()) }
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: self[name]))
    defer { try? file.close() }
    try file.seekToEnd()
    try file.write(contentsOf: bytes)
  }

  /// Makes a recording of the source `in`, of these lines.
  func record(_ polls: String...) throws {
    try FileManager.default.createDirectory(atPath: self["rec"], withIntermediateDirectories: true)
    try write("rec/in.jsonl", polls.map { $0 + "\n" }.joined())
  }

  func move(_ name: String, to other: String) throws {
    try FileManager.default.moveItem(atPath: self[name], toPath: self[other])
  }

  func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: self[name]) }

  func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: self[name]) }

  /// The text of a file; empty where there is none.
  func text(_ name: String) -> String {
    String(decoding: FileManager.default.contents(atPath: self[name]) ?? Data(), as: UTF8.self)
  }

  func lines(_ name: String) -> [String] {
    text(name).split(separator: "\n", omittingEmptySubsequences: false).map(String.init).dropLast()
  }

  /// Runs the command here, to its end.
  func flow(_ arguments: String..., input: String = "", environment: [String: String] = [:]) throws -> Outcome
  {
    try flow(arguments, input: input, environment: environment)
  }

  func flow(_ arguments: [String], input: String = "", environment: [String: String] = [:]) throws -> Outcome
  {
    try write("stdin", input)
    return try Running(arguments, in: self, input: .file(self["stdin"]), environment).end()
  }

  /// Runs `flow run p.yaml` with options, to its end.
  func run(_ options: String..., input: String = "") throws -> Outcome {
    try write("stdin", input)
    return try Running(["run"] + options + ["p.yaml"], in: self, input: .file(self["stdin"])).end()
  }

  /// Starts `flow run p.yaml` with options; what is not said on its standard input is waited for.
  func start(_ options: String...) throws -> Running {
    try Running(["run"] + options + ["p.yaml"], in: self, input: .open)
  }

  /// The same, started by another command.
  func start(with prefix: String) throws -> Running {
    let words = prefix.split(separator: " ").map(String.init)
    return try Running(
      Array(words.dropFirst()) + [try flowCommand().path, "run", "p.yaml"], of: "/usr/bin/\(words[0])",
      in: self,
      input: .open)
  }

  /// Runs a shell's script here, to its end, `$0` being the command.
  func shell(_ script: String, environment: [String: String] = [:]) throws -> Outcome {
    try write("stdin", "")
    return try Running(
      ["-c", script, try flowCommand().path], of: "/bin/sh", in: self, input: .file(self["stdin"]),
      environment
    ).end()
  }
}
