import Engine
import Language
import System

/// A file that is appended to and rotated: `x` becomes `x.1`, that `x.2`, and so on; compressed, `x.1.gz`.
///
/// A line is in one file only. Files are renamed, never copied, so that a follower of the name, such as `tail -F`, sees
/// each line once. Compression runs in a thread of its own.
///
/// A file may be resumed at a mark: what it contains past the mark is compared with what is appended, and skipped while
/// both are equal. If they differ, the file is set aside with all lines skipped so far, and a new one begins with the
/// line that differs.
final class RotatingFile {
  private let file: AppendFile
  private let rotation: Rotation
  private let old: RotatedFiles
  private let pinned: PinnedFiles
  private let note: (String) -> Void
  private let warn: (String) -> Void
  /// When the file was begun, in seconds since 1970, and its identity.
  private var begin: Int
  private var current: FileIdentity
  private var packing: Job?
  /// Whether rotated files wait to be compressed until marks are committed.
  private var needsPacking = false
  /// How many files were set aside so far.
  private var asideCount: Int
  /// After a failed rotation, the time of the next attempt.
  private var notBefore = Int.min
  /// How long a rotation that failed waits for the next try, in seconds.
  private static let pause = 60

  /// The uncommitted tail, which is skipped before anything is written.
  private var tail: UncommittedTail?
  /// The beginning of a line that must be written before the next bytes, which complete it.
  private var unfinishedLine: [UInt8] = []
  /// Whether the next bytes must begin a line of their own.
  private var beginsLine = false

  init(
    _ path: String, _ rotation: Rotation, _ options: AppendFile.Options = .init(),
    on disk: any Disk = SystemDisk(), resuming mark: FileMark? = nil, pinned: PinnedFiles = PinnedFiles(),
    syncs: Bool = false, now: Int,
    note: @escaping (String) -> Void = { _ in }, warn: @escaping (String) -> Void = { _ in }
  ) throws(FileFailure) {
    self.rotation = rotation
    self.pinned = pinned
    self.note = note
    self.warn = warn
    old = RotatedFiles(of: path, keep: rotation.keep, on: disk)
    file = try AppendFile(path, options, on: disk, isResumed: mark != nil, note: note)
    current = file.identity
    asideCount = old.asideCount
    begin = file.size > 0 ? disk.beginning(of: path) ?? now : now
    if let mark, file.isRegular { try resume(at: mark, options, syncs) }
    old.completePacking()
    pack()
  }

  /// The identity of the current file.
  var identity: FileIdentity { file.identity }

  /// Folders whose entries may not have been synced.
  var newFolders: [String] { file.newFolders }

  /// Appends a buffer of whole lines; `now` in seconds since 1970.
  ///
  /// The file is rotated first if it is due, unless it was prepared for these lines.
  func append(
    _ bytes: UnsafeRawBufferPointer, now: Int, isPrepared: Bool = false
  ) throws(FileFailure) {
    let passed = try skip(bytes, now: now)
    if tail != nil { return }
    do throws(FileFailure) { try catchUp() } catch { throw error.counting(passed) }
    guard passed < bytes.count else { return }
    do throws(FileFailure) {
      try add(UnsafeRawBufferPointer(rebasing: bytes[passed...]), now, mayRotate: !isPrepared)
    } catch {
      throw error.counting(passed + error.written)
    }
  }

  /// Skips the bytes that the uncommitted tail contains; returns how many.
  ///
  /// Where that ends, the others may belong to a file that has no mark.
  func skip(_ bytes: UnsafeRawBufferPointer, now: Int) throws(FileFailure) -> Int {
    try tail.map { tail throws(FileFailure) in try passOver(bytes, tail, now) } ?? 0
  }

  /// Removes and returns the beginning of a line that must come before the next bytes.
  func takeUnfinishedLine() -> [UInt8] {
    defer { unfinishedLine = [] }
    return unfinishedLine
  }

