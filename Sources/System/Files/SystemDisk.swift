import CGlibc
import Glibc
import Synchronization

/// The machine's file system.
///
/// Every change passes a crash point before and after, so that `make crash` can kill the process between any two.
public struct SystemDisk: Disk {
  public init() {}

  public func open(
    toAppend path: String, mode: UInt32, followsLinks: Bool
  ) throws(DiskError) -> any DiskFile {
    crashPoint("file.opening")
    defer { crashPoint("file.opened") }
    do throws(DiskError) {
      // A pipe without a reader, or a full one, must not block the thread: nothing could end that.
      return try SystemFile(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, mode, followsLinks)
    } catch {
      // ENXIO has other causes, such as a socket, which do not pass.
      throw error.code == ENXIO && !isPipe(path) ? DiskError(code: ENODEV) : error
    }
  }

  private func isPipe(_ path: String) -> Bool {
    var status = Glibc.stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
  }

  public func open(toRead path: String, followsLinks: Bool) throws(DiskError) -> any DiskFile {
    try SystemFile(path, O_RDONLY | O_NONBLOCK, 0, followsLinks)
  }

  public func open(toWriteOver path: String, followsLinks: Bool) throws(DiskError) -> any DiskFile {
    // Without O_APPEND: with it Linux appends whatever the offset is.
    try SystemFile(path, O_RDWR | O_NONBLOCK, 0, followsLinks)
  }

