import SimulatedDisk

/// Reads the logs along, as `tail -F` does: no file that it has seen changes but at its end, or vanishes.
struct Follower {
  private var files: [Int: [UInt8]] = [:]

  /// Checks the current content; after a power cut it starts over, since unsynced data may be lost.
  mutating func look(_ process: SimulatedProcess, wasCut: Bool) throws -> String? {
    var found: [Int: [UInt8]] = [:]
    for path in try LineCheck.all(process) {
      let file = try process.open(path, .existing)
      found[try file.inode] = try file.read(at: 0, count: file.size)
    }
    defer { files = found }
    if wasCut { return nil }
    for (inode, before) in files {
      guard let now = found[inode] else { return "file \(inode) of the log is gone" }
      if !now.starts(with: before) { return "file \(inode) of the log is not what it was" }
    }
    return nil
  }
}
