import Engine
import Glibc
import JSON
import Language
import System

/// Files that lines are added to, as many open at a time as is allowed; what a disk does not take is offered again.
///
/// Nothing is written but by `write()`, so that marks may be kept between the gathering of lines and their writing.
///
/// A run that keeps marks, and after a crash makes everything again that it wrote past them, goes on exactly where it
/// was:
///
///     for (path, mark) in kept { files.resume(path, at: mark) }
///     files.append(bytes, to: path); try files.write()    // again, what comes after the marks
///     try files.endReplay()
///     let marks = try files.marks(synced: true)           // to be kept, then:
///     files.marksAreKept()
///
/// What a file holds past its mark is passed over as long as it is the same. Where it is not, the file is set aside
/// under another name and a new one goes on: every line is then whole in one of the two, and none in both, that which
/// differs being the first in the new one. See `UncommittedTail` and `RotatingFile`.
///
/// A file has a mark as soon as it is open, before anything is written to it. Who keeps that first, as `needsMarks`
/// asks for, has nothing written twice in files that were new either.
final class LineFiles {
  typealias File = LineFile

  struct NotWritten: Error, CustomStringConvertible {
    let failure: FileFailure
    let bytes: Int
    var description: String { "\(failure); \(bytes) bytes could not be written before the end" }
  }

  private let rotation: Rotation
  private let options: AppendFile.Options
  private let limit: Int
  private let context: SinkContext
  /// All that are open, or of which something is still to be written or told.
  private var files: [String: File] = [:]
  private var open: [String: File] = [:]
  private var clock = 0
  /// Of files that have not been opened since, or were closed while they were compared.
  private var resumed: [String: FileMark] = [:]
  private var keepsMarks: Bool
  /// What the last mark of each path was in: as many as whoever keeps them has.
  private var marked: [String: FileIdentity] = [:]
  /// When each of them was handed out, by `clock`; 0 for those of the run before.
  private var markedAt: [String: Int] = [:]
  /// Paths whose lines were taken out since marks were kept: they are written when the marks are.
  private var taken: Set<String> = []
  /// So many marks are kept at most, or as many as files may be open.
  private static let leastMarks = 1000
  /// A file is written to, or is going to be, that its last mark is not in: whoever keeps marks should do so, best
  /// before `write()`.
  private(set) var needsMarks = false

  /// `keepsMarks` where marks are going to be asked for: from then on it is known without being said.
  init(
    _ rotation: Rotation, _ options: AppendFile.Options, limit: Int, _ context: SinkContext,
    keepsMarks: Bool = false
  ) {
    self.keepsMarks = keepsMarks
    self.rotation = rotation
    self.options = options
    self.limit = limit
    self.context = context
  }

  /// The file of a path; it will be written with the others.
  ///
  /// It waits while the file cannot be opened for a reason that `isWorthWaiting`.
  func file(_ path: String, waitingFor isWorthWaiting: (FileFailure) -> Bool = { _ in false }) throws -> File
  {
    clock += 1
    if let file = files[path] {
      file.lastUsed = clock
      return file
    }
    let file = File(path, marked: marked[path])
    file.lastUsed = clock
    try patiently(path, "opened", isWorthWaiting) { () throws(FileFailure) in _ = try opened(file) }
    files[path] = file
    return file
  }

  /// Adds whole lines, or the rest of one, to what is to be written to a path, waiting for its file as `write()` does.
  func append(_ bytes: [UInt8], to path: String) throws {
    try file(path, waitingFor: { _ in true }).lines.put(bytes)
  }

  /// Takes out what the files are still to be given, by their paths; of all, or of those of which no mark leads to what
  /// is going to be written.
  func takeLines(unmarkedOnly: Bool = false) -> [(path: String, lines: [UInt8])] {
    var taken: [(path: String, lines: [UInt8])] = []
    for file in files.values where file.lines.count > 0 && !(unmarkedOnly && marked[file.path] != nil) {
      taken.append((file.path, file.lines.bytes))
      file.lines.removeAll()
    }
    self.taken.formUnion(taken.map(\.path))
    return taken.sorted { $0.path < $1.path }
  }

  /// Sees which of the files that lines are going to be written to were moved by others, so that `needsMarks` is known
  /// before `write()`.
  func followNames() throws {
    for file in open.values where file.lines.count > 0 {
      guard let open = file.file else { continue }
      var isNew = false
      try patiently(file.path, "opened") { () throws(FileFailure) in isNew = try open.followName(now) }
      if isNew { file.isChanged = true }
      if file.isBesideMark { needsMarks = true }
    }
  }

  /// Writes what the files are still to be given.
  func write() throws {
    for file in open.values where file.lines.count > 0 { try write(file) }
    guard files.count > open.count else { return }
    for file in files.values where file.lines.count > 0 { try write(file) }
    forgetClosed()
  }

