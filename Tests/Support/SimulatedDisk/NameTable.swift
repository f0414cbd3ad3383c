import System
import Reactive

/// Which file each path names, now and as a power cut would find it.
struct NameTable {
  enum Change {
    case create(String, Int)
    case remove(String)
    case rename(String, String, Int)
    case makeFolder(String)

    func concerns(_ inode: Int) -> Bool {
      switch self {
      case .create(_, let made): made == inode
      case .rename(_, _, let moved): moved == inode
      case .remove, .makeFolder: false
      }
    }

    /// The folder whose sync makes it durable.
    var folder: String {
      switch self {
      case .create(let path, _), .remove(let path), .rename(_, let path, _), .makeFolder(let path):
        NameTable.folder(of: path)
      }
    }
  }

  struct Image {
    var files: [String: Int] = [:]
    var folders: Set<String> = ["/"]

    mutating func apply(_ change: Change) {
      switch change {
      case .create(let path, let inode): files[path] = inode
      case .remove(let path): files[path] = nil
      case .makeFolder(let path): folders.insert(path)
      case .rename(let from, let to, let inode):
        if files[from] == inode { files[from] = nil }
        files[to] = inode
      }
    }

    /// Drops what lies in folders that are not there.
    mutating func dropLost() {
      for folder in folders.sorted() where folder != "/" && !folders.contains(NameTable.folder(of: folder)) {
        folders.remove(folder)
      }
      files = files.filter { folders.contains(NameTable.folder(of: $0.key)) }
    }
  }

  private(set) var current = Image()
  private var durable = Image()
  private var unsynced: [Change] = []

  mutating func record(_ change: Change) {
    current.apply(change)
    unsynced.append(change)
  }

  /// A file's sync, which takes its name along: with a journal, everything up to where it was named.
  mutating func syncFile(_ inode: Int) {
    guard let last = unsynced.lastIndex(where: { $0.concerns(inode) }) else { return }
    for change in unsynced[...last] { durable.apply(change) }
    unsynced.removeSubrange(...last)
  }

  mutating func syncFolder(_ folder: String, isJournaled: Bool) {
    unsynced.removeAll { change in
      guard isJournaled || change.folder == folder else { return false }
      durable.apply(change)
      return true
    }
  }

  /// Leaves what was synced and, in order, some of what was not: of a whole journal, or of each folder.
  mutating func losePower(_ random: inout SplitMix64, isJournaled: Bool) {
    let folders = isJournaled ? [nil] : Set(unsynced.map(\.folder)).sorted().map(Optional.some)
    for folder in folders {
      let changes = unsynced.filter { folder == nil || $0.folder == folder }
      for change in changes.prefix(random.below(changes.count + 1)) { durable.apply(change) }
    }
    durable.dropLost()
    current = durable
    unsynced = []
  }

  /// Whether a file could still be found, by some power cut if not now.
  func mayName(_ inode: Int) -> Bool {
    current.files.values.contains(inode) || durable.files.values.contains(inode)
      || unsynced.contains { $0.concerns(inode) }
  }

  static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: 0x2f), slash != path.startIndex else { return "/" }
    return String(path[..<slash])
  }
}
