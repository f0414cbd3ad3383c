import CSQLite
import Glibc
import System

/// The integrity check of a file at its opening.
///
/// In a file of up to `wholeLimit` bytes it reads every page; in a larger one the header, the size and the first row of
/// each table, so that opening stays fast. Damage elsewhere appears when it is read, as an error of kind `.corrupt`.
enum IntegrityCheck {
  static let wholeLimit = 4 << 20
  private static let magic = Array("SQLite format 3\0".utf8)

  /// Checks the header before SQLite opens the file; false if there is no file.
  ///
  /// A file is whole as soon as it has its name, so an empty one was truncated.
  static func checkHeader(_ path: String, _ disk: any Disk) throws(StoreError) -> Bool {
    let header: [UInt8]
    do throws(DiskError) {
      guard let found = try disk.head(of: path, count: 100) else { return false }
      header = found
    } catch {
      guard error.code != EISDIR else { throw StoreError(path, .denied, "not a file") }
      throw StoreError(path, trying: "read the state", error)
    }
    // A power cut during the creation by version 0.1.0 may leave any header; SQLite repairs it from the journal.
    if disk.exists(path + "-journal") { return true }
    guard !header.isEmpty else { throw StoreError(path, .corrupt, "it is empty") }
    guard header.count == 100, header.starts(with: magic) else {
      throw StoreError(path, .corrupt, "it does not begin as a database does")
    }
    return true
  }

  /// Checks the open database before the first write.
  static func check(_ database: Database, _ disk: any Disk) throws(StoreError) {
    let pages = try database.integer("PRAGMA page_count") ?? 0
    let pageSize = try database.integer("PRAGMA page_size") ?? 0
    try pages * pageSize <= wholeLimit ? checkWhole(database, disk) : checkStarts(database)
  }

  private static func checkWhole(_ database: Database, _ disk: any Disk) throws(StoreError) {
    let check = { () throws(StoreError) in try database.text("PRAGMA quick_check(1)") }
    var result = try check()
    if result != "ok" {
      // SQLite reports a page that cannot be read as damaged. That is no reason to set the file aside.
      for part in ["", "-wal"] {
        do throws(DiskError) {
          _ = try disk.head(of: database.path + part, count: .max)
        } catch {
          throw StoreError(database.path + part, trying: "read the state", error)
        }
      }
      result = try check()
    }
    guard result == "ok" else {
      throw StoreError(database.path, .corrupt, result ?? "no answer", code: SQLITE_CORRUPT)
    }
  }

  private static func checkStarts(_ database: Database) throws(StoreError) {
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

/// Renames a damaged state file to a name that no run opens, so that nothing of it is lost.
enum CorruptFile {
  /// Renames the file and those beside it; returns the new name, `NAME.db.corrupt-N`.
  static func setAside(_ path: String, _ disk: any Disk) throws(StoreError) -> String {
    var number = 1
    while disk.exists("\(path).corrupt-\(number)") { number += 1 }
    let target = "\(path).corrupt-\(number)"
    // The database first: after a crash here, SQLite discards a log without its database at the next start.
    for part in StateFolder.parts {
      do throws(DiskError) {
        try disk.rename(path + part, to: target + part)
      } catch {
        guard !part.isEmpty, error.code == ENOENT else {
          throw StoreError(path + part, trying: "set it aside", error)
        }
      }
    }
    return target
  }
}
