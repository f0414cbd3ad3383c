import System
import CSQLite
import Glibc

/// What SQLite has for an open file: its own part, and ours behind it.
struct SQLiteSlot {
  var base = sqlite3_file()
  var handle: Unmanaged<SQLiteHandle>?
}

/// A file that SQLite has open on a simulated disk.
final class SQLiteHandle {
  let file: SimulatedFile
  private let process: SimulatedProcess
  private let path: String
  private let isTemporary: Bool
  /// As SQLite does on Unix, the first sync of a new journal or write-ahead file syncs its folder too.
  private var syncsFolder: Bool
  private var level = FileLocks.Level.none
  private var index: SharedIndex?

  private init(
    _ file: SimulatedFile, _ process: SimulatedProcess, _ path: String, isTemporary: Bool, syncsFolder: Bool
  ) {
    (self.file, self.process, self.path) = (file, process, path)
    (self.isTemporary, self.syncsFolder) = (isTemporary, syncsFolder)
  }

  static func open(
    _ process: SimulatedProcess, _ name: String?, _ flags: Int32, in slot: UnsafeMutablePointer<sqlite3_file>,
    methods: () -> UnsafePointer<sqlite3_io_methods>?
  ) -> Int32 {
    let path = name ?? "/temporary-\(process.disk.state.withLock { $0.next() })"
    let isNew = flags & SQLITE_OPEN_EXCLUSIVE != 0
    let makes = flags & SQLITE_OPEN_CREATE != 0
    do throws(DiskFailure) {
      let file = try process.open(path, isNew ? .createNew : makes ? .create : .existing)
      let isJournal = flags & (SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL) != 0
      let handle = SQLiteHandle(
        file, process, path, isTemporary: name == nil || flags & SQLITE_OPEN_DELETEONCLOSE != 0,
        syncsFolder: makes && isJournal)
      UnsafeMutableRawPointer(slot).assumingMemoryBound(to: SQLiteSlot.self).pointee.handle =
        .passRetained(handle)
      slot.pointee.pMethods = methods()
      return SQLITE_OK
    } catch {
      errno = error.code
      return SQLITE_CANTOPEN
    }
  }

  static func remove(_ process: SimulatedProcess, _ path: String, syncsFolder: Bool) -> Int32 {
    do throws(DiskFailure) {
      try process.remove(path)
    } catch {
      errno = error.code
      return error == .system(ENOENT) ? SQLite.noEntry : SQLite.delete
    }
    guard syncsFolder else { return SQLITE_OK }
    return SQLiteHandle.answer(SQLite.folderSync) { () throws(DiskFailure) in
      try process.syncFolder(NameTable.folder(of: path))
    }
  }

  /// Nothing, or the error code, with details in `errno`.
  static func answer(_ code: Int32, _ body: () throws(DiskFailure) -> Void) -> Int32 {
    do throws(DiskFailure) {
      try body()
      return SQLITE_OK
    } catch {
      errno = error.code
      return code
    }
  }

  func close() {
    file.close()
    if isTemporary { try? process.remove(path) }
  }

  func read(_ target: UnsafeMutableRawBufferPointer, at offset: Int) -> Int32 {
    var count = 0
    let code = SQLiteHandle.answer(SQLite.read) { () throws(DiskFailure) in
      count = try file.read(into: target, at: offset)
    }
    guard code == SQLITE_OK, count < target.count else { return code }
    for index in count..<target.count { target[index] = 0 }
    return SQLite.shortRead
  }

  func write(_ source: UnsafeRawBufferPointer, at offset: Int) -> Int32 {
    var done = 0
    let code = SQLiteHandle.answer(SQLite.write) { () throws(DiskFailure) in
      while done < source.count {
        done += try file.write(UnsafeRawBufferPointer(rebasing: source[done...]), at: offset + done)
      }
    }
    return code != SQLITE_OK && errno == ENOSPC ? SQLITE_FULL : code
  }

  func sync() -> Int32 {
    let code = SQLiteHandle.answer(SQLite.sync) { () throws(DiskFailure) in try file.sync() }
    guard code == SQLITE_OK, syncsFolder else { return code }
    syncsFolder = false
    return SQLiteHandle.answer(SQLite.folderSync) { () throws(DiskFailure) in
      try process.syncFolder(NameTable.folder(of: path))
    }
  }

  func lock(_ wanted: Int32) -> Int32 {
    guard let wanted = FileLocks.Level(rawValue: wanted), wanted > level else { return SQLITE_OK }
    var isHeld = false
    let code = inode(SQLite.lock) { inode, handle in isHeld = inode.locks.raise(handle, to: wanted) }
    guard code == SQLITE_OK, isHeld else { return code == SQLITE_OK ? SQLITE_BUSY : code }
    level = wanted
    return SQLITE_OK
  }

  func unlock(_ wanted: Int32) -> Int32 {
    guard let wanted = FileLocks.Level(rawValue: wanted), wanted < level else { return SQLITE_OK }
    level = wanted
    return inode(SQLite.unlock) { inode, handle in inode.locks.lower(handle, to: wanted) }
  }

  func checkReserved(_ answer: UnsafeMutablePointer<Int32>?) -> Int32 {
    inode(SQLite.checkLock) { inode, _ in answer?.pointee = inode.locks.isReserved ? 1 : 0 }
  }

  /// Lets `body` at the file's entry, unless the process is stopped.
  func inode(_ code: Int32, _ body: (inout Inode, Int) -> Void) -> Int32 {
    SQLiteHandle.answer(code) { () throws(DiskFailure) in
      try file.with { (state) throws(DiskFailure) in
        let number = try state.inode(of: file.handle)
        if state.isStopped { throw .stopped }
        if state.inodes[number] != nil {
          body(&state.inodes[number, default: Inode(path: path)], file.handle)
        }
      }
    }
  }

  func map(
    _ region: Int32, _ size: Int32, _ makes: Int32, _ answer: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  ) -> Int32 {
    if index == nil {
      var found: SharedIndex?
      let code = inode(SQLite.mapping) { inode, _ in
        if inode.shared == nil { inode.shared = SharedIndex() }
        found = inode.shared
      }
      guard code == SQLITE_OK else { return code }
      index = found
    }
    let address = index?.region(Int(region), size: Int(size), makes: makes != 0, for: file.handle)
    answer?.pointee = address.flatMap { UnsafeMutableRawPointer(bitPattern: $0) }
    return SQLITE_OK
  }

  func lockIndex(_ first: Int32, _ count: Int32, _ flags: Int32) -> Int32 {
    guard let index else { return SQLite.mapLock }
    let slots = Int(first)..<Int(first + count)
    if flags & SQLITE_SHM_UNLOCK != 0 {
      index.unlock(slots, for: file.handle)
      return SQLITE_OK
    }
    var isHeld = false
    let code = inode(SQLite.mapLock) { _, handle in
      isHeld = index.lock(slots, isExclusive: flags & SQLITE_SHM_EXCLUSIVE != 0, for: handle)
    }
    return code != SQLITE_OK ? code : isHeld ? SQLITE_OK : SQLITE_BUSY
  }

  func unmap() {
    guard let index else { return }
    self.index = nil
    _ = inode(SQLITE_OK) { inode, handle in
      if index.leave(handle), inode.shared === index { inode.shared = nil }
    }
  }
}
