import CSQLite
import Glibc
import System

/// Whether a file is what SQLite left there, as far as can be told at once.
///
/// Up to `wholeLimit` bytes every page is looked at; of a larger file, its header, its size and the start of each
/// table, so that opening stays quick. What is missed is found when it is read, as a failure of kind `.corrupt`.
enum Soundness {
  static let wholeLimit = 4 << 20
  private static let magic = Array("SQLite format 3\0".utf8)

  /// Before SQLite touches the file: false where there is nothing yet.
  static func checkHeader(_ path: String, _ disk: any Disk) throws(StoreFailure) -> Bool {
    let header: [UInt8]
    do throws(DiskError) {
      // A run that was killed while it made the file may leave it empty.
      guard let found = try disk.head(of: path, count: 100), !found.isEmpty else { return false }
      header = found
    } catch {
      guard error.code != EISDIR else { throw StoreFailure(path, .denied, "not a file") }
      throw StoreFailure(path, trying: "read the state", error)
    }
    // A power cut while the file was made may leave anything in it, which its journal sets right.
    if disk.exists(path + "-journal") { return true }
    guard header.count == 100, header.starts(with: magic) else {
      throw StoreFailure(path, .corrupt, "it does not begin as a database does")
    }
    return true
  }

  /// Once it is open, before anything is written.
  static func check(_ database: Database, _ disk: any Disk) throws(StoreFailure) {
    let pages = try database.integer("PRAGMA page_count") ?? 0
    let pageSize = try database.integer("PRAGMA page_size") ?? 0
    try pages * pageSize <= wholeLimit ? checkWhole(database, disk) : checkStarts(database)
  }

  private static func checkWhole(_ database: Database, _ disk: any Disk) throws(StoreFailure) {
    let check = { () throws(StoreFailure) in try database.text("PRAGMA quick_check(1)") }
    var answer = try check()
    if answer != "ok" {
      // SQLite takes a page that could not be read for a damaged one, which is no reason to set the file aside.
      for part in ["", "-wal"] {
        do throws(DiskError) {
          _ = try disk.head(of: database.path + part, count: .max)
        } catch {
          throw StoreFailure(database.path + part, trying: "read the state", error)
        }
      }
      answer = try check()
    }
    guard answer == "ok" else {
      throw StoreFailure(database.path, .corrupt, answer ?? "no answer", code: SQLITE_CORRUPT)
    }
  }

  private static func checkStarts(_ database: Database) throws(StoreFailure) {
    let tables = try Statement("SELECT name FROM sqlite_schema WHERE type = 'table'", of: database)
    defer { tables.reset() }
    while try tables.step() {
      let name = tables.text(0).split(separator: "\"").joined()
      let row = try Statement("SELECT * FROM \"\(name)\" LIMIT 1", of: database)
      _ = try row.step()
      row.reset()
    }
  }
}
