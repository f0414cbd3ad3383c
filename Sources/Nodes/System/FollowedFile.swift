import Glibc
import JSON

/// What happened to a file that is followed, by its name.
enum FileChange: Equatable, Sendable {
  /// It is not there yet; it will be followed when it is.
  case missing
  /// It has been made, or another has taken its name, and is followed from its beginning.
  case begun
  /// The name has gone; the file is followed on until another takes its name.
  case gone
  /// It has become shorter than what was read of it, and is read from its beginning.
  case truncated
}

/// Follows a file of JSON lines that grows, through rotation, truncation, removal and return.
///
/// Only whole lines are handed out; a file that gives its name to another is read to its end first, and then a last
/// line without a line break is one too. What is written over at once with at least as much as was read before is
/// taken for the same text: no file system tells the difference.
final class FollowedFile {
  enum Start: Sendable {
    case beginning
    /// What is written from now on.
    case end
    /// A place that was read up to before.
    case offset(Int)
  }

  let path: String
  private let stop: StopSignal
  private let watch: FileWatch
  private let window: TextWindow
  private let lines: LineValues
  private let limits: ReadLimits
  private let note: (FileChange) -> Void
  private var start: Start
  private var file: Descriptor?
  /// Which file it is, nil while there is none.
  private(set) var identity: FileIdentity?
  private var lastNote: FileChange?
  private var pending: [Value] = []

  init(
    _ path: String, from start: Start, stop: StopSignal, limits: ReadLimits = ReadLimits(),
    polls: Bool = false,
    report: @escaping (BadText) -> Void, note: @escaping (FileChange) -> Void = { _ in }
  ) {
    self.path = path
    self.stop = stop
    self.start = start
    self.limits = limits
    self.note = note
    watch = FileWatch(path, polls: polls)
    window = TextWindow(chunk: limits.chunk, limit: limits.value)
    lines = LineValues(path: path, window: window, limits: limits, report: report)
  }

  /// Where in the file the values end that have been handed out; after a full batch, some may be ahead.
  var offset: Int { window.position }

  /// The next values, waiting for them; none once it has been stopped.
  func nextBatch() throws(FileFailure) -> [Value] {
    while true {
      if stop.isStopped { return [] }
      if !pending.isEmpty { return nextOfPending() }
      watch.arm()
      if try advance() || !pending.isEmpty { continue }
      watch.wait(stop)
    }
  }

  private func nextOfPending() -> [Value] {
    if pending.count <= limits.batch {
      defer { pending = [] }
      return pending
    }
    defer { pending.removeFirst(limits.batch) }
    return Array(pending[..<limits.batch])
  }

  /// Reads on, or sees what has become of the file; false when there is nothing to do but to wait.
  private func advance() throws(FileFailure) -> Bool {
    guard let file else { return try open() }
    if try read(file) > 0 { return true }
    if let status = file.status, status.st_size < window.position + window.count {
      tell(.truncated)
      return try begin(file, at: 0)
    }
    guard let other = FileIdentity(at: path) else {
      tell(.gone)
      return false
    }
    if other == identity { return false }
    // Written between the last look at the old file and the making of the new one.
    if try read(file) > 0 { return true }
    window.finish()
    lines.take(into: &pending)
    self.file = nil
    identity = nil
    watch.forgetFile()
    return true
  }

  private func read(_ file: Descriptor) throws(FileFailure) -> Int {
    let count = try window.fill { room throws(FileFailure) in
      let count = retrying { Glibc.read(file.number, room.baseAddress, room.count) }
      guard count >= 0 else { throw FileFailure(path, trying: "read") }
      return count
    }
    lines.take(into: &pending)
    // A full window has just been used up.
    return count ?? 1
  }

  private func open() throws(FileFailure) -> Bool {
    let file: Descriptor
    do throws(FileFailure) {
      // A pipe would have to be waited for.
      file = try Descriptor(opening: path, O_RDONLY | O_NONBLOCK, to: "open")
    } catch {
      guard error.code == ENOENT || error.code == ENOTDIR else { throw error }
      tell(.missing)
      start = .beginning
      return false
    }
    guard let status = file.status, status.isRegular else {
      throw FileFailure(path, "cannot follow: only plain files can be")
    }
    identity = FileIdentity(status)
    self.file = file
    if lastNote != nil { note(.begun) }
    // The name may have been another file's when it was last looked at.
    watch.forgetFile()
    defer { start = .beginning }
    switch start {
    case .beginning: return try begin(file, at: 0)
    case .end: return try begin(file, at: Int(status.st_size))
    case .offset(let offset) where offset <= status.st_size: return try begin(file, at: offset)
    case .offset:
      tell(.truncated)
      return try begin(file, at: 0)
    }
  }

  private func begin(_ file: Descriptor, at offset: Int) throws(FileFailure) -> Bool {
    guard lseek(file.number, offset, SEEK_SET) == offset else { throw FileFailure(path, trying: "seek") }
    var before: UInt8 = 0x0a
    if offset > 0 { pread(file.number, &before, 1, offset - 1) }
    window.restart(at: offset)
    lines.restart(inLine: before != 0x0a)
    lastNote = .begun
    return true
  }

  /// Tells once of what stays so.
  private func tell(_ change: FileChange) {
    if change != lastNote { note(change) }
    lastNote = change
  }
}
