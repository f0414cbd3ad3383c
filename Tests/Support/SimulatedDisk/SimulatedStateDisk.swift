import System
import Glibc
import Store

/// A simulated disk as a state file asks for it.
public struct SimulatedStateDisk: StateDisk {
  let process: SimulatedProcess

  public init(process: SimulatedProcess) { self.process = process }

  public func makeFolder(_ path: String) throws(StateDiskError) {
    try tell { () throws(DiskFailure) in try process.makeFolder(path) }
  }

  public func syncFolder(_ path: String) { try? process.syncFolder(path) }

  public func keep(_ path: String) throws(StateDiskError) {
    guard isThere(path) else { return }
    try tell { () throws(DiskFailure) in
      let file = try process.open(path, .existing)
      try file.write(file.read(at: 0, count: file.size), at: 0)
      try file.sync()
    }
  }

  public func isThere(_ path: String) -> Bool { process.exists(path) }

  public func rename(_ path: String, to target: String) throws(StateDiskError) {
    try tell { () throws(DiskFailure) in try process.rename(path, to: target) }
  }

  public func head(of path: String, count: Int) throws(StateDiskError) -> [UInt8]? {
    do throws(DiskFailure) {
      let file = try process.open(path, .existing)
      return try file.read(at: 0, count: min(count, file.size))
    } catch {
      if error == .system(ENOENT) { return nil }
      throw StateDiskError(code: error.code)
    }
  }

  public func lock(_ path: String) throws(StateDiskError) -> any StateDiskLock {
    try tell { () throws(DiskFailure) in
      let file = try process.open(path)
      guard try file.claim() else { throw .system(EWOULDBLOCK) }
      try? file.truncate(to: 0)
      try? file.write(Array("1\n".utf8), at: 0)
      return SimulatedLock(file)
    }
  }

  private func tell<Result>(_ body: () throws(DiskFailure) -> Result) throws(StateDiskError) -> Result {
    do throws(DiskFailure) {
      return try body()
    } catch {
      throw StateDiskError(code: error.code)
    }
  }
}

private final class SimulatedLock: StateDiskLock {
  private let file: SimulatedFile

  init(_ file: SimulatedFile) { self.file = file }
}

extension SimulatedProcess {
  /// Opens a state file here.
  public func state(
    _ path: String, _ change: (inout StateFile.Options) -> Void = { _ in }
  ) throws(StoreFailure) -> sending StateFile {
    var options = StateFile.Options()
    change(&options)
    options.database.vfs = vfs
    options.disk = SimulatedStateDisk(process: self)
    return try StateFile(path: path, options)
  }
}
