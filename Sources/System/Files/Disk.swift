import Glibc

/// The file system that state, sources and sinks use.
///
/// It is handed in with the world, so that tests run on a simulated disk: `SystemDisk` is the machine's own.
/// What SQLite does itself goes through its VFS, which lies on the same disk.
public protocol Disk: Sendable {
  /// The name of SQLite's VFS for this disk; nil for the machine's file system.
  var vfs: String? { get }
  /// Opens a file for appending and creates it if it is missing; its folder must exist.
  func open(toAppend path: String, mode: UInt32, followsLinks: Bool) throws(DiskError) -> any DiskFile
  /// Opens a file for reading; a pipe without a writer does not block.
  func open(toRead path: String, followsLinks: Bool) throws(DiskError) -> any DiskFile
  /// Opens a file for reading and for overwriting bytes in place.
  func open(toWriteOver path: String, followsLinks: Bool) throws(DiskError) -> any DiskFile
  /// Creates one folder; an existing one is no error.
  func makeFolder(_ path: String, mode: UInt32) throws(DiskError)
  /// The status of what the path leads to; nil if that is nothing.
  func status(of path: String) -> DiskStatus?
  /// Whether the name exists, even as a link that leads nowhere.
  func exists(_ path: String) -> Bool
  /// The names of files in a folder by their identities; a file without a name there is left out.
  func names(of files: Set<FileIdentity>, in folder: String) -> [FileIdentity: String]
  /// When a file was created, in seconds since 1970; where that is unknown, when it was last modified.
  func beginning(of path: String) -> Int?
  /// Renames a file and replaces a file that has the new name.
  func rename(_ old: String, to new: String) throws(DiskError)
  /// Removes a name, if possible.
  func unlink(_ path: String)
  /// How many bytes may still be written to the file system of a path; nil where that is unknown.
  func freeBytes(beside path: String) -> Int?
  /// Makes the names in a folder durable, as far as the file system can.
  func syncFolder(_ path: String)
  /// Makes the content of a file durable, if there is one, even where an earlier sync of it has failed.
  ///
  /// After a failed sync the system may treat pages as clean that it never wrote. So all bytes are written over
  /// themselves before the sync.
  func rewrite(_ path: String) throws(DiskError)
  /// Locks a file, created if it is missing, until the lock is released or the process ends, and writes the process id
  /// into it; `EWOULDBLOCK` if another holder has the lock, `ELOOP` if the name is a link.
  func lock(_ path: String) throws(DiskError) -> any DiskLock
  /// The process that has claimed or locked a file, if that is known.
  func holder(of file: FileIdentity) -> Int32?
}

extension Disk {
  public var vfs: String? { nil }

  public func freeBytes(beside path: String) -> Int? { nil }

  /// Creates one folder with the user's default rights.
  public func makeFolder(_ path: String) throws(DiskError) { try makeFolder(path, mode: 0o777) }

  /// The first bytes of a file, at most `count`; nil if there is none, `EISDIR` if it is no regular file.
  public func head(of path: String, count: Int) throws(DiskError) -> [UInt8]? {
    let file: any DiskFile
    do throws(DiskError) { file = try open(toRead: path, followsLinks: true) } catch {
      if error.code == ENOENT { return nil }
      throw error
    }
    guard let status = file.status else { throw DiskError(code: EIO) }
    guard status.isRegular else { throw DiskError(code: EISDIR) }
    var bytes = [UInt8](repeating: 0, count: min(count, status.size))
    let read = bytes.withUnsafeMutableBytes { buffer in
      Result { () throws(DiskError) in
        var done = 0
        while done < buffer.count {
          let got = try file.read(at: done, into: UnsafeMutableRawBufferPointer(rebasing: buffer[done...]))
          if got == 0 { break }
          done += got
        }
        return done
      }
    }
    bytes.removeLast(bytes.count - (try read.get()))
    return bytes
  }
}

/// An open file of a disk; its last reference closes it.
public protocol DiskFile: AnyObject, Sendable {
  var status: DiskStatus? { get }
  /// Claims the file for this process while it is open, as an advisory lock; `EWOULDBLOCK` if another process has it.
  func claim() throws(DiskError)
  /// When the file was created, in nanoseconds since 1970; nil where that is unknown.
  var birth: Int? { get }
  /// Appends at least one byte; returns how many, which may be fewer than given.
  func append(_ bytes: UnsafeRawBufferPointer) throws(DiskError) -> Int
  /// Reads once into the buffer from an offset; returns how many bytes, 0 at the end.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(DiskError) -> Int
  /// Writes at least one byte over existing ones or behind them; returns how many, which may be fewer than given.
  func overwrite(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(DiskError) -> Int
  /// Makes everything durable that any handle has written to the file since the last call.
  ///
  /// After a failure, earlier writes may be lost and later calls do not report it: the system still has them in memory
  /// and treats them as clean. Only bytes that are written again, even the same ones, become durable.
  func sync() throws(DiskError)
}

/// An advisory lock, held until its last reference goes.
public protocol DiskLock: AnyObject, Sendable {}

/// The error of a failed file operation: the system's error number.
public struct DiskError: Error, Equatable, Sendable, CustomStringConvertible {
  public var code: Int32
  public init(code: Int32) { self.code = code }

  /// Whether the disk, the user's quota or the file has no room left: worth a retry later.
  public var isFull: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }

  public var reason: String { systemReason(code) }

  public var description: String { reason }
}

/// A file's identity, which a rename does not change.
public struct FileIdentity: Hashable, Sendable {
  public var device: UInt
  public var inode: UInt

  public init(device: UInt, inode: UInt) {
    self.device = device
    self.inode = inode
  }
}

/// The identity, size and kind of a file.
public struct DiskStatus: Equatable, Sendable {
  public var identity: FileIdentity
  public var size: Int
  /// False for folders, pipes and devices.
  public var isRegular: Bool

  public init(identity: FileIdentity, size: Int, isRegular: Bool = true) {
    self.identity = identity
    self.size = size
    self.isRegular = isRegular
  }
}
