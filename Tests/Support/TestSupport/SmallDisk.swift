import Foundation
import Glibc

/// A file system in memory with little room, until it is let go; only root can mount one, and not everywhere.
package final class SmallDisk: Sendable {
  private struct Failure: Error {}

  package static let missing = "a small disk cannot be mounted here"
  package static let isPossible = (try? SmallDisk(bytes: 1 << 20)) != nil

  package let path: String

  package init(at path: String? = nil, bytes: Int) throws {
    self.path = path ?? "\(FileManager.default.temporaryDirectory.path)/flow-small-\(UUID())"
    try FileManager.default.createDirectory(atPath: self.path, withIntermediateDirectories: true)
    guard mount("tmpfs", self.path, "tmpfs", 0, "size=\(bytes)") == 0 else { throw Failure() }
  }

  deinit {
    umount2(path, Int32(MNT_DETACH))
    try? FileManager.default.removeItem(atPath: path)
  }

  package func resize(to bytes: Int) -> Bool {
    mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT), "size=\(bytes)") == 0
  }

  /// Takes all room that is left.
  package func fill() {
    guard let file = fopen("\(path)/filler", "a") else { return }
    defer { fclose(file) }
    setvbuf(file, nil, _IONBF, 0)
    let page = [UInt8](repeating: 0, count: 4096)
    while fwrite(page, 1, page.count, file) == page.count {}
  }

  package func empty() { unlink("\(path)/filler") }
}
