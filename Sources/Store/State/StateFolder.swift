import Glibc
import System

/// Where the state of pipelines is kept: one file a pipeline.
public enum StateFolder {
  /// The standard one: `$XDG_STATE_HOME/flow` or `~/.local/state/flow`.
  ///
  /// Nil where neither variable is set to an absolute path.
  public static func standard(environment: (String) -> String?) -> String? {
    if let state = environment("XDG_STATE_HOME"), state.hasPrefix("/") { return "\(state)/flow" }
    guard let home = environment("HOME"), home.hasPrefix("/") else { return nil }
    return "\(home)/.local/state/flow"
  }

  /// The file of a pipeline, `NAME.db` in the folder; nil where the name would lead elsewhere.
  public static func file(of pipeline: String, in folder: String) -> String? {
    let isPlain = !pipeline.isEmpty && !pipeline.hasPrefix(".") && pipeline.utf8.count <= 200
    let leads = pipeline.utf8.contains { $0 == 0x2f || $0 < 0x20 || $0 == 0x7f }
    return isPlain && !leads ? "\(folder)/\(pipeline).db" : nil
  }

  /// Makes the folder that a path lies in and those above it, for this user alone.
  static func make(for path: String, _ disk: any Disk) throws(StoreFailure) {
    guard let slash = path.utf8.lastIndex(of: 0x2f), slash != path.startIndex else { return }
    let folder = String(path[..<slash])
    guard try !isMade(folder, disk) else { return }
    try make(for: folder, disk)
    guard try isMade(folder, disk) else {
      throw StoreFailure(folder, trying: "make the folder", DiskError(code: ENOENT))
    }
  }

  /// Has the names in the folder that a path lies in outlive a power cut.
  static func sync(of path: String, _ disk: any Disk) {
    guard let slash = path.lastIndex(of: "/") else { return disk.syncFolder(".") }
    disk.syncFolder(slash == path.startIndex ? "/" : String(path[..<slash]))
  }

  /// Has a path's folders outlive a power cut too, whoever has made them and was killed then.
  static func sync(above path: String, _ disk: any Disk) {
    sync(of: path, disk)
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      sync(above: String(path[..<slash]), disk)
    }
  }

  /// False where the one above it is missing.
  private static func isMade(_ folder: String, _ disk: any Disk) throws(StoreFailure) -> Bool {
    do throws(DiskError) {
      try disk.makeFolder(folder, mode: 0o700)
      return true
    } catch {
      if error.code == ENOENT { return false }
      throw StoreFailure(folder, trying: "make the folder", error)
    }
  }
}
