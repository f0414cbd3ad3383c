import Engine
import Glibc
import JSON
import Language
import System

/// The output files of a sink, of which a limited number are open at a time; writing is retried until the disk takes
/// it.
///
/// Only `write()` writes, so that marks can be committed after lines are collected and before they are written.
///
/// A run that commits marks, and that regenerates after a crash what it wrote past them, resumes exactly where it was:
///
/// for (path, mark) in kept { files.resume(path, at: mark) }
/// files.append(bytes, to: path); try files.write()    // regenerated lines after the marks
/// try files.endReplay()
/// let marks = try files.marks(synced: true)           // commit these, then:
/// files.marksAreKept()
///
/// What a file contains past its mark is skipped as long as it equals the regenerated lines. If it differs, the file is
/// set aside under another name and a new one is begun with the first line that differs: every line is whole in exactly
/// one of the two. See `UncommittedTail` and `RotatingFile`.
///
/// A file has a mark as soon as it is open, before anything is written to it. Committing that mark first, as requested
/// by `needsMarks`, prevents repeated lines in new files as well.
final class LineFiles {
  typealias File = LineFile

  private let rotation: Rotation
  private let options: AppendFile.Options
  /// The first line of each file, whole.
  private let header: [UInt8]?
  private let limit: Int
  private let context: SinkContext
  /// All files that are open or have lines or marks pending.
  private var files: [String: File] = [:]
  private var open: [String: File] = [:]
  private var clock = 0
  /// The marks of files that have not been opened since, or were closed while they were compared.
  private var resumed: [String: FileMark] = [:]
  private var keepsMarks: Bool
  /// The file of the last mark of each path.
  private var marked: [String: FileIdentity] = [:]
  /// When each mark was made, by `clock`; 0 for marks of the previous run.
  private var markedAt: [String: Int] = [:]
  /// How many bytes of each path were taken since the last commit; they are written when the marks are.
  private var taken: [String: Int] = [:]
  /// The least number of marks to keep; `limit` if that is larger.
  private static let leastMarks = 1000
  /// Whether a file is, or will be, written to that is not the one of its last mark: marks should be committed, best
  /// before `write()`.
  private(set) var needsMarks = false
  /// How many bytes were not regenerated.
  private var leftover = 0

  /// `keepsMarks` says from the start that marks will be requested; the first request for marks implies it.
  init(
    _ rotation: Rotation, _ options: AppendFile.Options, header: [UInt8]? = nil, limit: Int,
    _ context: SinkContext, keepsMarks: Bool = false
  ) {
    self.header = header
    self.keepsMarks = keepsMarks
    self.rotation = rotation
    self.options = options
    self.limit = limit
    self.context = context
  }

  /// The file of a path, which is written together with the others.
  ///
  /// Waits while the file cannot be opened for a reason that `isWorthWaiting`.
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

  /// Puts the header before the pending lines of a file, if they begin it.
  private func addHeader(_ file: File) {
    guard let header, taken[file.path] == nil, file.isAtStart else { return }
    let lines = file.lines.bytes
    if lines.starts(with: header) { return }
    file.lines.removeAll()
    file.lines.put(header + lines)
  }

  /// Adds whole lines, or the rest of one, to be written to a path; waits for its file as `write()` does.
  ///
  /// Committed lines go to the file of the committed mark: it is not rotated before them.
  func append(_ bytes: [UInt8], to path: String, areCommitted: Bool = false) throws {
    let file = try file(path, waitingFor: { _ in true })
    file.lines.put(bytes)
    if areCommitted { file.isPrepared = true }
  }

  /// Removes and returns the pending lines by path; with `unmarkedOnly`, of files whose mark does not lead to them.
  func takeLines(unmarkedOnly: Bool = false) -> [(path: String, lines: [UInt8])] {
    var taken: [(path: String, lines: [UInt8])] = []
    for file in files.values where file.lines.count > 0 {
      if unmarkedOnly, marked[file.path] != nil, !file.hasUnmarkedFile { continue }
      taken.append((file.path, file.lines.bytes))
      file.lines.removeAll()
    }
    for (path, lines) in taken { self.taken[path, default: 0] += lines.count }
    return taken.sorted { $0.path < $1.path }
  }

  /// Begins new files where others were renamed by other processes or are due to be rotated, so that `needsMarks` is
  /// known before `write()`.
  func prepare() throws {
    for file in files.values where file.lines.count > 0 {
      defer { addHeader(file) }
      let taken = taken[file.path]
      let count = file.lines.count + (taken ?? 0)
      if file.file == nil, isUnchanged(file, for: count) { continue }
      var isNew = false
      try patiently(file.path, "opened") { () throws(FileFailure) in
        // What was taken may have the header of the file that it was taken for.
        isNew = try opened(file).prepare(for: count, mayFollowName: taken == nil, now)
      }
      file.isPrepared = true
      if isNew { (file.isChanged, file.isUnsynced) = (true, true) }
      if file.hasUnmarkedFile { needsMarks = true }
    }
  }

