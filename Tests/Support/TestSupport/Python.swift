import Foundation

/// Python's libraries as a second opinion on what flow writes; tests that need one are skipped where it is missing.
package enum Python {
  package static func has(_ module: String) -> Bool { run("import \(module)").isDone }

  package static func run(_ script: String, _ arguments: String...) -> (isDone: Bool, text: String) {
    let process = TestProcess()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", script] + arguments
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return (false, "") }
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus == 0, String(decoding: data, as: UTF8.self))
  }
}

/// A script that runs until the end of its standard input, and first prints one line.
package final class PythonServer {
  private let process = TestProcess()
  private let input = Pipe()
  private let output = Pipe()
  package let firstLine: String

  package init(_ script: String, _ arguments: [String]) throws {
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", script] + arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    var line: [UInt8] = []
    while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != 0x0a {
      line.append(byte)
    }
    firstLine = String(decoding: line, as: UTF8.self)
  }

  package func stop() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
