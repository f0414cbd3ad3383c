import Glibc
import System

/// The folder of state files, one for each pipeline: paths, creation and durability of names.
public enum StateFolder {
  /// The ends of the names of a state's files.
  package static let parts = ["", "-wal", "-shm", OutputFile.end]

  /// The default folder: the first of `$STATE_DIRECTORY`, which systemd sets, `$XDG_STATE_HOME/flow` or `~/.local/state/flow`.
  ///
  /// Nil if none of these variables is an absolute path.
  public static func standard(environment: (String) -> String?) -> String? {
    if let folder = environment("STATE_DIRECTORY")?.split(separator: ":").first, folder.hasPrefix("/") {
      return String(folder)
    }
    if let state = environment("XDG_STATE_HOME"), state.hasPrefix("/") { return "\(state)/flow" }
    guard let home = environment("HOME"), home.hasPrefix("/") else { return nil }
    return "\(home)/.local/state/flow"
  }

  /// The file of a pipeline, `NAME.db` in the folder; nil for a name that would lead elsewhere.
  public static func file(of pipeline: String, in folder: String) -> String? {
    let isPlain = !pipeline.isEmpty && !pipeline.hasPrefix(".") && pipeline.utf8.count <= 200
    let leads = pipeline.utf8.contains { $0 == 0x2f || $0 < 0x20 || $0 == 0x7f }
    return isPlain && !leads ? "\(folder)/\(pipeline).db" : nil
  }

  /// Creates the folder of a path and those above it, accessible to this user only.
  package static func make(for path: String, _ disk: any Disk) throws(StoreError) {
    guard let slash = path.utf8.lastIndex(of: 0x2f), slash != path.startIndex else { return }
    let folder = String(path[..<slash])
    guard try !isMade(folder, disk) else { return }
    try make(for: folder, disk)
    guard try isMade(folder, disk) else {
      throw StoreError(folder, trying: "make the folder", DiskError(code: ENOENT))
    }
  }

  /// Makes the names in the folder of a path durable.
  static func sync(of path: String, _ disk: any Disk) {
    guard let slash = path.lastIndex(of: "/") else { return disk.syncFolder(".") }
    disk.syncFolder(slash == path.startIndex ? "/" : String(path[..<slash]))
  }

  /// Makes all folders above a path durable, even those that a killed process created.
  static func sync(above path: String, _ disk: any Disk) {
    sync(of: path, disk)
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      sync(above: String(path[..<slash]), disk)
    }
  }

  /// Creates one folder; false if the one above it is missing.
  private static func isMade(_ folder: String, _ disk: any Disk) throws(StoreError) -> Bool {
    do throws(DiskError) {
      try disk.makeFolder(folder, mode: 0o700)
      return true
    } catch {
      if error.code == ENOENT { return false }
      throw StoreError(folder, trying: "make the folder", error)
    }
  }
}

/// The lock of a state file, held until its last reference goes or the process ends in any way.
///
/// It is an advisory lock on `NAME.db.lock`, which contains the process id and is never removed: a process that waits
/// for it would otherwise lock a file that no longer has a name. The state file is claimed as well, because another
/// program may remove the lock file.
final class StateLock {
  private let lock: any DiskLock
  /// The state file, open for as long as it is claimed.
  private var claimed: (any DiskFile)?

  init(on state: String, _ disk: any Disk) throws(StoreError) {
    let path = state + ".lock"
    do throws(DiskError) {
      lock = try disk.lock(path)
    } catch {
      guard error.code == EWOULDBLOCK else { throw StoreError(path, trying: "lock", error) }
      throw StateLock.held(state, by: StateLock.holder(path, disk))
    }
  }

  /// Claims the state file, if it exists; to be called before SQLite opens it, whose locks go when any other descriptor
  /// of the file is closed.
  func claim(_ state: String, _ disk: any Disk) throws(StoreError) {
    guard let file = try? disk.open(toWriteOver: state, followsLinks: true) else { return }
    do throws(DiskError) { try file.claim() } catch {
      // A file system without locks has that of the other file, or none.
      guard error.code == EWOULDBLOCK else { return }
      throw StateLock.held(state, by: file.status.flatMap { disk.holder(of: $0.identity) })
    }
    claimed = file
  }

  private static func held(_ state: String, by holder: Int32?) -> StoreError {
    let name = holder.map { "process \($0)" } ?? "another process"
    return StoreError(
      state, .held(by: holder), "in use by \(name); a pipeline's state has one user at a time")
  }

  private static func holder(_ path: String, _ disk: any Disk) -> Int32? {
    guard let bytes = try? disk.head(of: path, count: 16) else { return nil }
    return Int32(String(decoding: bytes.prefix { $0 != 0x0a }, as: UTF8.self))
  }
}
