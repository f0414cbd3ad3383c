import CGlibc
import Glibc

/// When a file gives its name to a new one, and what is kept of those before.
struct Rotation: Sendable {
  /// Bytes that a file is not to grow beyond, except by one buffer that alone is larger.
  var size: Int?
  /// Seconds after its beginning that a file is written to no more.
  var age: Int?
  /// How many old files stay, one at least.
  var keep = 7
  /// Old files are packed.
  var gzip = false
}

/// A file that is appended to and rotated: `x` becomes `x.1`, that `x.2`, and so on; packed, `x.1.gz`.
///
/// A line is in one file only, and files are renamed, never copied: who follows the name, as `tail -F` does, sees each
/// line once. Packing has a thread of its own.
final class RotatingFile {
  private let file: AppendFile
  private let rotation: Rotation
  private let note: (String) -> Void
  /// When the file was begun, in seconds since 1970, and which one that was.
  private var begin: Int
  private var current: FileIdentity
  private var packing: Job?
  /// After a rotation that failed, the time of the next try.
  private var notBefore = Int.min

  init(
    _ path: String, _ rotation: Rotation, _ options: AppendFile.Options = .init(), now: Int,
    note: @escaping (String) -> Void = { _ in }
  ) throws(FileFailure) {
    self.rotation = rotation
    self.note = note
    file = try AppendFile(path, options, note: note)
    current = file.identity
    begin = file.size > 0 ? beginning(of: path) ?? now : now
    tidy()
  }

  /// Adds a buffer of whole lines, in a new file where it is time for one; `now` in seconds since 1970.
  func append(_ bytes: UnsafeRawBufferPointer, now: Int) throws(FileFailure) {
    if packing?.isDone == true { finishPacking() }
    if isDue(bytes.count, now) { try rotate(now) }
    try file.append(bytes)
    if file.identity != current {
      // Somebody else has moved it.
      current = file.identity
      begin = now
    }
  }

  func append(_ bytes: [UInt8], now: Int) throws(FileFailure) {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(FileFailure) in try append(bytes, now: now) }
    }
    try result.get()
  }

  func sync() throws(FileFailure) { try file.sync() }

  /// Returns when nothing is being packed.
  func finishPacking() {
    packing?.wait()
    if let failure = packing?.failure { note("\(failure); it stays as it is") }
    packing = nil
  }

  private func isDue(_ count: Int, _ now: Int) -> Bool {
    // Not within a line, of which a full disk may have left the rest to come.
    guard file.isRegular, file.size > 0, file.isAtLineStart, now >= notBefore else { return false }
    if let size = rotation.size, file.size + count > size { return true }
    return rotation.age.map { now - begin >= $0 } ?? false
  }

  private func rotate(_ now: Int) throws(FileFailure) {
    finishPacking()
    do throws(FileFailure) {
      try shift()
      try move(file.path, to: name(1))
    } catch {
      note("\(error); the file is written on, and rotated a minute later")
      notBefore = now + 60
      return
    }
    try file.reopen()
    current = file.identity
    begin = now
    pack()
  }

  // MARK: - Old files

  private func name(_ number: Int) -> String { "\(file.path).\(number)" }
  private var keep: Int { max(rotation.keep, 1) }

  /// Frees the first number, from the oldest on: whenever it stops, each line is in one file.
  private func shift() throws(FileFailure) {
    let taken = (1...keep).prefix { exists(name($0)) || exists("\(name($0)).gz") }.count
    if taken == keep {
      unlink(name(keep))
      unlink("\(name(keep)).gz")
    }
    for number in stride(from: min(taken, keep - 1), to: 0, by: -1) {
      for suffix in ["", ".gz"] where exists(name(number) + suffix) {
        try move(name(number) + suffix, to: name(number + 1) + suffix)
      }
    }
  }

  private func move(_ old: String, to new: String) throws(FileFailure) {
    guard rename(old, new) == 0 else { throw FileFailure(old, trying: "rename to \(new)") }
  }

  private func pack() {
    guard rotation.gzip else { return }
    let path = name(1)
    packing = Job { () throws(FileFailure) in try gzipFile(path) }
  }

  /// Ends what a crash has interrupted.
  private func tidy() {
    unlink("\(name(1)).gz.tmp")
    guard exists(name(1)) else { return }
    if exists("\(name(1)).gz") {
      unlink(name(1))
    } else {
      pack()
    }
  }
}

private func exists(_ path: String) -> Bool {
  var status = stat()
  return lstat(path, &status) == 0
}

/// When a file was made, in seconds since 1970; where the system does not know, when it was last written to.
private func beginning(of path: String) -> Int? {
  var status = statx()
  guard statx(AT_FDCWD, path, 0, UInt32(STATX_BTIME | STATX_MTIME), &status) == 0 else { return nil }
  return Int(status.stx_mask & UInt32(STATX_BTIME) != 0 ? status.stx_btime.tv_sec : status.stx_mtime.tv_sec)
}
