import Glibc

/// What becomes of a damaged state file: it is kept, under a name that no run opens.
enum CorruptFile {
  /// Renames the file and what SQLite keeps beside it; answers the new name, `NAME.db.corrupt-N`.
  static func setAside(_ path: String) throws(StoreFailure) -> String {
    var number = 1
    while access("\(path).corrupt-\(number)", F_OK) == 0 { number += 1 }
    let target = "\(path).corrupt-\(number)"
    // The file first: should this be cut short, a write-ahead file without its database is dropped at the next start.
    guard rename(path, target) == 0 else { throw StoreFailure(path, trying: "set it aside") }
    for part in ["-wal", "-shm"] where rename(path + part, target + part) != 0 && errno != ENOENT {
      throw StoreFailure(path + part, trying: "set it aside")
    }
    return target
  }
}
