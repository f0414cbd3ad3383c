import Glibc
import System

/// A claim on a state file, held until the last reference goes or the process ends, however it ends.
///
/// It is an advisory lock on a file of its own, `NAME.db.lock`, which holds the process's id and is never removed:
/// whoever waits for it would else lock a file that has no name.
final class StateLock {
  private let lock: any DiskLock

  init(on state: String, _ disk: any Disk) throws(StoreFailure) {
    let path = state + ".lock"
    do throws(DiskError) {
      lock = try disk.lock(path)
    } catch {
      guard error.code == EWOULDBLOCK else { throw StoreFailure(path, trying: "lock", error) }
      let holder = StateLock.holder(path, disk)
      let name = holder.map { "process \($0)" } ?? "another process"
      throw StoreFailure(
        state, .held(by: holder), "in use by \(name); a pipeline's state has one user at a time")
    }
  }

  private static func holder(_ path: String, _ disk: any Disk) -> Int32? {
    guard let bytes = try? disk.head(of: path, count: 16) else { return nil }
    return Int32(String(decoding: bytes.prefix { $0 != 0x0a }, as: UTF8.self))
  }
}
