import Foundation
import TestSupport

/// The `flow` command from its start to its end, which is mostly a violent one.
final class Life {
  enum End: Equatable {
    case killed
    case exited(Int32)
  }

  private let process = TestProcess()
  private let input = Pipe()

  /// Runs `flow run p.yaml` in a place; what it complains about is added to the file `errors` there.
  init(_ place: Place, _ options: [String], _ environment: [String: String] = [:]) throws {
    process.executableURL = try flowCommand()
    process.arguments = ["run"] + options + ["p.yaml"]
    process.currentDirectoryURL = URL(fileURLWithPath: place.path)
    var surroundings = [
      "HOME": "/nonexistent", "PATH": "/usr/bin:/bin", "TZ": "UTC", "XDG_STATE_HOME": place["state"],
    ]
    // What sanitizers are told counts for the command too.
    surroundings["ASAN_OPTIONS"] = ProcessInfo.processInfo.environment["ASAN_OPTIONS"]
    process.environment = surroundings.merging(environment) { $1 }
    // For a long line at once: F_SETPIPE_SZ, which Swift does not see.
    _ = fcntl(input.fileHandleForWriting.fileDescriptor, 1031, 1 << 20)
    process.standardInput = input
    process.standardOutput = try Life.appending(to: place, "output")
    process.standardError = try Life.appending(to: place, "errors")
    try process.run()
    try input.fileHandleForReading.close()
  }

  deinit {
    if process.isRunning {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
  }

  private static func appending(to place: Place, _ name: String) throws -> FileHandle {
    if !place.has(name) { try place.write(name, "") }
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: place[name]))
    try file.seekToEnd()
    return file
  }

  var isAlive: Bool { process.isRunning }

  var number: Int32 { process.processIdentifier }

  func send(_ signal: Int32) { process.send(signal) }

  /// Whether it has read all that it was handed, so that a long line does not wait for one that is suspended.
  var hasHeardAll: Bool {
    var count: Int32 = 0
    return ioctl(input.fileHandleForWriting.fileDescriptor, UInt(FIONREAD), &count) == 0 && count == 0
  }

  /// Hands it lines on its standard input; false when they have no reader any more.
  func say(_ text: String) -> Bool {
    (try? input.fileHandleForWriting.write(contentsOf: Data(text.utf8))) != nil
  }

  /// Waits for its end, calling `tend` every millisecond or so; nil if that does not come in time.
  func end(within seconds: Double, _ tend: () throws -> Void) rethrows -> End? {
    let deadline = Date(timeIntervalSinceNow: seconds)
    while process.isRunning {
      if Date() >= deadline { return nil }
      try tend()
      usleep(1000)
    }
    return process.terminationReason == .exit ? .exited(process.terminationStatus) : .killed
  }

  func end(within seconds: Double) -> End? { end(within: seconds) {} }
}