  /// Whether a closed file is the same when it is opened to take `count` bytes: neither renamed nor due to be rotated.
  private func isUnchanged(_ file: File, for count: Int) -> Bool {
    guard let status = world.disk.status(of: file.path), status.identity == file.closedIdentity else {
      return false
    }
    if let size = rotation.size, status.size + count > size { return false }
    guard let age = rotation.age else { return true }
    return now - (world.disk.beginning(of: file.path) ?? now) < age
  }

  /// Writes all pending lines; with `onlyMarked`, those that belong to files without a mark stay pending.
  func write(onlyMarked: Bool = false) throws {
    for file in open.values where file.lines.count > 0 { try write(file, onlyMarked: onlyMarked) }
    guard files.count > open.count else { return }
    for file in files.values where file.file == nil && file.lines.count > 0 {
      try write(file, onlyMarked: onlyMarked)
    }
    forgetClosed()
  }

  func close() {
    for file in open.values { file.file?.finishPacking() }
    files = [:]
    open = [:]
  }

  private var world: World { context.lane.world }
  private var now: Int { Int(world.wallClock()) }

  // MARK: - Recovery

  /// Sets the committed mark of a file; call it before the file is opened.
  ///
  /// What the file contains past the mark is skipped when the same bytes are regenerated.
  func resume(_ path: String, at mark: FileMark) {
    keepsMarks = true
    resumed[path] = mark
    marked[path] = mark.identity
  }

  /// Whether a file contains bytes that must be regenerated before anything else is written to it.
  var isComparingTail: Bool {
    open.values.contains { $0.file?.hasUncommittedTail ?? false }
      || { names in resumed.contains { hasMore($0.key, $0.value, names) } }(resumedNames)
  }

  /// Where the resumed files are now.
  ///
  /// A thousand files that others have moved away must not have a large folder read a thousand times.
  private var resumedNames: FolderNames { FolderNames(Set(resumed.values.map(\.identity)), on: world.disk) }

  /// Ends the recovery: the remaining bytes in the files are from another process or pipeline.
  ///
  /// They stay, and lines are appended after them. Commit the marks next. Returns how many bytes stay.
  @discardableResult func endReplay() throws -> Int {
    leftover = 0
    try write()
    let names = resumedNames
    for (path, mark) in resumed where files[path] == nil && hasMore(path, mark, names) {
      files[path] = File(path, marked: mark.identity)
    }
    for file in files.values where file.file != nil || resumed[file.path] != nil {
      file.endsReplay = true
      try write(file)
    }
    resumed = [:]
    forgetClosed()
    return leftover
  }

  private func hasMore(_ path: String, _ mark: FileMark, _ names: FolderNames) -> Bool {
    let old = RotatedFiles(of: path, keep: rotation.keep, on: world.disk)
    guard
      let found = try? UncommittedTail.find(
        mark, old, followsLinks: options.followsLinks, isRenewed: false, names: names)
    else { return false }
    return found.remaining > 0
  }

  private func endReplay(_ file: RotatingFile, _ path: String) throws(FileFailure) {
    let left = try file.endReplay()
    if left == 0 { return }
    leftover += left
    context.log.notice(
      "\(path): \(left) bytes after the last commit were not regenerated; they stay, and new lines follow them"
    )
  }

  // MARK: - Marks

  /// The marks of files that have changed since the last call; with `synced`, after syncing them.
  ///
  /// Files without positions (pipes, devices) have no marks. After an error the disk may have lost written data: the
  /// run must not continue.
  func marks(synced: Bool) throws -> [(path: String, mark: FileMark)] {
    keepsMarks = true
    for file in files.values where synced && file.isUnsynced {
      try file.sync(on: world.disk, followsLinks: options.followsLinks)
    }
    var marks: [(path: String, mark: FileMark)] = []
    for file in files.values where file.isChanged {
      if !synced { file.pinned.forgetUnsynced() }
      guard let mark = file.handOutMark() else { continue }
      marked[file.path] = mark.identity
      markedAt[file.path] = clock
      marks.append((file.path, mark))
    }
    needsMarks = false
    return marks.sorted { $0.path < $1.path }
  }

