import Glibc
import System

/// The large outputs of an outbox, in a file beside the state, `NAME.db-outputs`; the row of each names its range there.
///
/// SQLite writes a large value page by page, into its log and again into the database: 100,000 lines from standard input
/// into a file took three times the processor time and twice the bytes on the disk.
///
/// 1. An output is in the file, and synced, before the transaction that names its range is committed. So only states
///    whose commits are synced have the file.
/// 2. A range is written again only behind a committed transaction that has no row for it. So a reader whose row is
///    still there after it has read the range has read that row's output.
/// 3. The file is removed when the state is opened or closed and no row names a range.
final class OutputFile {
  static let end = "-outputs"

  /// The fewest bytes of an output that is put here.
  let least: Int
  private let path: String
  private let disk: any Disk
  private var file: (any DiskFile)?
  /// The ranges that rows name, or will name once the open transaction is committed; in order.
  private var used: [Range<Int>] = []
  private var isSynced = true

  init(of state: String, on disk: any Disk, least: Int = .max) {
    self.least = least
    path = state + Self.end
    self.disk = disk
  }

  var isUsed: Bool { !used.isEmpty }

  /// Takes note of the rows that are there; removes the file without any, unless a power cut could bring rows back.
  func begin(_ database: Database, mayRemove: Bool) throws(StoreError) {
    guard disk.exists(path) else { return }
    try noteUsed(in: database)
    // On a full disk it stays, for the next time.
    guard used.isEmpty, mayRemove, (try? Schema.note(hasOutputs: false, in: database)) != nil else { return }
    file = nil
    disk.unlink(path)
  }

  /// Frees the ranges that no row names any more; called before a transaction.
  func free(in database: Database) throws(StoreError) {
    if isUsed { try noteUsed(in: database) }
  }

  private func noteUsed(in database: Database) throws(StoreError) {
    used = try database.access.hold { () throws(StoreError) in try database.outputRanges() }
      .sorted { $0.lowerBound < $1.lowerBound }
  }

  /// Writes an output into the first gap that holds it.
  func put(_ bytes: [UInt8]) throws(StoreError) -> Range<Int> {
    var (start, place) = (0, 0)
    while place < used.count, used[place].lowerBound - start < bytes.count {
      (start, place) = (used[place].upperBound, place + 1)
    }
    let range = start..<start + bytes.count
    // Also where the transaction is undone: what is left of it is free again before the next one.
    used.insert(range, at: place)
    isSynced = false
    do throws(DiskError) {
      let file = try opened()
      var done = 0
      while done < bytes.count {
        let result: Result<Int, DiskError> = bytes.withUnsafeBytes { all in
          Result { () throws(DiskError) in
            try file.overwrite(UnsafeRawBufferPointer(rebasing: all[done...]), at: start + done)
          }
        }
        done += try result.get()
      }
      crashPoint("outputs.written")
    } catch {
      throw StoreError(path, trying: "store an output", error)
    }
    return range
  }

  /// Makes durable what was written since the last call.
  func sync() throws(StoreError) {
    guard !isSynced, let file else { return }
    guard disk.status(of: path)?.identity == file.status?.identity else {
      throw StoreError(path, .gone, "removed while it was in use; nothing more is kept")
    }
    do throws(DiskError) { try file.sync() } catch {
      throw StoreError(path, trying: "store an output", error)
    }
    isSynced = true
    crashPoint("outputs.synced")
  }

  /// The output in a range.
  func read(_ range: Range<Int>) throws(StoreError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    do throws(DiskError) {
      let file = if let file { file } else { try disk.open(toRead: path, followsLinks: false) }
      var done = 0
      while done < bytes.count {
        let result: Result<Int, DiskError> = bytes.withUnsafeMutableBytes { all in
          Result { () throws(DiskError) in
            try file.read(
              at: range.lowerBound + done, into: UnsafeMutableRawBufferPointer(rebasing: all[done...]))
          }
        }
        let count = try result.get()
        if count == 0 { throw DiskError(code: ENOENT) }
        done += count
      }
    } catch {
      guard error.code == ENOENT else { throw StoreError(path, trying: "read an output", error) }
      throw StoreError(
        path, .refused,
        "an output that is still to be written is missing here; the file belongs to the state and moves with it:"
          + " put it back, or discard the output with flow state reset PIPELINE SINK")
    }
    return bytes
  }

  private func opened() throws(DiskError) -> any DiskFile {
    if let file { return file }
    _ = try disk.open(toAppend: path, mode: 0o600, followsLinks: false)
    disk.syncFolder(splitPath(path).folder)
    let opened = try disk.open(toWriteOver: path, followsLinks: false)
    file = opened
    return opened
  }
}

extension Statement {
  /// Binds the range of an output in the output file, as a text in place of its bytes.
  func bind(_ place: Int32, _ range: Range<Int>) throws(StoreError) {
    try bind(place, "\(range.lowerBound) \(range.upperBound)")
  }

  /// The range that a column names; nil for one with the bytes themselves.
  func outputRange(_ column: Int32) -> Range<Int>? {
    guard case .text(let text) = self.column(column) else { return nil }
    let ends = String(decoding: text, as: UTF8.self).split(separator: " ").compactMap { Int($0) }
    return ends.count == 2 && ends[0] <= ends[1] ? ends[0]..<ends[1] : nil
  }
}
