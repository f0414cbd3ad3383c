import Engine
import Language
import System

/// A file that is appended to and rotated: `x` becomes `x.1`, that `x.2`, and so on; packed, `x.1.gz`.
///
/// A line is in one file only, and files are renamed, never copied: who follows the name, as `tail -F` does, sees each
/// line once. Packing has a thread of its own.
///
/// A file may be resumed at a mark: what it holds past that, and what is appended, is the same in the same order, and
/// is passed over. Where it is not the same, the file is set aside as it is, with all lines that were passed over whole,
/// and a new one begins with the line that was not.
final class RotatingFile {
  private let file: AppendFile
  private let rotation: Rotation
  private let old: RotatedFiles
  private let held: PinnedFiles
  private let note: (String) -> Void
  private let warn: (String) -> Void
  /// When the file was begun, in seconds since 1970, and which one that was.
  private var begin: Int
  private var current: FileIdentity
  private var packing: Job?
  /// Old files wait to be packed until marks are kept.
  private var needsPacking = false
  /// How many files were set aside so far.
  private var asideCount: Int
  /// After a rotation that failed, the time of the next try.
  private var notBefore = Int.min
  /// How long a rotation that failed waits for the next try, in seconds.
  private static let pause = 60

  /// What is passed over before anything is written.
  private var surplus: UncommittedTail?
  /// The beginning of a line that is to be written before the next bytes, which end it.
  private var owed: [UInt8] = []
  /// What comes next does not go on in the last line.
  private var beginsLine = false

  init(
    _ path: String, _ rotation: Rotation, _ options: AppendFile.Options = .init(),
    on disk: any Disk = SystemDisk(), resuming mark: FileMark? = nil, held: PinnedFiles = PinnedFiles(),
    syncs: Bool = false, now: Int,
    note: @escaping (String) -> Void = { _ in }, warn: @escaping (String) -> Void = { _ in }
  ) throws(FileFailure) {
    self.rotation = rotation
    self.held = held
    self.note = note
    self.warn = warn
    old = RotatedFiles(of: path, keep: rotation.keep, on: disk)
    file = try AppendFile(path, options, on: disk, isResumed: mark != nil, note: note)
    current = file.identity
    asideCount = old.asideCount
    begin = file.size > 0 ? disk.beginning(of: path) ?? now : now
    if let mark, file.isRegular { try resume(at: mark, options, syncs) }
    old.tidy()
    pack()
  }

  /// Which file is written to.
  var identity: FileIdentity { file.identity }

  /// Folders whose names the disk may not know.
  var newFolders: [String] { file.newFolders }

  /// Adds a buffer of whole lines, in a new file where it is time for one; `now` in seconds since 1970.
  func append(_ bytes: UnsafeRawBufferPointer, now: Int) throws(FileFailure) {
    let passed = try surplus.map { surplus throws(FileFailure) in try passOver(bytes, surplus, now) } ?? 0
    if surplus != nil { return }
    do throws(FileFailure) { try catchUp() } catch { throw error.counting(passed) }
    guard passed < bytes.count else { return }
    do throws(FileFailure) {
      try add(UnsafeRawBufferPointer(rebasing: bytes[passed...]), now)
    } catch {
      throw error.counting(passed + error.written)
    }
  }

