import Glibc
import System

/// What becomes of a damaged state file: it is kept, under a name that no run opens.
enum CorruptFile {
  /// Renames the file and what SQLite keeps beside it; answers the new name, `NAME.db.corrupt-N`.
  static func setAside(_ path: String, _ disk: any Disk) throws(StoreFailure) -> String {
    var number = 1
    while disk.exists("\(path).corrupt-\(number)") { number += 1 }
    let target = "\(path).corrupt-\(number)"
    // The file first: should this be cut short, a write-ahead file without its database is dropped at the next start.
    for part in ["", "-wal", "-shm"] {
      do throws(DiskError) {
        try disk.rename(path + part, to: target + part)
      } catch {
        guard !part.isEmpty, error.code == ENOENT else {
          throw StoreFailure(path + part, trying: "set it aside", error)
        }
      }
    }
    return target
  }
}
