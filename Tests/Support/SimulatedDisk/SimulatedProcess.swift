import System
import Glibc

/// What one process sees of a simulated disk: files by absolute paths, and a VFS for SQLite of its own.
///
/// Once the disk has crashed or the process was killed, everything here fails for all holders; start another.
public final class SimulatedProcess: Sendable {
  let disk: SimulatedDisk
  let number: Int
  private let stops: Int
  /// The name under which SQLite finds the disk: see `sqlite3_open_v2`.
  public let vfs: String
  private let registration: SQLiteRegistration

  init(_ disk: SimulatedDisk, number: Int, stops: Int) {
    self.disk = disk
    self.number = number
    self.stops = stops
    vfs = "simulated-\(disk.number).\(number)"
    registration = SQLiteRegistration(vfs)
    registration.register(self)
  }

  deinit { registration.unregister() }

  public var isRunning: Bool { disk.state.withLock { $0.stops == stops && !$0.isStopped } }

  public func open(_ path: String, _ mode: SimulatedFile.Mode = .create) throws(DiskFailure) -> SimulatedFile
  {
    let handle = try with { (state) throws(DiskFailure) in try state.open(path, mode) }
    return SimulatedFile(disk, handle)
  }

  public func exists(_ path: String) -> Bool {
    (try? with { $0.names.current.files[path] != nil || $0.names.current.folders.contains(path) }) ?? false
  }

  public func isFolder(_ path: String) -> Bool {
    (try? with { $0.names.current.folders.contains(path) }) ?? false
  }

  /// Nil where there is no such file.
  public func size(of path: String) -> Int? {
    let size = try? with { state in
      state.names.current.files[path].flatMap { state.inodes[$0]?.content.count }
    }
    return size ?? nil
  }

  /// The names of what lies in a folder, sorted.
  public func list(_ folder: String) throws(DiskFailure) -> [String] {
    try with { (state) throws(DiskFailure) in
      let image = state.names.current
      guard image.folders.contains(folder) else { throw .system(ENOENT) }
      let inside = (Array(image.files.keys) + image.folders).filter {
        $0 != "/" && NameTable.folder(of: $0) == folder
      }
      return inside.compactMap { $0.split(separator: "/").last.map(String.init) }.sorted()
    }
  }

  public func rename(_ path: String, to target: String) throws(DiskFailure) {
    try with { (state) throws(DiskFailure) in try state.rename(path, to: target) }
  }

  public func remove(_ path: String) throws(DiskFailure) {
    try with { (state) throws(DiskFailure) in try state.remove(path) }
  }

  public func makeFolder(_ path: String) throws(DiskFailure) {
    try with { (state) throws(DiskFailure) in try state.makeFolder(path) }
  }

  public func syncFolder(_ path: String) throws(DiskFailure) {
    try with { (state) throws(DiskFailure) in try state.syncFolder(path) }
  }

  /// A whole file.
  public func read(_ path: String) throws(DiskFailure) -> [UInt8] {
    let file = try open(path, .existing)
    return try file.read(at: 0, count: file.size)
  }

  /// Makes a file what is given, as by truncating it and one write; nothing is synced.
  public func write(_ bytes: [UInt8], to path: String) throws(DiskFailure) {
    let file = try open(path)
    try file.truncate(to: 0)
    try file.append(bytes)
  }

  func with<Result: Sendable>(
    _ body: (inout DiskState) throws(DiskFailure) -> Result
  ) throws(DiskFailure) -> Result {
    try disk.state.withLock { (state) throws(DiskFailure) in
      guard state.stops == stops else { throw .stopped }
      return try body(&state)
    }
  }
}
