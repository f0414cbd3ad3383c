import Engine
import Glibc
import JSON
import Language
import System

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
    /// A place that was read up to before; of a given file, whatever its name is now.
    case offset(Int, of: FileIdentity? = nil, FileFingerprint? = nil)
  }

  let path: String
  private let stop: StopSign
  private let watch: FileWatch
  private let names: RotatedNames
  private let window: TextWindow
  private let lines: LineValues
  private let limits: ReadLimits
  private let note: (FileChange) -> Void
  private let caughtUp: () -> Void
  /// What was there at the beginning; nil where nothing was, and when it has been handed out.
  private var found: (file: FileIdentity, size: Int)?
  private var hasCaughtUp = false
  private var start: Start
  private var file: OpenDescriptor?
  /// Which file it is, nil while there is none.
  private(set) var identity: FileIdentity?
  private var lastNote: FileChange?
  /// The file that was read before, which the next one follows.
  private var former: FileIdentity?
  /// All that there will ever be of the file has been taken.
  private var isAtEnd = false
  /// What cannot be read from the start is a mistake; what could be once may be again.
  private var hasBegun = false
  private var batches = Batches()

  /// `caughtUp` is called once, when everything has been handed out that was there at the beginning.
  init(
    _ path: String, from start: Start, stop: StopSign, limits: ReadLimits = ReadLimits(),
    polls: Bool = false,
    report: @escaping (BadText) -> Void, note: @escaping (FileChange) -> Void = { _ in },
    caughtUp: @escaping () -> Void = {}
  ) {
    self.path = path
    self.stop = stop
    self.start = start
    self.limits = limits
    self.note = note
    self.caughtUp = caughtUp
    var status = stat()
    if stat(path, &status) == 0 { found = (FileIdentity(status), Int(status.st_size)) }
    watch = FileWatch(path, polls: polls)
    names = RotatedNames(of: path)
    window = TextWindow(chunk: limits.chunk, limit: limits.value)
    lines = LineValues(path: path, window: window, limits: limits, report: report)
  }

  /// Where in the file a follower would have to begin to give what this one has not given yet, and how many values it
  /// would have to pass over there.
  var position: (offset: Int, values: Int) { batches.position(end: window.position) }

  /// The fingerprint of what lies before that place.
  var fingerprint: FileFingerprint? { file.flatMap { FileFingerprint($0.number, upTo: position.offset) } }

  /// The next values, waiting for them; none once it has been stopped.
  func nextBatch() throws(FileFailure) -> [Value] {
    while true {
      if stop.isSet { return [] }
      if let batch = batches.next(limits.batch) { return batch }
      if let found, found.file == identity, found.size <= window.position + window.count { catchUp() }
      batches.begin(at: window.position)
      watch.arm()
      if try advance() || !batches.isEmpty { continue }
      catchUp()
      watch.wait(stop)
    }
  }

  private func catchUp() {
    found = nil
    if hasCaughtUp { return }
    hasCaughtUp = true
    caughtUp()
  }

  /// Reads on, or sees what has become of the file; false when there is nothing to do but to wait.
  private func advance() throws(FileFailure) -> Bool {
    guard let file else { return try open() }
    if !isAtEnd, try read(file) > 0 { return true }
    if let status = file.status, status.st_size < window.position + window.count {
      tell(.truncated)
      return try begin(file, at: 0)
    }
    if !isAtEnd {
      if FileIdentity(at: path) == identity { return false }
      guard let identity, names.exists(names.next(after: identity)) else {
        tell(.gone)
        return false
      }
      // Written between the last look at the old file and the making of the new one.
      if try read(file) > 0 { return true }
      isAtEnd = true
      window.finish()
      lines.take(into: &batches.values)
      // Handed out with a place in the file that they are of.
      if !batches.isEmpty { return true }
    }
    isAtEnd = false
    window.restart()
    self.file = nil
    former = identity
    identity = nil
    watch.forgetFile()
    return true
  }

  private func read(_ file: OpenDescriptor) throws(FileFailure) -> Int {
    let count = try window.fill { room throws(FileFailure) in
      let count = retrying { Glibc.read(file.number, room.baseAddress, room.count) }
      guard count >= 0 else { throw FileFailure(path, trying: "read") }
      return count
    }
    lines.take(into: &batches.values)
    // A full window has just been used up.
    return count ?? 1
  }

  private func open() throws(FileFailure) -> Bool {
    let file: OpenDescriptor
    let status: stat
    do throws(FileFailure) {
      (file, status) = try opened()
    } catch {
      if error.code == ENOENT || error.code == ENOTDIR {
        tell(.missing)
      } else if hasBegun {
        tell(.unreadable(reason: error.reason))
      } else {
        throw error
      }
      start = .beginning
      return false
    }
    identity = FileIdentity(status)
    self.file = file
    if lastNote != nil { note(.begun) }
    // The name may have been another file's when it was last looked at.
    watch.forgetFile()
    former = nil
    defer { start = .beginning }
    switch start {
    case .beginning: return try begin(file, at: 0)
    case .end: return try begin(file, at: Int(status.st_size))
    case .offset(let offset, _, _) where offset <= status.st_size: return try begin(file, at: offset)
    case .offset:
      tell(.truncated)
      return try begin(file, at: 0)
    }
  }

  /// The file to go on with: usually the one of that name, but first those which had it meanwhile.
  private func opened() throws(FileFailure) -> (OpenDescriptor, stat) {
    if case .offset(let offset, let identity?, let fingerprint) = start {
      search: while let name = names.name(of: identity) {
        do throws(FileFailure) {
          let found = try opened(name)
          guard FileIdentity(found.1) == identity else { continue }
          if let fingerprint, found.1.st_size >= offset,
            !fingerprint.matches(FileFingerprint(found.0.number, upTo: fingerprint.end))
          {
            break search
          }
          return found
        } catch {
          // It has just been given another name.
          if error.code != ENOENT { throw error }
        }
      }
      tell(.replaced)
      start = .beginning
    }
    guard let former else { return try opened(path) }
    // Names move meanwhile, from the oldest on.
    while true {
      let found = try opened(names.next(after: former))
      if FileIdentity(found.1) == FileIdentity(at: names.next(after: former)) { return found }
    }
  }

  private func opened(_ path: String) throws(FileFailure) -> (OpenDescriptor, stat) {
    // A pipe would have to be waited for.
    let file = try OpenDescriptor(opening: path, O_RDONLY | O_NONBLOCK, to: "open")
    guard let status = file.status, status.isRegular else {
      throw FileFailure(path, "cannot follow: only plain files can be")
    }
    return (file, status)
  }

  private func begin(_ file: OpenDescriptor, at offset: Int) throws(FileFailure) -> Bool {
    guard lseek(file.number, offset, SEEK_SET) == offset else { throw FileFailure(path, trying: "seek") }
    var before: UInt8 = 0x0a
    if offset > 0 { pread(file.number, &before, 1, offset - 1) }
    window.restart(at: offset)
    lines.restart(inLine: before != 0x0a)
    lastNote = .begun
    hasBegun = true
    return true
  }

  /// Tells once of what stays so.
  private func tell(_ change: FileChange) {
    if change != lastNote { note(change) }
    lastNote = change
  }
}

/// What happened to a file that is followed, by its name.
enum FileChange: Equatable, Sendable {
  /// It is not there yet; it will be followed when it is.
  case missing
  /// It is not the file that was read before, which is not there any more; it is read from its beginning.
  case replaced
  /// It has been made, or another has taken its name, and is followed from its beginning.
  case begun
  /// The name has gone; the file is followed on until another takes its name.
  case gone
  /// Something has its name that cannot be followed, now that a file was; that may pass.
  case unreadable(reason: String)
  /// It has become shorter than what was read of it, and is read from its beginning.
  case truncated
}
