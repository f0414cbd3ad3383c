import Glibc
import System

/// The large outputs of an outbox, in a file beside the state, `NAME.db-outputs`; the row of each names its range there.
///
/// SQLite writes a large value page by page, into its log and again into the database: 100,000 lines from standard input
/// into a file took twice the processor time and twice the bytes on the disk.
///
/// 1. An output is in the file, and synced, before the transaction that names its range is committed. So only states
///    whose commits are synced have the file.
/// 2. A range is written with another output only behind a committed transaction that has no row for it: a commit that
///    failed may be there all the same. So a reader whose row is still there after it has read the range has read that
///    row's output; a hash in the row finds files that do not belong together.
/// 3. The file is removed when a state whose commits are synced is opened or closed and no row names a range; not when it
///    is closed after a commit that failed, which a power cut may bring back with the log.
final class OutputFile {
  static let end = "-outputs"

  /// A part of the file, and the hash of the output in it; in its row a text in place of the bytes.
  struct Part: Equatable {
    var range: Range<Int>
    var hash: UInt64

    init(_ bytes: [UInt8], at start: Int) {
      range = start..<start + bytes.count
      hash = Self.hash(of: bytes)
    }

    init?(_ text: String) {
      let words = text.split(separator: " ")
      guard words.count == 3, let start = Int(words[0]), let end = Int(words[1]), 0 <= start, start <= end,
        let hash = UInt64(words[2], radix: 16)
      else { return nil }
      (range, self.hash) = (start..<end, hash)
    }

    var text: String { "\(range.lowerBound) \(range.upperBound) \(String(hash, radix: 16))" }

    /// Eight bytes at a time, since it is taken of all that is written.
    static func hash(of bytes: [UInt8]) -> UInt64 {
      bytes.withUnsafeBytes { all in
        var hash = StableHash().value
        for start in stride(from: 0, to: all.count & ~7, by: 8) {
          hash = (hash ^ all.loadUnaligned(fromByteOffset: start, as: UInt64.self)) &* 0x100_0000_01b3
          hash ^= hash >> 32
        }
        return StableHash(all[(all.count & ~7)...], from: hash).value
      }
    }
  }

  /// A row that names a part.
  struct Row: Equatable {
    var sink: String
    var place: OutputPlace
    var part: Part
    /// Whether the transaction that has put it is known to be committed, or to have left it to a later one.
    var isSettled = true
  }

  /// The fewest bytes of an output that is put here.
  let least: Int
  private let path: String
  private let disk: any Disk
  private var file: (any DiskFile)?
  /// The rows that name parts, or may do so, in the order of the parts.
  private var rows: [Row] = []
  private var isSynced = true
  /// The bytes that rows name, and those that were put since it was last looked at which rows are left.
  private var (size, added) = (0, 0)

  init(of state: String, on disk: any Disk, least: Int = .max) {
    self.least = least
    path = state + Self.end
    self.disk = disk
  }

  var isUsed: Bool { !rows.isEmpty }

  /// Whether a transaction with outputs has failed, and none was committed since: it may be there all the same.
  var isInDoubt: Bool { rows.contains { !$0.isSettled } }

  /// Whether as much was put as rows name: looking at all of them after each of a backlog would take longer and longer.
  var isDue: Bool { isUsed && added >= size }

  /// Whether there is a file.
  var isThere: Bool { disk.exists(path) }

  /// Takes note of the rows that name parts.
  func begin(_ known: [Row]) { setRows(known.sorted { $0.part.range.lowerBound < $1.part.range.lowerBound }) }

  private func setRows(_ left: [Row]) {
    rows = left
    (size, added) = (left.reduce(0) { $0 + $1.part.range.count }, 0)
  }

  /// Removes the file, which no row names a part of.
  func remove() {
    file = nil
    if isThere { disk.unlink(path) }
  }

  /// Frees the parts whose rows are gone; called before a transaction, where that is due.
  func free(isLeft: (Row) throws(StoreError) -> Bool) throws(StoreError) {
    var left: [Row] = []
    for row in rows {
      let isNamed = try isLeft(row)
      if isNamed || !row.isSettled { left.append(row) }
    }
    setRows(left)
  }

  /// A transaction has been committed.
  func didCommit() { for index in rows.indices { rows[index].isSettled = true } }

  /// Writes an output into the first gap that holds it; again where a transaction with it has failed.
  func put(_ bytes: [UInt8], of sink: String, at outputPlace: OutputPlace) throws(StoreError) -> Part {
    if file == nil, rows.contains(where: \.isSettled), !isThere { throw missing() }
    var part = Part(bytes, at: 0)
    let known = rows.first {
      $0.sink == sink && $0.place == outputPlace && $0.part.hash == part.hash
        && $0.part.range.count == bytes.count
    }
    if let known {
      part = known.part
    } else {
      var (start, place) = (0, 0)
      while place < rows.count, rows[place].part.range.lowerBound - start < bytes.count {
        (start, place) = (max(start, rows[place].part.range.upperBound), place + 1)
      }
      part.range = start..<start + bytes.count
      added += bytes.count
      rows.insert(Row(sink: sink, place: outputPlace, part: part, isSettled: false), at: place)
    }
    isSynced = false
    do throws(DiskError) {
      let file = try opened()
      var done = 0
      while done < bytes.count {
        let result: Result<Int, DiskError> = bytes.withUnsafeBytes { all in
          Result { () throws(DiskError) in
            try file.overwrite(
              UnsafeRawBufferPointer(rebasing: all[done...]), at: part.range.lowerBound + done)
          }
        }
        done += try result.get()
      }
      crashPoint("outputs.written")
    } catch {
      throw StoreError(path, trying: "store an output", error)
    }
    return part
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

  /// The output in a part.
  func read(_ part: Part) throws(StoreError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: part.range.count)
    do throws(DiskError) {
      let file = if let file { file } else { try disk.open(toRead: path, followsLinks: false) }
      var done = 0
      while done < bytes.count {
        let result: Result<Int, DiskError> = bytes.withUnsafeMutableBytes { all in
          Result { () throws(DiskError) in
            try file.read(
              at: part.range.lowerBound + done, into: UnsafeMutableRawBufferPointer(rebasing: all[done...]))
          }
        }
        let count = try result.get()
        if count == 0 { throw DiskError(code: ENOENT) }
        done += count
      }
    } catch {
      throw error.code == ENOENT ? missing() : StoreError(path, trying: "read an output", error)
    }
    guard Part.hash(of: bytes) == part.hash else { throw missing() }
    return bytes
  }

  private func missing() -> StoreError {
    StoreError(
      path, .refused,
      "an output that is still to be written is missing here; the file belongs to the state and moves with it:"
        + " put it back, or discard the output with flow state reset PIPELINE SINK")
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