  func append(_ bytes: [UInt8], now: Int) throws(FileFailure) {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(FileFailure) in try append(bytes, now: now) }
    }
    try result.get()
  }

  /// Returns once the disk has everything that was written, and the names.
  func sync() throws(FileFailure) {
    try held.sync(file.path)
    try surplus?.sync()
    try file.sync()
  }

  /// Goes on in a new file where somebody else has moved this one; true if so.
  func followName(_ now: Int) throws(FileFailure) -> Bool {
    guard surplus == nil, owed.isEmpty, file.hasLostName else { return false }
    try beginAnew(now)
    return true
  }

  private func add(_ bytes: UnsafeRawBufferPointer, _ now: Int) throws(FileFailure) {
    if packing?.isDone == true { finishPacking() }
    if isDue(bytes.count, now) { try rotate(now) }
    let before = file.file
    try file.append(bytes)
    if file.identity != current {
      // Somebody else has moved it.
      held.retire(before)
      current = file.identity
      begin = now
    }
  }

  // MARK: - Rotation

  private func isDue(_ count: Int, _ now: Int) -> Bool {
    // Times in the future are from before the clock was set back.
    begin = min(begin, now)
    if notBefore > now + Self.pause { notBefore = now }
    // Not within a line, of which a full disk may have left the rest to come.
    guard file.isRegular, file.size > 0, file.isAtLineStart, now >= notBefore else { return false }
    let isLarge = rotation.size.map { file.size + count > $0 } ?? false
    guard isLarge || rotation.age.map({ now - begin >= $0 }) ?? false else { return false }
    // The name may be gone, and what a mark is in may not go.
    return old.disk.status(of: file.path)?.identity == file.identity && !held.hasAside
      && !held.contains(old.identity(old.keep))
  }

  private func rotate(_ now: Int) throws(FileFailure) {
    finishPacking()
    do throws(FileFailure) {
      try old.add()
    } catch {
      note("\(error); the file is written on, and rotated a minute later")
      notBefore = now + Self.pause
      return
    }
    try beginAnew(now)
    pack()
  }

  /// Goes on in a new file, the old one having lost its name.
  private func beginAnew(_ now: Int) throws(FileFailure) {
    held.retire(file.file)
    try file.reopen()
    current = file.identity
    begin = now
  }

  /// Returns when nothing is being packed.
  func finishPacking() {
    packing?.wait()
    if let failure = packing?.failure { note("\(failure); it stays as it is") }
    packing = nil
  }

  /// Packs the old files that no mark needs: those which are older than all that marks are in.
  private func pack() {
    guard rotation.gzip, packing == nil else { return }
    let unpacked = old.unpacked
    let needed = unpacked.last { held.contains(old.identity($0)) } ?? 0
    needsPacking = needed > 0
    let names = unpacked.filter { $0 > needed }.reversed().map(old.name)
    if names.isEmpty { return }
    packing = Job { () throws(FileFailure) in
      for name in names { try gzipFile(name) }
    }
  }

  // MARK: - Marks

  /// Up to where the file is written, nil where that cannot be said.
  var mark: FileMark? {
    guard file.isRegular, owed.isEmpty else { return nil }
    if let surplus { return surplus.mark }
    var mark = FileMark(file.identity, at: file.file.status?.size ?? file.size, aside: asideCount)
    mark.fingerprint = file.fingerprint(upTo: mark.offset)
    return mark
  }

  /// Whether what is appended is still compared.
  var isPassingOver: Bool { surplus != nil }

  /// Whether there is more that must come again.
  var hasUncommittedTail: Bool { surplus.map { $0.remaining > 0 || !$0.owed.isEmpty } ?? false }

  /// Whether it must be resumed to go on: in what is passed over, or in a line.
  var isWithin: Bool { surplus != nil || !file.isAtLineStart }

  /// Has the old files that were passed over made safe with the next marks, also when this is closed.
  func retirePassed() {
    guard let surplus else { return }
    for file in surplus.passed + surplus.parts.dropLast().prefix(1).map(\.file) { held.retire(file) }
  }

  /// The mark that was handed out last is kept: what it does not need may be packed and removed.
  func marksAreKept() {
    held.marksAreKept()
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
      note("\(path) is another file than the one that was written last; lines are added to its end")
      return try file.endLastLine()
    }
    held.hold(mark.identity, isPresent: false)
    if found.parts.contains(where: \.isAside) { held.noteAside() }
    if found.missing > 0 {
      note("\(found.parts[0].path) is \(found.missing) bytes shorter than it was; lines are added to its end")
    }
    if found.remaining > 0 || found.parts.count > 1 {
      surplus = found
    } else if found.missing > 0 {
      try file.endLastLine()
    }
  }

  /// How many bytes were passed over; where those are not all, the rest is to be written.
  private func passOver(
    _ bytes: UnsafeRawBufferPointer, _ surplus: UncommittedTail, _ now: Int
  ) throws(FileFailure) -> Int {
    switch try surplus.passOver(bytes) {
    case .all: return bytes.count
    case .end(let count):
      leave(surplus)
      return count
    case .difference(let count):
      do throws(FileFailure) { try setAside(surplus, now) } catch { throw error.counting(count) }
      leave(surplus)
      return count
    }
  }

  private func leave(_ surplus: UncommittedTail) {
    for passed in surplus.passed { held.retire(passed) }
    for part in surplus.parts where part.identity != file.identity { held.retire(part.file) }
    owed = surplus.owed
    if surplus.beginsLine { beginsLine = true }
    self.surplus = nil
    file.lookAtEnd(surplus.parts[0].file)
  }

  private func setAside(_ surplus: UncommittedTail, _ now: Int) throws(FileFailure) {
    let names = try old.setAside(surplus.parts.map { ($0.path, $0.identity) })
    held.noteAside()
    asideCount = old.asideCount
    if let first = names.first {
      let list = names.map { "\($0.old) is called \($0.new) now" }.joined(separator: ", ")
      warn(
        "\(first.old) differs at byte \(surplus.difference) from what is written again there: \(list), and a new "
          + "\(file.path) begins with the line that differs")
    }
    try beginAnew(now)
  }

  /// Writes what comes before the next bytes.
  private func catchUp() throws(FileFailure) {
    if beginsLine { try file.endLastLine() }
    beginsLine = false
    guard !owed.isEmpty else { return }
    do throws(FileFailure) { try file.append(owed) } catch {
      owed.removeFirst(error.written)
      throw error
    }
    owed = []
  }

  /// Nothing is passed over any more: what comes is added behind what there is; how many bytes were not passed over.
  func endReplay() throws(FileFailure) -> Int {
    beginsLine = true
    guard let surplus else { return 0 }
    // What is added behind it is to be found there after a power cut.
    try surplus.renewRest()
    defer { leave(surplus) }
    return surplus.remaining
  }
}

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

