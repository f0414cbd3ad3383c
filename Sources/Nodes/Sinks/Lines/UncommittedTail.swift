import System
import Glibc
import Engine
import Language

/// The part of the files after a mark, which is compared byte for byte with what a run regenerates.
///
/// Usually it is the rest of one file. If files were rotated after the mark was committed, the rest of an old file is
/// followed by all newer ones, up to the current file. If some of these were set aside since, the tail continues, from
/// the line that was not in them, in the current file.
///
/// If it must be durable, skipped data is overwritten with itself: the previous run's sync may have failed, after which
/// the data may be in memory only, and another sync would not write it.
final class UncommittedTail {
  struct Part {
    let path: String
    let identity: FileIdentity
    let file: any DiskFile
    /// Whether it was set aside because it contains something unexpected.
    let isAside: Bool
    /// Whether skipped data is overwritten with itself.
    let isRenewed: Bool
    /// Where the sink's own data begins.
    let begin: Int
  }

  enum Outcome: Equatable {
    /// All bytes are there.
    case all
    /// This many are there, followed by the end of the files.
    case end(Int)
    /// This many are there, followed by something else.
    case difference(Int)
  }

  private enum Stop { case usedUp, end, difference }

  /// The remaining parts: the rest of the first one, all of the others.
  private(set) var parts: [Part]
  /// The offset in the first part.
  private var position: Int
  /// Skipped bytes that must be found or written once more before the next ones.
  private(set) var unfinishedLine: [UInt8] = []
  /// The offset of the first byte that differs.
  private(set) var difference = 0
  /// Files that were skipped completely.
  private(set) var comparedFiles: [any DiskFile] = []
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
  /// The range of the first part that is in the buffer.
  private var chunk = 0..<0

  /// How many files had been set aside when the mark was made.
  private let asideBefore: Int?

  private init(_ parts: [Part], from mark: FileMark) {
    self.parts = parts
    position = mark.offset
    asideBefore = mark.aside
  }

  deinit { buffer.deallocate() }

  /// Finds the file of a mark: by its name, among the rotated files or among those set aside; nil if it is gone.
  ///
  /// `isRenewed` if the skipped data must be durable after the next sync; `names` if many files are looked for.
  static func find(
    _ mark: FileMark, _ old: RotatedFiles, followsLinks: Bool, isRenewed: Bool,
    names known: FolderNames? = nil
  ) throws(FileFailure) -> UncommittedTail? {
    let names: [String]
    var aside: [String] = []
    var isMoved = false
    if old.disk.status(of: old.path)?.identity == mark.identity {
      names = [old.path]
    } else if let number = old.number(of: mark.identity) {
      aside = mark.aside.map(old.aside(behind:)) ?? []
      names = (1...number).reversed().map(old.name) + aside + [old.path]
    } else {
      aside = old.aside(from: mark.identity)
      // Another process may have renamed it, as logrotate does. No other file is written before it has a mark.
      if aside.isEmpty, let moved = old.movedName(of: mark.identity, known) {
        aside = [moved]
        isMoved = true
      }
      names = aside.isEmpty ? [] : aside + [old.path]
    }
    var parts: [Part] = []
    for name in names where old.disk.exists(name) {
      let (file, isRenewed) = try open(name, on: old.disk, followsLinks, isRenewed)
      guard let status = file.status else { continue }
      parts.append(
        Part(
          path: name, identity: status.identity, file: file, isAside: aside.contains(name),
          isRenewed: isRenewed && status.isRegular, begin: isMoved && name == old.path ? status.size : 0))
    }
    guard let first = parts.first, first.identity == mark.identity, mark.isOf(first.file) else { return nil }
    return UncommittedTail(parts, from: mark)
  }

  /// Opens a part; one that may only be appended to is opened for reading.
  private static func open(
    _ name: String, on disk: any Disk, _ followsLinks: Bool, _ isRenewed: Bool
  ) throws(FileFailure) -> (any DiskFile, isRenewed: Bool) {
    try FileFailure.of(name, trying: "read what it holds") { () throws(DiskError) in
      if isRenewed {
        do throws(DiskError) {
          return (try disk.open(toWriteOver: name, followsLinks: followsLinks), true)
        } catch {
          guard [EACCES, EPERM, EROFS].contains(error.code) else { throw error }
        }
      }
      return (try disk.open(toRead: name, followsLinks: followsLinks), false)
    }
  }

  /// The mark after the data skipped so far.
  var mark: FileMark {
    var mark = FileMark(parts[0].identity, at: position, aside: asideBefore)
    mark.fingerprint = FileFingerprint(parts[0].file, upTo: position)
    return mark
  }

  /// Whether the current file contains nothing of ours, so that a line of its own must be begun.
  var beginsLine: Bool { parts[0].begin > 0 && position == parts[0].begin }

  /// How many bytes the first file is shorter than the mark.
  var missing: Int { max(0, position - (parts[0].file.status?.size ?? 0)) }

  /// How many bytes have not been skipped yet.
  var remaining: Int {
    parts.dropFirst().reduce((parts[0].file.status?.size ?? 0) - position) {
      $0 + ($1.file.status?.size ?? 0) - $1.begin
    } + missing
  }