  func append(_ bytes: [UInt8], now: Int) throws(FileFailure) {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(FileFailure) in try append(bytes, now: now) }
    }
    try result.get()
  }

  /// Syncs everything that was written, including names.
  func sync() throws(FileFailure) {
    try pinned.sync(file.path)
    try tail?.sync()
    try file.sync()
  }

  /// Begins the file that the next lines go to: if another process has renamed this one, or its rotation is due before
  /// `count` more bytes.
  ///
  /// Unless `mayFollowName`, lines stay in a file that another process has renamed.
  /// Returns whether it is a new one, which needs a mark before lines are written to it: another process may rename it
  /// too, and then no older mark leads to it.
  func prepare(for count: Int, mayFollowName: Bool = true, _ now: Int) throws(FileFailure) -> Bool {
    guard tail == nil, unfinishedLine.isEmpty else { return false }
    let before = current
    if mayFollowName, file.hasLostName {
      try beginAnew(now)
    } else if isDue(count, now) {
      try rotate(now)
    }
    return current != before
  }

  private func add(_ bytes: UnsafeRawBufferPointer, _ now: Int, mayRotate: Bool) throws(FileFailure) {
    if packing?.isDone == true { finishPacking() }
    if mayRotate, isDue(bytes.count, now) { try rotate(now) }
    let before = file.file
    // Lines for which a mark leads to this file stay in it, even if another process renames it meanwhile.
    try file.append(bytes, mayReopen: mayRotate)
    if file.identity != current {
      // Another process has renamed it.
      pinned.retire(before)
      current = file.identity
      begin = now
    }
  }

  // MARK: - Rotation

  private func isDue(_ count: Int, _ now: Int) -> Bool {
    // Times in the future are from before the clock was set back.
    begin = min(begin, now)
    if notBefore > now + Self.pause { notBefore = now }
    // Not within a line: after a full disk, the rest of it may follow.
    guard file.isRegular, file.size > 0, file.isAtLineStart, now >= notBefore else { return false }
    let isLarge = rotation.size.map { file.size + count > $0 } ?? false
    guard isLarge || rotation.age.map({ now - begin >= $0 }) ?? false else { return false }
    // The name must still exist, and the file of a mark must not be removed.
    return old.disk.status(of: file.path)?.identity == file.identity && !pinned.hasAside
      && !pinned.contains(old.identity(old.keep))
  }

  private func rotate(_ now: Int) throws(FileFailure) {
    finishPacking()
    do throws(FileFailure) {
      try old.add()
    } catch {
      note("\(error); writing continues, and the rotation is retried in a minute")
      notBefore = now + Self.pause
      return
    }
    try beginAnew(now)
    pack()
  }

  /// Begins a new file after the current one was renamed.
  private func beginAnew(_ now: Int) throws(FileFailure) {
    pinned.retire(file.file)
    try file.reopen()
    current = file.identity
    begin = now
  }

  /// Waits for the compression to finish.
  func finishPacking() {
    packing?.wait()
    if let failure = packing?.failure { note("\(failure); it stays uncompressed") }
    packing = nil
  }

  /// Compresses the rotated files that no mark needs: those older than all files with marks.
  private func pack() {
    guard rotation.gzip, packing == nil else { return }
    let unpacked = old.unpacked
    let needed = unpacked.last { pinned.contains(old.identity($0)) } ?? 0
    needsPacking = needed > 0
    let names = unpacked.filter { $0 > needed }.reversed().map(old.name)
    if names.isEmpty { return }
    packing = Job { () throws(FileFailure) in
      for name in names { try gzipFile(name) }
    }
  }

  // MARK: - Marks

  /// The mark at the end of the file; nil if the file has none.
  var mark: FileMark? {
    guard file.isRegular, unfinishedLine.isEmpty else { return nil }
    if let tail { return tail.mark }
    var mark = FileMark(file.identity, at: file.file.status?.size ?? file.size, aside: asideCount)
    mark.fingerprint = file.fingerprint(upTo: mark.offset)
    return mark
  }

  /// Whether appended bytes are still compared.
  var isComparingTail: Bool { tail != nil }

  /// Whether there is more to be regenerated.
  var hasUncommittedTail: Bool { tail.map { $0.remaining > 0 || !$0.unfinishedLine.isEmpty } ?? false }

  /// Whether reopening the file requires a mark: within an uncommitted tail or a line.
  var needsMark: Bool { tail != nil || !file.isAtLineStart }

  /// Has the skipped rotated files synced with the next marks, even if this file is closed.
  func retireCompared() {
    guard let tail else { return }
    for file in tail.comparedFiles + tail.parts.dropLast().prefix(1).map(\.file) { pinned.retire(file) }
  }

  /// Notes that the latest mark was committed: files that it does not need may be compressed and removed.
  func marksAreKept() {
    pinned.marksAreKept()
    if packing?.isDone == true { finishPacking() }
    if needsPacking { pack() }
  }

  // MARK: - Resuming

  private func resume(
    at mark: FileMark, _ options: AppendFile.Options, _ syncs: Bool
  ) throws(FileFailure) {
    let path = file.path
    guard
      let found = try UncommittedTail.find(mark, old, followsLinks: options.followsLinks, isRenewed: syncs)
    else {
      note("\(path) is not the file that was written last; lines are appended to it")
      return try file.endLastLine()
    }
    pinned.pin(mark.identity, isPresent: false)
    if found.parts.contains(where: \.isAside) { pinned.noteAside() }
    if found.missing > 0 {
      note("\(found.parts[0].path) is \(found.missing) bytes shorter than it was; lines are appended to it")
    }
    if found.remaining > 0 || found.parts.count > 1 {
      tail = found
    } else if found.missing > 0 {
      try file.endLastLine()
    }
  }

  /// Skips bytes that the files already contain; returns how many.
  ///
  /// Any others must be written.
  private func passOver(
    _ bytes: UnsafeRawBufferPointer, _ tail: UncommittedTail, _ now: Int
  ) throws(FileFailure) -> Int {
    switch try tail.passOver(bytes) {
    case .all: return bytes.count
    case .end(let count):
      leave(tail)
      return count
    case .difference(let count):
      do throws(FileFailure) { try setAside(tail, now) } catch { throw error.counting(count) }
      leave(tail)
      return count
    }
  }

  private func leave(_ tail: UncommittedTail) {
    for passed in tail.comparedFiles { pinned.retire(passed) }
    for part in tail.parts where part.identity != file.identity { pinned.retire(part.file) }
    unfinishedLine = tail.unfinishedLine
    if tail.beginsLine { beginsLine = true }
    self.tail = nil
    file.lookAtEnd(tail.parts[0].file)
  }

  private func setAside(_ tail: UncommittedTail, _ now: Int) throws(FileFailure) {
    let names = try old.setAside(tail.parts.map { ($0.path, $0.identity) })
    pinned.noteAside()
    asideCount = old.asideCount
    if let first = names.first {
      let list = names.map { "\($0.old) is now \($0.new)" }.joined(separator: ", ")
      warn(
        "\(first.old) differs at byte \(tail.difference) from the regenerated lines: \(list), and a new "
          + "\(file.path) begins with the line that differs")
    }
    try beginAnew(now)
  }

  /// Writes the part of a line that comes before the next bytes.
  private func catchUp() throws(FileFailure) {
    if beginsLine { try file.endLastLine() }
    beginsLine = false
    guard !unfinishedLine.isEmpty else { return }
    do throws(FileFailure) { try file.append(unfinishedLine) } catch {
      unfinishedLine.removeFirst(error.written)
      throw error
    }
    unfinishedLine = []
  }

  /// Ends the recovery: new lines follow whatever the file contains.
  ///
  /// Returns how many bytes were not regenerated.
  func endReplay() throws(FileFailure) -> Int {
    beginsLine = true
    guard let tail else { return 0 }
    // After a power cut it must still precede what is appended next.
    try tail.renewRest()
    defer { leave(tail) }
    return tail.remaining
  }
}

