import CSQLite
import Glibc

/// The VFS by which SQLite keeps its files on a simulated disk, as one process of it.
///
/// Locks among connections, the write-ahead file and the memory they share are as in SQLite's own VFS for Unix, so
/// that the same code of SQLite runs; only that memory is no file.
final class SQLiteRegistration: Sendable {
  private struct Table {
    var vfs = sqlite3_vfs()
    var methods = sqlite3_io_methods()
  }

  /// An address, since pointers may not be handed from thread to thread.
  private let address: UInt

  init(_ name: String) {
    let table = UnsafeMutablePointer<Table>.allocate(capacity: 1)
    table.initialize(to: Table(methods: SQLiteHandle.methods))
    table.pointee.vfs.iVersion = 2
    table.pointee.vfs.szOsFile = Int32(MemoryLayout<SQLiteSlot>.size)
    table.pointee.vfs.mxPathname = 1024
    table.pointee.vfs.zName = UnsafePointer(strdup(name))
    address = UInt(bitPattern: table)
  }

  deinit {
    guard let table else { return }
    free(UnsafeMutableRawPointer(mutating: table.pointee.vfs.zName))
    table.deallocate()
  }

  private var table: UnsafeMutablePointer<Table>? { UnsafeMutablePointer(bitPattern: address) }

  func register(_ process: SimulatedProcess) {
    guard let table else { return }
    fill(&table.pointee.vfs)
    // Not counted: the process takes the VFS back before it goes, and every open file keeps the process.
    table.pointee.vfs.pAppData = Unmanaged.passUnretained(process).toOpaque()
    withUnsafeMutablePointer(to: &table.pointee.vfs) { _ = sqlite3_vfs_register($0, 0) }
  }

  func unregister() {
    guard let table else { return }
    withUnsafeMutablePointer(to: &table.pointee.vfs) { _ = sqlite3_vfs_unregister($0) }
  }

  private func fill(_ vfs: inout sqlite3_vfs) {
    vfs.xOpen = { vfs, name, file, flags, answer in
      guard let vfs, let file, let process = SQLiteRegistration.process(vfs) else { return SQLITE_CANTOPEN }
      file.pointee.pMethods = nil
      return SQLiteHandle.open(process, name.map { String(cString: $0) }, flags, in: file) {
        answer?.pointee = flags
        return UnsafeMutableRawPointer(vfs).assumingMemoryBound(to: Table.self).pointer(to: \.methods)
      }
    }
    vfs.xDelete = { vfs, name, syncsFolder in
      guard let name, let process = SQLiteRegistration.process(vfs) else { return SQLite.delete }
      return SQLiteHandle.remove(process, String(cString: name), syncsFolder: syncsFolder != 0)
    }
    vfs.xAccess = { vfs, name, flags, answer in
      guard let name, let process = SQLiteRegistration.process(vfs) else { return SQLite.access }
      let path = String(cString: name)
      // As on Unix, an empty file does not count as there.
      let isThere = process.isFolder(path) || process.size(of: path) ?? 0 > 0
      answer?.pointee = isThere || flags != SQLITE_ACCESS_EXISTS && process.exists(path) ? 1 : 0
      return SQLITE_OK
    }
    vfs.xFullPathname = { _, name, size, target in
      guard let name, let target, strlen(name) < Int(size) else { return SQLITE_CANTOPEN }
      strcpy(target, name)
      return SQLITE_OK
    }
    vfs.xRandomness = { vfs, count, target in
      guard let target, let process = SQLiteRegistration.process(vfs) else { return 0 }
      process.disk.state.withLock { state in
        for index in 0..<Int(count) { target[index] = CChar(truncatingIfNeeded: state.random.next()) }
      }
      return count
    }
    vfs.xSleep = { _, microseconds in microseconds }
    vfs.xCurrentTime = { vfs, answer in
      answer?.pointee = Double(SQLiteRegistration.time(vfs)) / 86_400_000
      return SQLITE_OK
    }
    vfs.xCurrentTimeInt64 = { vfs, answer in
      answer?.pointee = SQLiteRegistration.time(vfs)
      return SQLITE_OK
    }
    vfs.xGetLastError = { _, _, _ in errno }
  }

  private static func process(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> SimulatedProcess? {
    guard let data = vfs?.pointee.pAppData else { return nil }
    return Unmanaged<SimulatedProcess>.fromOpaque(data).takeUnretainedValue()
  }

  /// Milliseconds since noon of 24 November 4714 BC, as SQLite counts, a little later each time.
  private static func time(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> Int64 {
    let now = process(vfs)?.disk.state.withLock { state in
      state.now += 1
      return state.now
    }
    return 210_866_760_000_000 + (now ?? 0)
  }
}
