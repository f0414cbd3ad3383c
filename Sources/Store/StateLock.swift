import Glibc

/// A claim on a state file, held until the last reference goes or the process ends, however it ends.
///
/// It is an advisory lock on a file of its own, `NAME.db.lock`, which holds the process's id and is never removed:
/// whoever waits for it would else lock a file that has no name.
final class StateLock {
  private let descriptor: Int32

  init(on state: String) throws(StoreFailure) {
    let path = state + ".lock"
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StoreFailure(path, trying: "open the lock") }
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno == EINTR { continue }
      let isHeld = errno == EWOULDBLOCK
      let failure = StoreFailure(path, trying: "lock")
      let holder = StateLock.holder(descriptor)
      guard isHeld else { throw failure }
      let name = holder.map { "process \($0)" } ?? "another process"
      throw StoreFailure(
        state, .held(by: holder), "in use by \(name); a pipeline's state has one user at a time")
    }
    // Who holds it is told for people; where it cannot be written, the lock holds all the same.
    let text = Array("\(getpid())\n".utf8)
    if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, text, text.count, 0) }
  }

  // Of one that failed to lock, too.
  deinit { close(descriptor) }

  private static func holder(_ descriptor: Int32) -> Int32? {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    return Int32(String(decoding: bytes[..<count].prefix { $0 != 0x0a }, as: UTF8.self))
  }
}