  func close() {
    for file in open.values { file.file?.finishPacking() }
    files = [:]
    open = [:]
  }

  private var world: World { context.lane.world }
  private var now: Int { Int(world.wallClock()) }

  // MARK: - Going on after a crash

  /// Says up to where a file was written when the state was kept; to be called before the file is opened.
  ///
  /// What it holds past that is passed over when the same bytes come again.
  func resume(_ path: String, at mark: FileMark) {
    keepsMarks = true
    resumed[path] = mark
    marked[path] = mark.identity
  }

  /// Whether a file holds what must come again before anything else is added to it.
  var isPassingOver: Bool {
    open.values.contains { $0.file?.hasUncommittedTail ?? false }
      || resumed.contains { hasMore($0.key, $0.value) }
  }

  /// Nothing comes again from before the crash: what is left in the files is another process's, or another pipeline's.
  ///
  /// It stays there, and lines are added behind it. The marks are to be kept next.
  func endReplay() throws {
    try write()
    for (path, mark) in resumed where files[path] == nil && hasMore(path, mark) {
      files[path] = File(path, marked: mark.identity)
    }
    for file in files.values where file.file != nil || resumed[file.path] != nil {
      file.endsReplay = true
      try write(file)
    }
    resumed = [:]
    forgetClosed()
  }

  private func hasMore(_ path: String, _ mark: FileMark) -> Bool {
    let old = RotatedFiles(of: path, keep: rotation.keep, on: world.disk)
    guard
      let found = try? UncommittedTail.find(mark, old, followsLinks: options.followsLinks, isRenewed: false)
    else { return false }
    return found.remaining > 0
  }

  private func endReplay(_ file: RotatingFile, _ path: String) throws(FileFailure) {
    let left = try file.endReplay()
    if left == 0 { return }
    context.log.notice(
      "\(path): \(left) bytes past what was kept are not written again; they stay, and lines are added behind them"
    )
  }

  // MARK: - Marks

  /// Up to where the files are written that changed since the last call; `synced`, so that it is safe on the disk.
  ///
  /// A file of which that cannot be said, a pipe or a device, has no mark. An error means that the disk may have lost
  /// what was written: the run must not go on from there.
  func marks(synced: Bool) throws -> [(path: String, mark: FileMark)] {
    keepsMarks = true
    for file in files.values where synced && file.isUnsynced {
      try file.sync(on: world.disk, followsLinks: options.followsLinks)
    }
    var marks: [(path: String, mark: FileMark)] = []
    for file in files.values where file.isChanged {
      if !synced { file.held.forgetUnsynced() }
      guard let mark = file.handOutMark() else { continue }
      marked[file.path] = mark.identity
      markedAt[file.path] = clock
      marks.append((file.path, mark))
    }
    needsMarks = false
    return marks.sorted { $0.path < $1.path }
  }

  /// Takes out the paths of marks beyond the bound, those that were handed out longest ago; to be removed with the marks
  /// that are kept next.
  ///
  /// Nothing was written to these files since their marks were kept, and before anything is they have new ones.
  func takeSurplusMarks() -> [String] {
    let bound = max(Self.leastMarks, limit)
    guard marked.count > bound else { return [] }
    let idle = marked.keys.filter { files[$0] == nil && resumed[$0] == nil && !taken.contains($0) }
    let surplus = idle.sorted { (markedAt[$0] ?? 0, $0) < (markedAt[$1] ?? 0, $1) }
      .prefix(marked.count - bound * 3 / 4)
    for path in surplus { (marked[path], markedAt[path]) = (nil, nil) }
    return surplus.sorted()
  }

  /// The marks that were asked for last are kept, and none from before is needed.
  func marksAreKept() {
    taken = []
    for file in files.values {
      if let open = file.file { open.marksAreKept() } else { file.held.marksAreKept() }
    }
    forgetClosed()
  }

  // MARK: - Open files

  private func opened(_ file: File) throws(FileFailure) -> RotatingFile {
    if let open = file.file { return open }
    if open.count >= limit { closeOldest() }
    let log = context.log
    var options = options
    options.hasSafeFolders = marked[file.path] != nil
    let opened = try RotatingFile(
      file.path, rotation, options, on: world.disk, resuming: resumed[file.path], held: file.held,
      syncs: context.syncs, now: now, note: { log.notice($0) }, warn: { log.warning($0) })
    resumed[file.path] = nil
    // Its mark may be kept from when it was open before.
    if keepsMarks, file.held.files.isEmpty { file.held.hold(opened.identity, isPresent: true) }
    file.file = opened
    if file.isBesideMark { needsMarks = true }
    open[file.path] = file
    return opened
  }

  private func closeOldest() {
    guard let oldest = open.values.min(by: { $0.lastUsed < $1.lastUsed }) else { return }
    open[oldest.path] = nil
    resumed[oldest.path] = oldest.close()
    if isForgettable(oldest) { files[oldest.path] = nil }
  }

