import Foundation
import TestSupport

/// What a run of the `flow` command gave.
struct Outcome: Equatable {
  var status: Int32
  var output: String
  var errors: String
}

/// Runs the `flow` command that was built beside the tests.
func flow(_ arguments: [String], input: String = "", environment: [String: String] = [:]) throws -> Outcome {
  try flow(arguments, input: Data(input.utf8), environment: environment)
}

func flow(_ arguments: [String], input: Data, environment: [String: String] = [:]) throws -> Outcome {
  let process = TestProcess()
  process.executableURL = try flowCommand()
  process.arguments = arguments
  var surroundings = ["HOME": "/nonexistent", "PATH": "/usr/bin:/bin"]
  // What sanitizers are told counts for the command too.
  surroundings["ASAN_OPTIONS"] = ProcessInfo.processInfo.environment["ASAN_OPTIONS"]
  process.environment = surroundings.merging(environment) { $1 }
  let files = try Streams(input)
  defer { files.remove() }
  process.standardInput = try FileHandle(forReadingFrom: files.input)
  process.standardOutput = try FileHandle(forWritingTo: files.output)
  process.standardError = try FileHandle(forWritingTo: files.errors)
  try process.run()
  process.waitUntilExit()
  let status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  return Outcome(
    status: status, output: String(decoding: try Data(contentsOf: files.output), as: UTF8.self),
    errors: withoutTimes(String(decoding: try Data(contentsOf: files.errors), as: UTF8.self)))
}

/// Files for the standard streams: unlike pipes they never block.
private struct Streams {
  let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  var input: URL { folder.appending(path: "in") }
  var output: URL { folder.appending(path: "out") }
  var errors: URL { folder.appending(path: "err") }

  init(_ bytes: Data) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try bytes.write(to: input)
    try Data().write(to: output)
    try Data().write(to: errors)
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }
}

/// A file that exists while a test runs.
func withFile<R>(_ text: String, named name: String = "file.json", _ body: (String) throws -> R) throws -> R {
  let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  let file = folder.appending(path: name)
  try Data(text.utf8).write(to: file)
  return try body(file.path)
}
