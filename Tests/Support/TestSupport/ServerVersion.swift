import Foundation

/// Whether the tests run in CI, where a server that is missing is a failure and no reason to skip.
package let isCI = ProcessInfo.processInfo.environment["CI"].map { !$0.isEmpty } ?? false

/// A program of the machine that tests start as a server, with the oldest version that they are written for.
package struct ServerProgram: Sendable {
  /// Its path; nil where there is none, or only one that is too old.
  package let path: String?
  /// Why there is none, and what installs it.
  package let missing: String

  /// Whether tests are to use it: also where it is missing in CI, where they fail for that.
  package var isWanted: Bool { path != nil || isCI }

  /// - Parameters:
  ///   - version: The arguments with which it prints its version.
  ///   - setup: The target of the Makefile that installs it.
  package init(_ paths: [String], version arguments: [String], atLeast oldest: [Int], setup: String) {
    let found = paths.filter(FileManager.default.isExecutableFile)
    let name = paths.first.map { String($0[($0.lastIndex(of: "/") ?? $0.startIndex)...].dropFirst()) } ?? ""
    let versions = found.map { Self.version(of: $0, arguments) }
    path = zip(found, versions).first { !$0.1.lexicographicallyPrecedes(oldest) }?.0
    let wanted = oldest.map(String.init).joined(separator: ".")
    missing =
      versions.isEmpty
      ? "\(name) is not installed: make \(setup)"
      : "\(name) \(versions[0].map(String.init).joined(separator: ".")) is older than \(wanted): make \(setup)"
  }

  /// The numbers of the version that a program prints, the first that it names with a point.
  private static func version(of program: String, _ arguments: [String]) -> [Int] {
    let process = TestProcess()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    guard (try? process.run()) != nil else { return [] }
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let words = text.split { !$0.isNumber && $0 != "." }
    return words.first { $0.contains(".") }?.split(separator: ".").compactMap { Int($0) } ?? []
  }
}