  private func isForgettable(_ file: File) -> Bool {
    file.file == nil && file.lines.count == 0 && (!keepsMarks || file.isAsMarked)
  }

  private func forgetClosed() {
    guard files.count > open.count else { return }
    files = files.filter { !isForgettable($0.value) }
  }

  // MARK: - Writing

  /// Writes all of a file's lines, waiting for room as long as it takes.
  private func write(_ file: File) throws {
    defer { file.lines.removeAll() }
    try file.lines.withBytes { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      do {
        try patiently(file.path, "written") { () throws(FileFailure) in
          do throws(FileFailure) { try write(rest, file) } catch {
            rest = UnsafeRawBufferPointer(rebasing: rest[min(error.written, rest.count)...])
            throw error
          }
        }
      } catch let failure as FileFailure {
        throw NotWritten(failure: failure, bytes: rest.count)
      }
    }
  }

  /// Tries something again and again while it fails for a reason that `isWorthWaiting`, and says so now and then; the
  /// last failure is thrown when the pipeline must end.
  private func patiently(
    _ path: String, _ what: String, _ isWorthWaiting: (FileFailure) -> Bool = { _ in true },
    _ action: () throws(FileFailure) -> Void
  ) throws(FileFailure) {
    var waited: Double?
    var isReported = false
    while true {
      do throws(FileFailure) {
        try action()
        if isReported { context.log.notice("\(path) can be \(what) again") }
        return
      } catch {
        guard isWorthWaiting(error) else { throw error }
        // A reader that is slow is no error; the disk has waited for it already.
        let isSlowReader = error.code == EAGAIN
        if waited.map({ $0 > 60 }) ?? !isSlowReader {
          context.log.error("\(error); the pipeline waits until it can be \(what)")
          context.meter.countError()
          isReported = true
          waited = 0
        }
        if world.pause(isSlowReader ? 0 : 0.5, context.stop) { throw error }
        waited = (waited ?? 0) + (isSlowReader ? 0.1 : 0.5)
      }
    }
  }

  private func write(_ bytes: UnsafeRawBufferPointer, _ file: File) throws(FileFailure) {
    let open = try opened(file)
    if file.endsReplay { try endReplay(open, file.path) }
    file.endsReplay = false
    file.isChanged = true
    file.isUnsynced = true
    try open.append(bytes, now: now)
    if file.isBesideMark { needsMarks = true }
  }
}

/// One of the files that lines are added to, open or closed to leave room for others.
final class LineFile {
  let path: String
  /// What is still to be written.
  let lines = Output(capacity: 1 << 10)
  let held = PinnedFiles()
  /// Nil while it is closed.
  var file: RotatingFile?
  var lastUsed = 0
  /// It may differ from what the last mark says.
  var isChanged = true
  var isUnsynced = true
  /// What comes again is to be ended before the next bytes.
  var endsReplay = false
  /// Its mark when it was closed.
  private var closedAt: FileMark?
  /// Folders whose names the disk may not have known when it was closed.
  private var newFolders: [String] = []
  /// What the last mark was in.
  private var marked: FileIdentity?

  init(_ path: String, marked: FileIdentity?) {
    self.path = path
    self.marked = marked
  }

  /// Up to where it is written, to be kept.
  func handOutMark() -> FileMark? {
    isChanged = false
    guard let mark = file == nil ? closedAt : file?.mark else { return nil }
    held.hold(mark.identity, isPresent: file.map { !$0.isPassingOver } ?? false)
    marked = mark.identity
    return mark
  }

  /// What is going to be written goes to another file than the last mark is in.
  var isBesideMark: Bool {
    guard let file, !file.isPassingOver else { return false }
    return file.identity != marked
  }

  /// A closed file can be opened again as if it had not been before.
  var isAsMarked: Bool { !isChanged && held.files.count < 2 }

  /// Leaves room for another; from where it is to be resumed when it is opened again, if it must be.
  func close() -> FileMark? {
    file?.finishPacking()
    closedAt = file?.mark
    newFolders += file?.newFolders ?? []
    defer { file = nil }
    guard let file, file.isWithin else { return nil }
    if isUnsynced { file.retirePassed() }
    return closedAt
  }

  /// Returns once the disk has what was written.
  func sync(on disk: any Disk, followsLinks: Bool) throws(FileFailure) {
    if let file {
      try file.sync()
    } else {
      try held.sync(path)
      // If the name is another's now, another process has taken the file, and care of it.
      if let closed = try? disk.open(toRead: path, followsLinks: followsLinks),
        let identity = closed.status?.identity, identity == closedAt?.identity
      {
        try FileFailure.of(path, trying: "write to the disk") { () throws(DiskError) in try closed.sync() }
        disk.syncFolder(splitPath(path).folder)
      }
    }
    for name in newFolders { disk.syncFolder(splitPath(name).folder) }
    newFolders = []
    isUnsynced = false
  }
}
