import Glibc
import SimulatedDisk

@testable import Store

/// A simulated disk as a state file asks for it.
struct SimulatedStateDisk: StateDisk {
  let process: SimulatedProcess

  func makeFolder(_ path: String) throws(StateDiskError) {
    try tell { () throws(DiskFailure) in try process.makeFolder(path) }
  }

  func syncFolder(_ path: String) { try? process.syncFolder(path) }

  func keep(_ path: String) throws(StateDiskError) {
    guard isThere(path) else { return }
    try tell { () throws(DiskFailure) in
      let file = try process.open(path, .existing)
      try file.write(file.read(at: 0, count: file.size), at: 0)
      try file.sync()
    }
  }

  func isThere(_ path: String) -> Bool { process.exists(path) }

  func rename(_ path: String, to target: String) throws(StateDiskError) {
    try tell { () throws(DiskFailure) in try process.rename(path, to: target) }
  }

  func head(of path: String, count: Int) throws(StateDiskError) -> [UInt8]? {
    do throws(DiskFailure) {
      let file = try process.open(path, .existing)
      return try file.read(at: 0, count: min(count, file.size))
    } catch {
      if error == .system(ENOENT) { return nil }
      throw StateDiskError(code: error.code)
    }
  }

  func lock(_ path: String) throws(StateDiskError) -> any StateDiskLock {
    try tell { () throws(DiskFailure) in
      let file = try process.open(path)
      guard try file.claim() else { throw .system(EWOULDBLOCK) }
      try? file.truncate(to: 0)
      try? file.write(bytes("1\n"), at: 0)
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
  func state(_ path: String, _ change: (inout StateFile.Options) -> Void = { _ in }) throws(StoreFailure)
    -> StateFile
  {
    var options = StateFile.Options()
    change(&options)
    options.database.vfs = vfs
    options.disk = SimulatedStateDisk(process: self)
    return try StateFile(path: path, options)
  }
}