/// When a file is rotated, and how many rotated files are kept.
struct Rotation: Sendable {
  /// The size limit of a file in bytes; only a single larger buffer exceeds it.
  var size: Int?
  /// The age in seconds at which a file is rotated.
  var age: Int?
  /// How many rotated files are kept, at least one.
  var keep = 7
  /// Whether rotated files are compressed.
  var gzip = false
}

/// The names that other processes have given files, of which each folder is read once.
final class FolderNames {
  private let files: Set<FileIdentity>
  private let disk: any Disk
  private var folders: [String: [FileIdentity: String]] = [:]

  init(_ files: Set<FileIdentity>, on disk: any Disk) { (self.files, self.disk) = (files, disk) }

  func name(of file: FileIdentity, in folder: String) -> String? {
    if let names = folders[folder] { return names[file] }
    let names = disk.names(of: files, in: folder)
    folders[folder] = names
    return names[file]
  }
}

/// The rotated files of a path: `x.1` is the newest, then `x.2`, and so on; compressed, `x.1.gz`.
struct RotatedFiles {
  let path: String
  /// The most there may be, at least one.
  let keep: Int
  let disk: any Disk

  init(of path: String, keep: Int, on disk: any Disk) {
    self.path = path
    self.keep = max(keep, 1)
    self.disk = disk
  }