  /// Removes the oldest marks beyond the bound and returns their paths, to be deleted in the next commit.
  ///
  /// Nothing was written to these files since their marks were committed, and they get new marks before anything is.
  func takeExcessMarks() -> [String] {
    let bound = max(Self.leastMarks, limit)
    guard marked.count > bound else { return [] }
    let idle = marked.keys.filter { files[$0] == nil && resumed[$0] == nil && taken[$0] == nil }
    let excess = idle.sorted { (markedAt[$0] ?? 0, $0) < (markedAt[$1] ?? 0, $1) }
      .prefix(marked.count - bound * 3 / 4)
    for path in excess { (marked[path], markedAt[path]) = (nil, nil) }
    return excess.sorted()
  }

  /// Notes that the latest marks were committed and earlier ones are no longer needed.
  func marksAreKept() {
    taken = [:]
    for file in files.values {
      if let open = file.file { open.marksAreKept() } else { file.pinned.marksAreKept() }
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
      file.path, rotation, options, on: world.disk, resuming: resumed[file.path], pinned: file.pinned,
      syncs: context.syncs, now: now, note: { log.notice($0) }, warn: { log.warning($0) })
    resumed[file.path] = nil
    // Its mark may have been committed when it was open before.
    if keepsMarks, file.pinned.files.isEmpty { file.pinned.pin(opened.identity, isPresent: true) }
    file.file = opened
    if file.hasUnmarkedFile { needsMarks = true }
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

  /// Writes all lines of a file, waiting for disk space as long as it takes.
  private func write(_ file: File, onlyMarked: Bool = false) throws {
    var unmarked: [UInt8] = []
    defer {
      file.lines.removeAll()
      file.lines.put(unmarked)
      if !unmarked.isEmpty { addHeader(file) }
    }
    try file.lines.withBytes { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      do {
        try patiently(file.path, "written") { () throws(FileFailure) in
          do throws(FileFailure) { unmarked = try write(rest, file, onlyMarked: onlyMarked) } catch {
            rest = UnsafeRawBufferPointer(rebasing: rest[min(error.written, rest.count)...])
            throw error
          }
        }
      } catch let failure as FileFailure {
        throw Sentence(
          "\(failure); \(rest.count) bytes could not be written before the end"
            + (context.outbox == nil ? "" : "; the next run writes them"))
      }
    }
  }

  /// Retries an action while it fails for a reason that `isWorthWaiting`, with a message every minute; throws the last
  /// failure when the pipeline must end.
  private func patiently(
    _ path: String, _ what: String, _ isWorthWaiting: (FileFailure) -> Bool = { _ in true },
    _ action: () throws(FileFailure) -> Void
  ) throws(FileFailure) {
    var (waited, since): (Double?, Double?)
    var isReported = false
    while true {
      do throws(FileFailure) {
        try action()
        if isReported {
          context.log.notice("\(path) can be \(what) again")
          context.meter.note(nil)
        }
        return
      } catch {
        guard isWorthWaiting(error) else { throw error }
        // A slow reader is not an error; the disk has already waited for it.
        let isSlowReader = error.code == EAGAIN
        if waited.map({ $0 > 60 }) ?? !isSlowReader {
          context.log.error("\(error); the pipeline waits until the file can be \(what)")
          context.meter.countError()
          isReported = true
          waited = 0
        }
        if isReported, !isSlowReader { noteWait(error, since: &since) }
        if isSlowReader ? world.pause(0, context.stop) : world.pauseForDisk(0.5, context.stop) { throw error }
        waited = (waited ?? 0) + (isSlowReader ? 0.1 : 0.5)
      }
    }
  }

  private func noteWait(_ failure: FileFailure, since: inout Double?) {
    let now = context.lane.world.wallClock()
    since = since ?? now
    context.meter.note(
      NodeStatus.Wait(
        events: 0, request: "its file", reason: "\(failure)", since: since, until: now + 0.5, isFailing: true)
    )
  }

  /// Writes bytes to a file, and returns those that belong to one without a mark if only others are to be written.
  private func write(
    _ bytes: UnsafeRawBufferPointer, _ file: File, onlyMarked: Bool
  ) throws(FileFailure) -> [UInt8] {
    let open = try opened(file)
    if file.endsReplay { try endReplay(open, file.path) }
    file.endsReplay = false
    file.isChanged = true
    file.isUnsynced = true
    if onlyMarked {
      // Another process may rename the new file, and after a kill no mark would lead to it.
      let skipped = try open.skip(bytes, now: now)
      let rest = UnsafeRawBufferPointer(rebasing: bytes[skipped...])
      if file.hasUnmarkedFile {
        needsMarks = true
        return open.takeUnfinishedLine() + rest
      }
      do throws(FileFailure) { try open.append(rest, now: now, isPrepared: file.isPrepared) } catch {
        throw error.counting(skipped + error.written)
      }
    } else {
      try open.append(bytes, now: now, isPrepared: file.isPrepared)
    }
    if file.hasUnmarkedFile { needsMarks = true }
    return []
  }
}
