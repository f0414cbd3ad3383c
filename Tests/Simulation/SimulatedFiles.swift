import System
import Glibc
import Engine
import Language
import SimulatedDisk

/// A simulated disk as pipelines write their files on it.
struct SimulatedFiles: Disk {
  let process: SimulatedProcess

  func open(toAppend path: String, mode: UInt32, followsLinks: Bool) throws(DiskError) -> any DiskFile {
    try tell { () throws(DiskFailure) in OpenFile(file: try process.open(path, .create)) }
  }

  func open(toRead path: String, followsLinks: Bool) throws(DiskError) -> any DiskFile {
    try tell { () throws(DiskFailure) in OpenFile(file: try process.open(path, .existing)) }
  }

  func open(toWriteOver path: String, followsLinks: Bool) throws(DiskError) -> any DiskFile {
    try open(toRead: path, followsLinks: followsLinks)
  }

  func makeFolder(_ path: String) throws(DiskError) {
    if !process.isFolder(path) { try tell { () throws(DiskFailure) in try process.makeFolder(path) } }
  }

  func status(of path: String) -> DiskStatus? {
    if process.isFolder(path) {
      return DiskStatus(identity: FileIdentity(device: 0, inode: 0), size: 0, isRegular: false)
    }
    return (try? process.open(path, .existing)).flatMap { OpenFile(file: $0).status }
  }

  func exists(_ path: String) -> Bool { process.exists(path) }

  /// The disk keeps no times.
  func beginning(of path: String) -> Int? { nil }

  func rename(_ old: String, to new: String) throws(DiskError) {
    try tell { () throws(DiskFailure) in try process.rename(old, to: new) }
  }

  func unlink(_ path: String) { try? process.remove(path) }

  func syncFolder(_ path: String) { try? process.syncFolder(path) }
}

private final class OpenFile: DiskFile {
  private let file: SimulatedFile

  init(file: SimulatedFile) { self.file = file }

  var status: DiskStatus? {
    guard let inode = try? file.inode, let size = try? file.size else { return nil }
    let identity = FileIdentity(device: UInt(file.device), inode: UInt(inode))
    return DiskStatus(identity: identity, size: size)
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws(DiskError) -> Int {
    try tell { () throws(DiskFailure) in try file.write(bytes, at: nil) }
  }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(DiskError) -> Int {
    try tell { () throws(DiskFailure) in try file.read(into: buffer, at: offset) }
  }

  func overwrite(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(DiskError) -> Int {
    try tell { () throws(DiskFailure) in try file.write(bytes, at: offset) }
  }

  func sync() throws(DiskError) { try tell { () throws(DiskFailure) in try file.sync() } }
}

private func tell<Result>(_ body: () throws(DiskFailure) -> Result) throws(DiskError) -> Result {
  do throws(DiskFailure) {
    return try body()
  } catch {
    throw DiskError(code: error.code)
  }
}