  func name(_ number: Int) -> String { "\(path).\(number)" }
  func packedName(_ number: Int) -> String { "\(path).\(number).gz" }

  func identity(_ number: Int) -> FileIdentity? { disk.status(of: name(number))?.identity }

  /// The current number of a file; nil if it is not one of these, or compressed.
  func number(of file: FileIdentity) -> Int? { (1...keep).first { identity($0) == file } }

  /// The path in the same folder to which another process has renamed a file; nil if there is none.
  func movedName(of file: FileIdentity, _ names: FolderNames? = nil) -> String? {
    let folder = splitPath(path).folder
    let name = (names ?? FolderNames([file], on: disk)).name(of: file, in: folder)
    return name.map { folder == "." ? $0 : "\(folder)/\($0)" }
  }

  /// The uncompressed ones, newest first; a crash may have left one gap.
  var unpacked: [Int] {
    var numbers: [Int] = []
    var missing = 0
    for number in 1...keep where missing < 2 {
      if disk.exists(name(number)) { numbers.append(number) }
      missing = disk.exists(name(number)) || disk.exists(packedName(number)) ? 0 : missing + 1
    }
    return numbers
  }

  /// Renames the current file to the first number and shifts the others; a crash leaves each line in one file.
  func add() throws(FileFailure) {
    let taken = (1...keep).prefix { disk.exists(name($0)) || disk.exists(packedName($0)) }.count
    if taken == keep {
      disk.unlink(name(keep))
      disk.unlink(packedName(keep))
    }
    // Beginning with the oldest.
    for number in stride(from: min(taken, keep - 1), to: 0, by: -1) {
      for name in [name, packedName] where disk.exists(name(number)) {
        try rename(name(number), to: name(number + 1))
      }
    }
    try rename(path, to: name(1))
  }

  /// Completes what a crash has interrupted: a half-compressed file, or one that exists in both forms.
  func completePacking() {
    for number in Set([1] + unpacked) {
      disk.unlink("\(packedName(number)).tmp")
      if disk.exists(packedName(number)) { disk.unlink(name(number)) }
    }
  }

  // MARK: - Set aside

  /// The name with this number for a file with unexpected content.
  func asideName(_ number: Int) -> String { "\(path).aside-\(number)" }

  /// The number of files set aside, counted to the first gap.
  var asideCount: Int { (1...).lazy.map(asideName).prefix { disk.exists($0) }.count }

  /// The files set aside after the first `count`, oldest first.
  func aside(behind count: Int) -> [String] {
    Array((1...).lazy.map(asideName).prefix { disk.exists($0) }.dropFirst(count))
  }

  /// The files set aside from a given file on, oldest first; none if it is not among them.
  func aside(from file: FileIdentity) -> [String] {
    let names = (1...).lazy.map(asideName).prefix { disk.exists($0) }
    return Array(names.drop { disk.status(of: $0)?.identity != file })
  }

  /// Renames files, the newest first, so that the oldest keeps its name until all are done.
  ///
  /// A file that has already lost its name is left alone.
  func setAside(_ files: [(name: String, identity: FileIdentity)]) throws(FileFailure) -> [(
    old: String, new: String
  )] {
    let names = (1...).lazy.map(asideName).filter { !disk.exists($0) }.prefix(files.count)
    var done: [(String, String)] = []
    for (file, new) in zip(files, Array(names)).reversed() {
      guard disk.status(of: file.name)?.identity == file.identity else { continue }
      try rename(file.name, to: new)
      done.append((file.name, new))
    }
    return done.reversed()
  }

  private func rename(_ old: String, to new: String) throws(FileFailure) {
    try FileFailure.of(old, trying: "rename to \(new)") { () throws(DiskError) in
      try disk.rename(old, to: new)
    }
  }
}
