import Glibc

/// An open file on a simulated disk, closed with its last reference.
public final class SimulatedFile: Sendable {
  public enum Mode: Sendable {
    case existing
    case create
    /// Fails where there is one already.
    case createNew
  }

  let disk: SimulatedDisk
  /// What locks on it are held by.
  let handle: Int

  init(_ disk: SimulatedDisk, _ handle: Int) {
    self.disk = disk
    self.handle = handle
  }

  deinit { close() }

  public func close() { disk.state.withLock { $0.close(handle) } }

  /// Fills as much of the buffer as there is; answers how much.
  public func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) throws(DiskFailure) -> Int {
    try with { (state) throws(DiskFailure) in try state.read(handle, into: target, at: offset) }
  }

  public func read(at offset: Int, count: Int) throws(DiskFailure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let done = try withBytes(&bytes) { (buffer) throws(DiskFailure) in try self.read(into: buffer, at: offset)
    }
    bytes.removeLast(count - done)
    return bytes
  }

  /// Writes at a place, or at the end where none is given; answers how much, which may be less where there is no room
  /// for more, as `write` does.
  public func write(_ source: UnsafeRawBufferPointer, at offset: Int?) throws(DiskFailure) -> Int {
    try with { (state) throws(DiskFailure) in try state.write(handle, source, at: offset) }
  }

  /// Writes all at a place; where it fails, a part may have been written.
  public func write(_ bytes: [UInt8], at offset: Int) throws(DiskFailure) {
    var done = 0
    while done < bytes.count { done += try writePart(bytes[done...], at: offset + done) }
  }

  /// Writes all at the end; where it fails, a part may have been written.
  public func append(_ bytes: [UInt8]) throws(DiskFailure) {
    var done = 0
    while done < bytes.count { done += try writePart(bytes[done...], at: nil) }
  }

  public func truncate(to size: Int) throws(DiskFailure) {
    try with { (state) throws(DiskFailure) in try state.truncate(handle, to: size) }
  }

  /// Waits until what was written would outlive a power cut, the file's name too unless the disk has it otherwise.
  public func sync() throws(DiskFailure) {
    try with { (state) throws(DiskFailure) in try state.sync(handle) }
  }

  public var size: Int {
    get throws(DiskFailure) {
      try with { (state) throws(DiskFailure) in
        let inode = try state.inode(of: handle)
        if state.isStopped { throw .stopped }
        return state.inodes[inode]?.content.count ?? 0
      }
    }
  }

  /// Which file it is, whatever it is called; a number is never used again.
  public var inode: Int {
    get throws(DiskFailure) { try with { (state) throws(DiskFailure) in try state.inode(of: handle) } }
  }

  /// Which disk it is on.
  public var device: Int { disk.number }

  /// Claims the file, as `flock` does, until it is closed or the process ends; false where another handle has.
  public func claim() throws(DiskFailure) -> Bool {
    try with { (state) throws(DiskFailure) in
      let inode = try state.inode(of: handle)
      guard (state.inodes[inode]?.claimant ?? handle) == handle else { return false }
      state.inodes[inode]?.claimant = handle
      return true
    }
  }

  func with<Result: Sendable>(
    _ body: (inout DiskState) throws(DiskFailure) -> Result
  ) throws(DiskFailure) -> Result {
    try disk.state.withLock { (state) throws(DiskFailure) in try body(&state) }
  }

  private func writePart(_ bytes: ArraySlice<UInt8>, at offset: Int?) throws(DiskFailure) -> Int {
    let result = bytes.withUnsafeBytes { buffer in
      Result { () throws(DiskFailure) in try write(buffer, at: offset) }
    }
    return try result.get()
  }

  private func withBytes(
    _ bytes: inout [UInt8], _ body: (UnsafeMutableRawBufferPointer) throws(DiskFailure) -> Int
  ) throws(DiskFailure) -> Int {
    let result = bytes.withUnsafeMutableBytes { buffer in
      Result { () throws(DiskFailure) in try body(buffer) }
    }
    return try result.get()
  }
}
