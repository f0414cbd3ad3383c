import Foundation
import TestSupport

/// Polls → `git`: each version of the file is committed once, in order.
final class GitCommits: Scenario {
  let place: Place
  let logs: [String] = []
  private(set) var last: Int?

  init(_ place: Place) throws {
    self.place = place
    _ = try git("init", "-q", "repository", in: place.path)
    try place.write(
      "p.yaml",
      """
      name: versioned
      vars: { last: 1000000000 }
      sources:
        made: { generate: '{id: 1, n: ([$meta.poll, $vars.last] | min)}', every: 100ms }
      sinks:
        history:
          git: { path: repository/rows.json, key: .id, author: flow <flow@example.org>, backoff: 10ms, attempts: 100 }

      """)
  }

  private func git(_ arguments: String..., in folder: String) throws -> String {
    let process = TestProcess()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/git")
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.environment = ["HOME": "/nonexistent", "PATH": "/usr/bin:/bin"]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    defer { process.waitUntilExit() }
    return String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
  }

  /// The rows that the commits have brought, the oldest first.
  private var versions: [String] {
    let log = try? git("log", "--reverse", "-p", "--format=", "--", "rows.json", in: place["repository"])
    return (log ?? "").split(separator: "\n").filter { $0.hasPrefix("+{") }.map { String($0.dropFirst()) }
  }

  func prepareEnd() { last = versions.count + 30 }

  private func version(_ number: Int) -> String { "{\"id\":1,\"n\":\(number)}" }

  var isSettled: Bool { versions.last == version(last ?? 0) }

  func verdict() -> Verdict {
    Verdict.comparing(versions, with: (1...(last ?? 1)).map(version), in: "the history")
  }
}