/// The files that a file gave its name up for: `x.1` is the newest, then `x.2`, and so on; packed, `x.1.gz`.
struct RotatedFiles {
  let path: String
  /// How many there may be, one at least.
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

  /// The number that a file has now, nil where it is none of these, or packed.
  func number(of file: FileIdentity) -> Int? { (1...keep).first { identity($0) == file } }

  /// The path in the same folder that somebody else has given a file, nil where there is none.
  func movedName(of file: FileIdentity) -> String? {
    let folder = splitPath(path).folder
    return disk.name(of: file, in: folder).map { folder == "." ? $0 : "\(folder)/\($0)" }
  }

  /// Those that are not packed, the newest first; a crash may have left one gap.
  var unpacked: [Int] {
    var numbers: [Int] = []
    var missing = 0
    for number in 1...keep where missing < 2 {
      if disk.exists(name(number)) { numbers.append(number) }
      missing = disk.exists(name(number)) || disk.exists(packedName(number)) ? 0 : missing + 1
    }
    return numbers
  }

  /// Takes the file's name from it, freeing the first number for it; whenever this stops, each line is in one file.
  func add() throws(FileFailure) {
    let taken = (1...keep).prefix { disk.exists(name($0)) || disk.exists(packedName($0)) }.count
    if taken == keep {
      disk.unlink(name(keep))
      disk.unlink(packedName(keep))
    }
    // From the oldest on.
    for number in stride(from: min(taken, keep - 1), to: 0, by: -1) {
      for name in [name, packedName] where disk.exists(name(number)) {
        try rename(name(number), to: name(number + 1))
      }
    }
    try rename(path, to: name(1))
  }

  /// Ends what a crash has interrupted: half a packed file, or one of which the other form is still there.
  func tidy() {
    for number in Set([1] + unpacked) {
      disk.unlink("\(packedName(number)).tmp")
      if disk.exists(packedName(number)) { disk.unlink(name(number)) }
    }
  }

  // MARK: - Set aside

  /// A name for a file that is none of ours, from this number on.
  func asideName(_ number: Int) -> String { "\(path).aside-\(number)" }

  /// How many were set aside, as far as they are all there.
  var asideCount: Int { (1...).lazy.map(asideName).prefix { disk.exists($0) }.count }

  /// Those that were set aside behind so many, the oldest first.
  func aside(behind count: Int) -> [String] {
    Array((1...).lazy.map(asideName).prefix { disk.exists($0) }.dropFirst(count))
  }

  /// Those that were set aside from a file on, the oldest first; none where it is not among them.
  func aside(from file: FileIdentity) -> [String] {
    let names = (1...).lazy.map(asideName).prefix { disk.exists($0) }
    return Array(names.drop { disk.status(of: $0)?.identity != file })
  }

  /// Gives files other names, the newest first, so that the oldest is found by its name until all are done.
  ///
  /// A file that has lost its name already stays as it is.
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
