import Foundation
import Store
import Testing

/// A state file for one test, gone with it.
package final class TemporaryState: Sendable {
  private let folder: String
  private let left: String

  package init() throws {
    folder = FileManager.default.temporaryDirectory.path + "/flow-state-\(UUID().uuidString)"
    left = folder + "/left"
    try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  package var path: String { folder + "/p.db" }

  /// Keeps the files as a process that is killed now would leave them.
  package func leave() throws {
    for name in ["p.db", "p.db-wal"] where FileManager.default.fileExists(atPath: "\(folder)/\(name)") {
      try FileManager.default.copyItem(atPath: "\(folder)/\(name)", toPath: "\(left)/\(name)")
    }
  }

  /// The files left by a run that was killed, or of one that ended.
  package func copy() throws -> TemporaryState {
    let other = try TemporaryState()
    let from = FileManager.default.fileExists(atPath: "\(left)/p.db") ? left : folder
    for name in ["p.db", "p.db-wal"] where FileManager.default.fileExists(atPath: "\(from)/\(name)") {
      try FileManager.default.copyItem(atPath: "\(from)/\(name)", toPath: "\(other.folder)/\(name)")
    }
    return other
  }

  /// Puts the first dead letter back into the outbox, as `flow state dead retry` does.
  package func retryDeadLetter() throws -> DeadLetter {
    let file = try StateFile(path: path)
    let letter = try #require(try file.deadLetters().first)
    try file.update { epoch throws(StoreError) in try epoch.retry(deadLetter: letter.number) }
    return letter
  }
}
