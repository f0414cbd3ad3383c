import System
import TestSupport
import Glibc
import Engine
import Language
import Reactive

/// The machine's disk with limited room, which records its calls.
package final class WatchedDisk: Disk {
  package let calls = Journal<String>()
  /// The files that were made safe.
  package let synced = Journal<FileIdentity>()
  /// What was written over.
  package let writtenOver = Journal<(file: FileIdentity, bytes: Range<Int>)>()
  /// Whether files cannot be opened to be written over.
  package let isProtected: Bool
  /// How many files cannot be opened to be added to, from now on.
  package let closedDoors = Locked(0)
  /// How many of the next syncs fail.
  package let syncFailures = Locked(0)
  /// Of so many reads one fails.
  package let readFailures: Int?
  private let reads = Locked(0)
  private let room: Locked<Int>
  private let disk = SystemDisk()

  package init(room: Int = .max, readFailures: Int? = nil, isProtected: Bool = false) {
    self.room = Locked(room)
    self.readFailures = readFailures
    self.isProtected = isProtected
  }

  package func makeRoom(_ bytes: Int) { room.withLock { $0 += bytes } }

  /// How often something was asked for.
  package func count(_ call: String) -> Int { calls.entries.filter { $0 == call }.count }

  package func open(toAppend path: String, mode: UInt32, followsLinks: Bool) throws(DiskError) -> any DiskFile
  {
    calls.note("open")
    let isClosed = closedDoors.withLock { doors in
      defer { doors = max(0, doors - 1) }
      return doors > 0
    }
    if isClosed { throw DiskError(code: EMFILE) }
    return WatchedFile(try disk.open(toAppend: path, mode: mode, followsLinks: followsLinks), self)
  }

  package func open(toRead path: String, followsLinks: Bool) throws(DiskError) -> any DiskFile {
    WatchedFile(try disk.open(toRead: path, followsLinks: followsLinks), self)
  }

  package func open(toWriteOver path: String, followsLinks: Bool) throws(DiskError) -> any DiskFile {
    if isProtected { throw DiskError(code: EPERM) }
    return WatchedFile(try disk.open(toWriteOver: path, followsLinks: followsLinks), self)
  }

  package func makeFolder(_ path: String, mode: UInt32) throws(DiskError) {
    try disk.makeFolder(path, mode: mode)
  }
  package func rewrite(_ path: String) throws(DiskError) { try disk.rewrite(path) }
  package func lock(_ path: String) throws(DiskError) -> any DiskLock { try disk.lock(path) }
  package func status(of path: String) -> DiskStatus? { disk.status(of: path) }
  package func exists(_ path: String) -> Bool { disk.exists(path) }
  package func names(of files: Set<FileIdentity>, in folder: String) -> [FileIdentity: String] {
    calls.note("names")
    return disk.names(of: files, in: folder)
  }
  package func holder(of file: FileIdentity) -> Int32? { disk.holder(of: file) }
  package func beginning(of path: String) -> Int? { disk.beginning(of: path) }

  package func rename(_ old: String, to new: String) throws(DiskError) {
    calls.note("rename")
    try disk.rename(old, to: new)
  }

  package func unlink(_ path: String) { disk.unlink(path) }

  package func syncFolder(_ path: String) {
    calls.note("sync \(path)")
    disk.syncFolder(path)
  }

  private final class WatchedFile: DiskFile {
    private let file: any DiskFile
    private let disk: WatchedDisk

    init(_ file: any DiskFile, _ disk: WatchedDisk) {
      self.file = file
      self.disk = disk
    }

    var status: DiskStatus? { file.status }
    var birth: Int? { file.birth }
    func claim() throws(DiskError) { try file.claim() }

    /// Takes as much as there is room for.
    func append(_ bytes: UnsafeRawBufferPointer) throws(DiskError) -> Int {
      disk.calls.note("append")
      let count = disk.room.withLock { room in
        let count = min(room, bytes.count)
        room -= count
        return count
      }
      guard count > 0 || bytes.isEmpty else { throw DiskError(code: ENOSPC) }
      return try file.append(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
    }

    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(DiskError) -> Int {
      if let rate = disk.readFailures {
        let number = disk.reads.withLock { reads in
          reads += 1
          return reads
        }
        if number.isMultiple(of: rate) { throw DiskError(code: EIO) }
      }
      // Less than was asked for, as a disk may give.
      return try file.read(at: offset, into: .init(rebasing: buffer.prefix(5)))
    }

    /// Takes less than it is given, as a disk may.
    func overwrite(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(DiskError) -> Int {
      let count = try file.overwrite(.init(rebasing: bytes.prefix(3)), at: offset)
      if let identity = file.status?.identity {
        disk.writtenOver.note((identity, offset..<offset + count))
      }
      return count
    }

    func sync() throws(DiskError) {
      disk.calls.note("sync")
      let fails = disk.syncFailures.withLock { left in
        defer { left = max(0, left - 1) }
        return left > 0
      }
      if fails { throw DiskError(code: EIO) }
      if let identity = file.status?.identity { disk.synced.note(identity) }
      try file.sync()
    }
  }
}
