import CGlibc
import Glibc
import Store

/// The files of the machine.
public struct SystemDisk: Disk {
  public init() {}

  public func open(
    toAppend path: String, mode: UInt32, followsLinks: Bool
  ) throws(DiskError) -> any DiskFile {
    crashPoint("file.opening")
    defer { crashPoint("file.opened") }
    return try SystemFile(path, O_WRONLY | O_APPEND | O_CREAT, mode, followsLinks)
  }

  public func open(toRead path: String, followsLinks: Bool) throws(DiskError) -> any DiskFile {
    try SystemFile(path, O_RDONLY | O_NONBLOCK, 0, followsLinks)
  }

  public func open(toWriteOver path: String, followsLinks: Bool) throws(DiskError) -> any DiskFile {
    // Not to append: Linux then adds to the end whatever the place is.
    try SystemFile(path, O_RDWR | O_NONBLOCK, 0, followsLinks)
  }

  public func makeFolder(_ path: String) throws(DiskError) {
    if mkdir(path, 0o777) != 0, errno != EEXIST { throw DiskError(code: errno) }
    crashPoint("folder.made")
  }

  public func status(of path: String) -> DiskStatus? {
    var status = Glibc.stat()
    return stat(path, &status) == 0 ? DiskStatus(status) : nil
  }

  public func exists(_ path: String) -> Bool {
    var status = Glibc.stat()
    return lstat(path, &status) == 0
  }

  public func beginning(of path: String) -> Int? {
    var status = statx()
    guard statx(AT_FDCWD, path, 0, UInt32(STATX_BTIME | STATX_MTIME), &status) == 0 else { return nil }
    return Int(
      status.stx_mask & UInt32(STATX_BTIME) != 0 ? status.stx_btime.tv_sec : status.stx_mtime.tv_sec)
  }

  public func rename(_ old: String, to new: String) throws(DiskError) {
    crashPoint("file.renaming")
    guard Glibc.rename(old, new) == 0 else { throw DiskError(code: errno) }
    crashPoint("file.renamed")
  }

  public func unlink(_ path: String) {
    crashPoint("file.removing")
    _ = Glibc.unlink(path)
    crashPoint("file.removed")
  }

  public func syncFolder(_ path: String) {
    guard let folder = try? SystemFile(path, O_RDONLY | O_DIRECTORY, 0, true) else { return }
    crashPoint("folder.syncing")
    fsync(folder.number)
  }
}

private final class SystemFile: DiskFile {
  let number: Int32

  init(_ path: String, _ flags: Int32, _ mode: mode_t, _ followsLinks: Bool) throws(DiskError) {
    let all = flags | O_CLOEXEC | (followsLinks ? 0 : O_NOFOLLOW)
    number = try checked { Int(Glibc.open(path, all, mode)) }.number
  }

  deinit { close(number) }

  var status: DiskStatus? {
    var status = stat()
    return fstat(number, &status) == 0 ? DiskStatus(status) : nil
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws(DiskError) -> Int {
    crashPoint("file.writing")
    crashPoint("file.half written") { _ = write(number, bytes.baseAddress, bytes.count / 2) }
    let count = try checked { write(number, bytes.baseAddress, bytes.count) }
    guard count > 0 || bytes.isEmpty else { throw DiskError(code: EIO) }
    crashPoint("file.written")
    return count
  }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(DiskError) -> Int {
    try checked { pread(number, buffer.baseAddress, buffer.count, offset) }
  }

  func overwrite(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(DiskError) -> Int {
    crashPoint("file.writing over")
    let count = try checked { pwrite(number, bytes.baseAddress, bytes.count, offset) }
    guard count > 0 || bytes.isEmpty else { throw DiskError(code: EIO) }
    crashPoint("file.written over")
    return count
  }

  func sync() throws(DiskError) {
    crashPoint("file.syncing")
    _ = try checked { Int(fdatasync(number)) }
    crashPoint("file.synced")
  }
}

extension Int {
  fileprivate var number: Int32 { Int32(truncatingIfNeeded: self) }
}

/// What a call gives, called again where a signal came between.
@inline(__always)
private func checked(_ call: () -> Int) throws(DiskError) -> Int {
  while true {
    let result = call()
    if result >= 0 { return result }
    if errno != EINTR { throw DiskError(code: errno) }
  }
}

extension DiskStatus {
  fileprivate init(_ status: stat) {
    self.init(
      identity: FileIdentity(device: UInt(status.st_dev), inode: UInt(status.st_ino)),
      size: Int(status.st_size), isRegular: status.st_mode & S_IFMT == S_IFREG)
  }
}
