import Foundation
import TestSupport
import Testing

/// A folder in which the `flow` command runs; gone with it.
final class Place {
  let path: String
  /// Further variables of its environment.
  var environment: [String: String] = [:]
  private var processes: [TestProcess] = []

  init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: "flow-bus-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    for process in processes where process.isRunning {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    try? FileManager.default.removeItem(atPath: path)
  }

  func write(_ name: String, _ text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
  }

  /// The text of a file; of a log, without timestamps.
  func text(_ name: String) -> String {
    withoutTimes(
      String(decoding: FileManager.default.contents(atPath: "\(path)/\(name)") ?? Data(), as: UTF8.self))
  }

  func lines(_ name: String) -> [String] { text(name).split(separator: "\n").map(String.init) }

  /// Whether the worker here, which has one pipeline, has it: its last takeover was followed by no loss.
  var hasPipeline: Bool {
    let moves = ["taken over", "released", "another machine has taken it over"]
    return lines("err").last { line in moves.contains { line.contains($0) } }?.contains(moves[0]) == true
  }

  /// Starts `flow`; what it prints goes to the files `out` and `err`.
  func start(_ arguments: String...) throws -> TestProcess { try start(arguments) }

  func start(_ arguments: [String]) throws -> TestProcess {
    let process = TestProcess()
    process.executableURL = try flowCommand(isDebug: environment["FLOW_TEST_VERSION"] != nil)
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: path)
    process.environment = [
      "HOME": "/nonexistent", "PATH": "/usr/bin:/bin", "TZ": "UTC", "XDG_STATE_HOME": "\(path)/state",
    ]
    process.environment?.merge(environment) { _, other in other }
    process.environment?["ASAN_OPTIONS"] = ProcessInfo.processInfo.environment["ASAN_OPTIONS"]
    try write("out", "")
    try write("err", "")
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: "\(path)/out"))
    process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: "\(path)/err"))
    try process.run()
    processes.append(process)
    return process
  }

  /// Runs `flow` to its end; its status.
  @discardableResult
  func flow(_ arguments: String...) throws -> Int32 {
    let process = try start(arguments)
    process.waitUntilExit()
    return process.terminationStatus
  }
}

extension TestProcess {
  func kill() {
    Foundation.kill(processIdentifier, SIGKILL)
    waitUntilExit()
  }
}
