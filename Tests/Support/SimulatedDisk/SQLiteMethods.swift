import CSQLite
import Synchronization

// What SQLite calls on an open file, each in a line or two.

extension SQLiteHandle {
  private static func of(_ file: UnsafeMutablePointer<sqlite3_file>?) -> SQLiteHandle? {
    guard let file else { return nil }
    let slot = UnsafeMutableRawPointer(file).assumingMemoryBound(to: SQLiteSlot.self)
    return slot.pointee.handle?.takeUnretainedValue()
  }

  static var methods: sqlite3_io_methods {
    var methods = sqlite3_io_methods()
    methods.iVersion = 2
    methods.xClose = { file in
      SQLiteHandle.of(file)?.close()
      guard let file else { return SQLITE_OK }
      let slot = UnsafeMutableRawPointer(file).assumingMemoryBound(to: SQLiteSlot.self)
      slot.pointee.handle?.release()
      slot.pointee.handle = nil
      return SQLITE_OK
    }
    methods.xRead = { file, target, count, offset in
      let target = UnsafeMutableRawBufferPointer(start: target, count: Int(count))
      return SQLiteHandle.of(file)?.read(target, at: Int(offset)) ?? SQLite.read
    }
    methods.xWrite = { file, source, count, offset in
      let source = UnsafeRawBufferPointer(start: source, count: Int(count))
      return SQLiteHandle.of(file)?.write(source, at: Int(offset)) ?? SQLite.write
    }
    methods.xTruncate = { file, size in
      guard let handle = SQLiteHandle.of(file) else { return SQLite.truncate }
      return SQLiteHandle.answer(SQLite.truncate) { () throws(DiskFailure) in
        try handle.file.truncate(to: Int(size))
      }
    }
    methods.xSync = { file, _ in SQLiteHandle.of(file)?.sync() ?? SQLite.sync }
    methods.xFileSize = { file, answer in
      guard let handle = SQLiteHandle.of(file) else { return SQLite.status }
      return SQLiteHandle.answer(SQLite.status) { () throws(DiskFailure) in
        answer?.pointee = Int64(try handle.file.size)
      }
    }
    methods.xLock = { file, level in SQLiteHandle.of(file)?.lock(level) ?? SQLite.lock }
    methods.xUnlock = { file, level in SQLiteHandle.of(file)?.unlock(level) ?? SQLite.unlock }
    methods.xCheckReservedLock = { file, answer in
      SQLiteHandle.of(file)?.checkReserved(answer) ?? SQLite.checkLock
    }
    methods.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
    methods.xSectorSize = { _ in 4096 }
    // As on Unix: what lies beside the bytes that are written is not harmed.
    methods.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
    methods.xShmMap = { file, region, size, makes, answer in
      SQLiteHandle.of(file)?.map(region, size, makes, answer) ?? SQLite.mapping
    }
    methods.xShmLock = { file, first, count, flags in
      SQLiteHandle.of(file)?.lockIndex(first, count, flags) ?? SQLite.mapLock
    }
    methods.xShmBarrier = { _ in atomicMemoryFence(ordering: .sequentiallyConsistent) }
    methods.xShmUnmap = { file, _ in
      SQLiteHandle.of(file)?.unmap()
      return SQLITE_OK
    }
    return methods
  }
}

/// SQLite's extended codes, which are macros that Swift does not see.
enum SQLite {
  static let read = SQLITE_IOERR | 1 << 8
  static let shortRead = SQLITE_IOERR | 2 << 8
  static let write = SQLITE_IOERR | 3 << 8
  static let sync = SQLITE_IOERR | 4 << 8
  static let folderSync = SQLITE_IOERR | 5 << 8
  static let truncate = SQLITE_IOERR | 6 << 8
  static let status = SQLITE_IOERR | 7 << 8
  static let unlock = SQLITE_IOERR | 8 << 8
  static let delete = SQLITE_IOERR | 10 << 8
  static let access = SQLITE_IOERR | 13 << 8
  static let checkLock = SQLITE_IOERR | 14 << 8
  static let lock = SQLITE_IOERR | 15 << 8
  static let mapLock = SQLITE_IOERR | 20 << 8
  static let mapping = SQLITE_IOERR | 21 << 8
  static let noEntry = SQLITE_IOERR | 23 << 8
}
