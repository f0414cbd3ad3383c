import Glibc
import Store
import System

/// A simulated disk as one process uses it: the `Disk` of state files, sources and sinks.
public struct ProcessDisk: Disk {
  let process: SimulatedProcess

  public init(process: SimulatedProcess) { self.process = process }

  public var vfs: String? { process.vfs }

  public func open(toAppend path: String, mode: UInt32, followsLinks: Bool) throws(DiskError) -> any DiskFile
  {
    try onDisk { () throws(DiskFailure) in OpenFile(try process.open(path, .create)) }
  }

  public func open(toRead path: String, followsLinks: Bool) throws(DiskError) -> any DiskFile {
    try onDisk { () throws(DiskFailure) in OpenFile(try process.open(path, .existing)) }
  }

  public func open(toWriteOver path: String, followsLinks: Bool) throws(DiskError) -> any DiskFile {
    try open(toRead: path, followsLinks: followsLinks)
  }

  public func makeFolder(_ path: String, mode: UInt32) throws(DiskError) {
    if !process.isFolder(path) { try onDisk { () throws(DiskFailure) in try process.makeFolder(path) } }
  }

  public func status(of path: String) -> DiskStatus? {
    if process.isFolder(path) {
      return DiskStatus(identity: FileIdentity(device: 0, inode: 0), size: 0, isRegular: false)
    }
    return (try? process.open(path, .existing)).flatMap { OpenFile($0).status }
  }

  public func exists(_ path: String) -> Bool { process.exists(path) }

  public func names(of files: Set<FileIdentity>, in folder: String) -> [FileIdentity: String] {
    guard let names = try? process.list(folder) else { return [:] }
    var found: [FileIdentity: String] = [:]
    for name in names {
      guard let file = status(of: "\(folder)/\(name)")?.identity, files.contains(file) else { continue }
      found[file] = found[file] ?? name
    }
    return found
  }

  public func holder(of file: FileIdentity) -> Int32? { nil }

  /// The simulated disk keeps no times.
  public func beginning(of path: String) -> Int? { nil }

  public func rename(_ old: String, to new: String) throws(DiskError) {
    try onDisk { () throws(DiskFailure) in try process.rename(old, to: new) }
  }

  public func unlink(_ path: String) { try? process.remove(path) }

  public func syncFolder(_ path: String) { try? process.syncFolder(path) }

  public func rewrite(_ path: String) throws(DiskError) {
    guard exists(path) else { return }
    try onDisk { () throws(DiskFailure) in
      let file = try process.open(path, .existing)
      try file.write(file.read(at: 0, count: file.size), at: 0)
      try file.sync()
    }
  }

  public func lock(_ path: String) throws(DiskError) -> any DiskLock {
    try onDisk { () throws(DiskFailure) in
      let file = try process.open(path)
      guard try file.claim() else { throw .system(EWOULDBLOCK) }
      try? file.truncate(to: 0)
      try? file.write(Array("1\n".utf8), at: 0)
      return OpenFile(file)
    }
  }
}

private final class OpenFile: DiskFile, DiskLock {
  private let file: SimulatedFile

  init(_ file: SimulatedFile) { self.file = file }

  var status: DiskStatus? {
    guard let inode = try? file.inode, let size = try? file.size else { return nil }
    let identity = FileIdentity(device: UInt(file.device), inode: UInt(inode))
    return DiskStatus(identity: identity, size: size)
  }

  /// One process at a time uses the disk.
  func claim() {}
  var birth: Int? { nil }

  func append(_ bytes: UnsafeRawBufferPointer) throws(DiskError) -> Int {
    try onDisk { () throws(DiskFailure) in try file.write(bytes, at: nil) }
  }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(DiskError) -> Int {
    try onDisk { () throws(DiskFailure) in try file.read(into: buffer, at: offset) }
  }

  func overwrite(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(DiskError) -> Int {
    try onDisk { () throws(DiskFailure) in try file.write(bytes, at: offset) }
  }

  func sync() throws(DiskError) { try onDisk { () throws(DiskFailure) in try file.sync() } }
}

/// Runs an operation on the simulated disk; its failure becomes the error that callers of a `Disk` know.
private func onDisk<Result>(_ body: () throws(DiskFailure) -> Result) throws(DiskError) -> Result {
  do throws(DiskFailure) {
    return try body()
  } catch {
    throw DiskError(code: error.code)
  }
}

extension SimulatedProcess {
  /// Opens a state file here.
  public func state(
    _ path: String, _ change: (inout StateFile.Options) -> Void = { _ in }
  ) throws(StoreError) -> sending StateFile {
    var options = StateFile.Options()
    change(&options)
    options.disk = ProcessDisk(process: self)
    return try StateFile(path: path, options)
  }
}
