import Glibc

/// The file system of the machine.
public struct SystemDisk: StateDisk {
  public init() {}

  public func makeFolder(_ path: String) throws(StateDiskError) {
    guard mkdir(path, 0o700) == 0 else { throw StateDiskError(code: errno) }
  }

  public func syncFolder(_ path: String) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  public func keep(_ path: String) throws(StateDiskError) {
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return }
      throw StateDiskError(code: errno)
    }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    var place: off_t = 0
    while true {
      let count = pread(descriptor, &bytes, bytes.count, place)
      guard count >= 0 else { throw StateDiskError(code: errno) }
      if count == 0 { break }
      // Written over itself, it is sure to be written by the sync.
      crashPoint("state.written over")
      let written = pwrite(descriptor, bytes, count, place)
      guard written > 0 else { throw StateDiskError(code: errno) }
      place += written
    }
    guard fsync(descriptor) == 0 else { throw StateDiskError(code: errno) }
    crashPoint("state.made safe")
  }

  public func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

  public func rename(_ path: String, to target: String) throws(StateDiskError) {
    guard Glibc.rename(path, target) == 0 else { throw StateDiskError(code: errno) }
  }

  public func head(of path: String, count: Int) throws(StateDiskError) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw StateDiskError(code: errno)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw StateDiskError(code: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw StateDiskError(code: EISDIR) }
    var bytes = [UInt8](repeating: 0, count: min(count, Int(status.st_size)))
    let read = pread(descriptor, &bytes, bytes.count, 0)
    guard read >= 0 else { throw StateDiskError(code: errno) }
    return Array(bytes[..<read])
  }

  public func lock(_ path: String) throws(StateDiskError) -> any StateDiskLock {
    let lock = FileLock(open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600))
    guard lock.descriptor >= 0 else { throw StateDiskError(code: errno) }
    var patience = 200
    while flock(lock.descriptor, LOCK_EX | LOCK_NB) != 0 {
      let code = errno
      if code == EINTR { continue }
      // Of a process that was killed while it started a command, the child has the lock until it has become one.
      guard code == EWOULDBLOCK, lock.isOrphaned, patience > 0 else { throw StateDiskError(code: code) }
      patience -= 1
      usleep(5000)
    }
    // Who holds it is told for people; where it cannot be written, the lock holds all the same.
    let text = Array("\(getpid())\n".utf8)
    if ftruncate(lock.descriptor, 0) == 0 { _ = pwrite(lock.descriptor, text, text.count, 0) }
    return lock
  }
}

/// An advisory lock on an open file.
private final class FileLock: StateDiskLock {
  let descriptor: Int32

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Whether the process that says it holds it is no more.
  var isOrphaned: Bool {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0,
      let holder = Int32(String(decoding: bytes[..<count].prefix { $0 != 0x0a }, as: UTF8.self))
    else { return false }
    return kill(holder, 0) != 0 && errno == ESRCH
  }

  deinit { if descriptor >= 0 { close(descriptor) } }
}