  public func makeFolder(_ path: String, mode: UInt32) throws(DiskError) {
    if mkdir(path, mode) != 0, errno != EEXIST { throw DiskError(code: errno) }
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

  public func names(of files: Set<FileIdentity>, in folder: String) -> [FileIdentity: String] {
    guard let entries = opendir(folder) else { return [:] }
    defer { closedir(entries) }
    let inodes = Set(files.map(\.inode))
    var found: [FileIdentity: String] = [:]
    while found.count < files.count, let entry = readdir(entries) {
      guard inodes.contains(UInt(entry.pointee.d_ino)) else { continue }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard let file = FileIdentity(at: "\(folder)/\(name)"), files.contains(file) else { continue }
      found[file] = found[file] ?? name
    }
    return found
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

  public func freeBytes(beside path: String) -> Int? {
    var status = Glibc.statvfs()
    guard statvfs(splitPath(path).folder, &status) == 0 else { return nil }
    return Int(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
  }

  public func syncFolder(_ path: String) {
    guard let folder = try? SystemFile(path, O_RDONLY | O_DIRECTORY, 0, true) else { return }
    crashPoint("folder.syncing")
    fsync(folder.number)
  }

  public func rewrite(_ path: String) throws(DiskError) {
    let file: SystemFile
    do throws(DiskError) { file = try SystemFile(path, O_RDWR, 0, true) } catch {
      if error.code == ENOENT { return }
      throw error
    }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    var offset = 0
    while true {
      let count = try checked { pread(file.number, &bytes, bytes.count, offset) }
      if count == 0 { break }
      crashPoint("state.written over")
      let written = try checked { pwrite(file.number, bytes, count, offset) }
      guard written > 0 else { throw DiskError(code: EIO) }
      offset += written
    }
    _ = try checked { Int(fsync(file.number)) }
    crashPoint("state.made safe")
  }

  public func lock(_ path: String) throws(DiskError) -> any DiskLock {
    var file = try SystemFile(path, O_RDWR | O_CREAT, 0o600, false)
    try file.takeLock { file.namesDeadProcess }
    // Another process may have replaced it since it was opened.
    while FileIdentity(at: path) != file.status?.identity {
      file = try SystemFile(path, O_RDWR | O_CREAT, 0o600, false)
      try file.takeLock { file.namesDeadProcess }
    }
    // The process id is for people: the lock holds even if it cannot be written.
    let text = Array("\(getpid())\n".utf8)
    if ftruncate(file.number, 0) == 0 { _ = pwrite(file.number, text, text.count, 0) }
    return file
  }
}

extension SystemDisk {
  public func holder(of file: FileIdentity) -> Int32? {
    // “1: FLOCK  ADVISORY  WRITE 4711 08:01:1234 0 EOF”; some file systems number their devices otherwise here.
    guard let table = try? SystemFile("/proc/locks", O_RDONLY, 0, true) else { return nil }
    var text: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 1 << 14)
    while case let count = pread(table.number, &room, room.count, off_t(text.count)), count > 0 {
      text += room[..<count]
    }
    for line in text.split(separator: 0x0a) {
      let words = String(decoding: line, as: UTF8.self).split(separator: " ")
      guard words.count > 5, words[1] == "FLOCK", let inode = words[5].split(separator: ":").last,
        UInt(inode) == file.inode
      else { continue }
      return Int32(words[4]).flatMap { $0 > 0 ? $0 : nil }
    }
    return nil
  }
}

private final class SystemFile: DiskFile, DiskLock {
  /// How long a full pipe may take to have room before the caller decides whether to go on waiting.
  private static let pipePatience = Duration.milliseconds(100)

  let number: Int32
  /// Whether the lock was taken through this descriptor.
  private let isLocked = Atomic(false)

  init(_ path: String, _ flags: Int32, _ mode: mode_t, _ followsLinks: Bool) throws(DiskError) {
    let all = flags | O_CLOEXEC | (followsLinks ? 0 : O_NOFOLLOW)
    number = try checked { Int(Glibc.open(path, all, mode)) }.number
  }

  deinit {
    // Closing is not enough: until its exec, a child that is being spawned has a copy of the descriptor.
    if isLocked.load(ordering: .relaxed) { flock(number, LOCK_UN) }
    close(number)
  }

  var status: DiskStatus? {
    var status = stat()
    return fstat(number, &status) == 0 ? DiskStatus(status) : nil
  }

  func claim() throws(DiskError) {
    guard let identity = status?.identity else { return }
    do throws(DiskError) {
      try takeLock { SystemDisk().holder(of: identity).map { kill($0, 0) != 0 && errno == ESRCH } ?? false }
    } catch {
      // Another descriptor of this process holds the lock, which is allowed.
      guard error.code == EWOULDBLOCK, SystemDisk().holder(of: identity) == getpid() else { throw error }
    }
  }

  /// Takes the advisory lock; waits a second for one of a process that has ended.
  ///
  /// A process that was killed while it spawned a child leaves the lock to the child until the child's exec.
  func takeLock(_ isOfDeadProcess: () -> Bool) throws(DiskError) {
    var attempts = 200
    while flock(number, LOCK_EX | LOCK_NB) != 0 {
      let code = errno
      if code == EINTR { continue }
      guard code == EWOULDBLOCK, attempts > 0, isOfDeadProcess() else { throw DiskError(code: code) }
      attempts -= 1
      usleep(5000)
    }
    isLocked.store(true, ordering: .relaxed)
  }

  var birth: Int? { birthTime(number, "", atEmptyPath) }

  func append(_ bytes: UnsafeRawBufferPointer) throws(DiskError) -> Int {
    crashPoint("file.writing")
    crashPoint("file.half written") { _ = write(number, bytes.baseAddress, bytes.count / 2) }
    let count = try checked {
      let count = write(number, bytes.baseAddress, bytes.count)
      guard count < 0, errno == EAGAIN else { return count }
      awaitDescriptors([.output(number)], for: Self.pipePatience)
      return write(number, bytes.baseAddress, bytes.count)
    }
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

  /// Whether the process whose id a lock file holds has ended.
  var namesDeadProcess: Bool {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = pread(number, &bytes, bytes.count, 0)
    guard count > 0,
      let holder = Int32(String(decoding: bytes[..<count].prefix { $0 != 0x0a }, as: UTF8.self))
    else { return false }
    return kill(holder, 0) != 0 && errno == ESRCH
  }
}

extension Int {
  fileprivate var number: Int32 { Int32(truncatingIfNeeded: self) }
}

/// The result of a system call, repeated when a signal interrupts it.
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