  /// Syncs everything that was skipped.
  func sync() throws(FileFailure) {
    for file in comparedFiles + [parts[0].file] {
      try FileFailure.of(parts[0].path, trying: "write to the disk") { () throws(DiskError) in try file.sync()
      }
    }
  }

  /// Skips the bytes that the files already contain.
  ///
  /// If the files end or contain something else, `unfinishedLine` is what precedes the bytes that were not found: the beginning
  /// of their line, which is not whole in any file. After an error, call it again with the rest.
  func passOver(_ bytes: UnsafeRawBufferPointer) throws(FileFailure) -> Outcome {
    var done = 0
    do throws(FileFailure) {
      while true {
        switch try unfinishedLine.isEmpty ? compare(bytes, from: &done) : compareUnfinishedLine() {
        case .usedUp: if done == bytes.count { return .all }
        case .end where parts.count == 1: return .end(done)
        case .end where try !isWithinLine(): advance()
        // Files are not rotated within a line: an earlier file that ends within one has lost the rest in a power cut.
        case .end, .difference:
          try stepBack()
          if !parts[0].isAside { return .difference(done) }
          advance()
        }
      }
    } catch {
      throw error.counting(done)
    }
  }

  private func compareUnfinishedLine() throws(FileFailure) -> Stop {
    var done = 0
    defer { unfinishedLine.removeFirst(done) }
    let bytes = unfinishedLine
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(FileFailure) in try compare(bytes, from: &done) }
    }
    return try result.get()
  }

  private func compare(_ bytes: UnsafeRawBufferPointer, from done: inout Int) throws(FileFailure) -> Stop {
    while done < bytes.count {
      if !chunk.contains(position) {
        let count = try renew(parts[0], at: position)
        chunk = position..<position + count
        if count == 0 { return .end }
      }
      let here = UnsafeRawBufferPointer(rebasing: buffer[(position - chunk.lowerBound)..<chunk.count])
      let there = UnsafeRawBufferPointer(rebasing: bytes[done...].prefix(here.count))
      let same = equalBytes(here, there)
      done += same
      position += same
      if same < there.count { return .difference }
    }
    return .usedUp
  }

  /// Reads data into the buffer and has the next sync write it to the disk; returns how much.
  private func renew(_ part: Part, at offset: Int) throws(FileFailure) -> Int {
    chunk = 0..<0
    let count = try read(part, at: offset, into: buffer)
    var done = 0
    while part.isRenewed, done < count {
      let rest = UnsafeRawBufferPointer(rebasing: buffer[done..<count])
      done += try FileFailure.of(part.path, trying: "write over what it holds") { () throws(DiskError) in
        try part.file.overwrite(rest, at: offset + done)
      }
    }
    return count
  }

  /// Renews all data that was not skipped, which stays as it is.
  func renewRest() throws(FileFailure) {
    for (number, part) in parts.enumerated() where part.isRenewed {
      var place = number == 0 ? position : part.begin
      while case let count = try renew(part, at: place), count > 0 { place += count }
    }
  }

  private func isWithinLine() throws(FileFailure) -> Bool {
    let byte = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
    defer { byte.deallocate() }
    guard position > 0, try read(parts[0], at: position - 1, into: byte) == 1 else { return false }
    return byte[0] != 0x0a
  }

  private func advance() {
    comparedFiles.append(parts.removeFirst().file)
    position = parts[0].begin
    chunk = 0..<0
  }

  /// Goes back to the beginning of the line that differs, even if that is before the mark.
  private func stepBack() throws(FileFailure) {
    var line: [UInt8] = []
    var start = position
    difference = position
    while start > 0 {
      let count = min(start, 4096)
      let before = try bytes(at: start - count, count)
      let end = before.lastIndex(of: 0x0a).map { $0 + 1 } ?? 0
      line.insert(contentsOf: before[end...], at: 0)
      start -= count - end
      if end > 0 { break }
    }
    position = start
    unfinishedLine.insert(contentsOf: line, at: 0)
  }

  private func bytes(at offset: Int, _ count: Int) throws(FileFailure) -> [UInt8] {
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { room.deallocate() }
    var done = 0
    while done < count {
      let more = try read(parts[0], at: offset + done, into: .init(rebasing: room[done...]))
      guard more > 0 else { throw FileFailure(parts[0].path, "was truncated while it was read") }
      done += more
    }
    return Array(room)
  }

  private func read(
    _ part: Part, at offset: Int, into room: UnsafeMutableRawBufferPointer
  ) throws(FileFailure) -> Int {
    try FileFailure.of(part.path, trying: "read what it holds") { () throws(DiskError) in
      try part.file.read(at: offset, into: room)
    }
  }
}

/// The length of the common prefix.
private func equalBytes(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Int {
  let count = min(one.count, other.count)
  guard count > 0, let left = one.baseAddress, let right = other.baseAddress else { return 0 }
  if memcmp(left, right, count) == 0 { return count }
  return (0..<count).first { one[$0] != other[$0] } ?? count
}
