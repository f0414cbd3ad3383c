import Foundation
import TestSupport

/// A disk of 16 MB that can be filled; nil where none can be mounted.
final class SmallDisk {
  private let path: String

  init?(at path: String) {
    self.path = path
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    guard Self.run("mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", path) else { return nil }
  }

  /// Only root can mount one, and not everywhere.
  static let isPossible = SmallDisk(at: "\(FileManager.default.temporaryDirectory.path)/\(UUID())") != nil

  deinit {
    _ = Self.run("umount", "-l", path)
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Takes all room that there is.
  func fill() {
    _ = Self.run("dd", "if=/dev/zero", "of=\(path)/filler", "bs=4k", "oflag=append", "conv=notrunc")
  }

  func empty() { try? FileManager.default.removeItem(atPath: "\(path)/filler") }

  private static func run(_ words: String...) -> Bool {
    let process = TestProcess()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
