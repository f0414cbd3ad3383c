import Glibc

/// The bytes of a file that grows, through rotation, truncation, removal and return.
///
/// A file that is copied and then cut, as by logrotate with copytruncate, is read from its beginning again; its copy is known
/// by what was read of it, should it be among the files between.
///
/// A file that has given its name to another is read to its end first, then the files between, then the one that has
/// the name. A file that is overwritten at once with at least as many bytes as were read of it counts as the same text:
/// no file system reports the difference.
///
///     follower.arm()
///     switch try follower.next(into: buffer) { … }
///     // at `.nothing`, and only then:
///     follower.wait(stop)
package final class FileFollower {
  package enum Start: Sendable {
    case beginning
    /// The text that is written from now on.
    case end
    /// An offset that was read up to before; of a given file, whatever its name is now.
    case offset(Int, of: FileIdentity? = nil, FileFingerprint? = nil)
  }

  package enum Step: Equatable {
    /// So many bytes are in the buffer.
    case bytes(Int)
    /// Reading begins at an offset: of a file that was opened, or of one that was truncated.
    case began(at: Int, inLine: Bool)
    /// The file has been read to its end, and another has its name. `identity` is still the old file's.
    case ended
    /// The file that had ended is closed.
    case closed
    /// Nothing to read until `wait` returns.
    case nothing
  }

  package let path: String
  private let watch: FileWatch
  private let names: RotatedNames
  private let note: (FileChange) -> Void
  private var start: Start
  private var file: OpenDescriptor?
  /// Which file is open; nil if none is.
  package private(set) var identity: FileIdentity?
  /// How far the open file has been read.
  package private(set) var offset = 0
  private var lastNote: FileChange?
  /// The file that was read before, which the next one follows.
  private var former: FileIdentity?
  private var hasEnded = false
  /// Whether the file could be read once, so that it may become readable again; else a failure is an error.
  private var hasBegun = false
  /// The content of the open file that was read.
  private var content = ReadContent(after: 0, nil)
  /// The contents that were read of files that were cut since, the latest last.
  package private(set) var cut: [ReadContent]
  /// More copies than this are not remembered.
  private static let mostCopies = 16

  /// With `polls` a wait always ends after a second.
  package init(
    _ path: String, from start: Start, cut: [ReadContent] = [], polls: Bool = false,
    note: @escaping (FileChange) -> Void = { _ in }
  ) {
    self.path = path
    self.cut = cut
    self.start = start
    self.note = note
    watch = FileWatch(path, polls: polls)
    names = RotatedNames(of: path)
  }

  /// The fingerprint of the open file before an offset; nil without a file.
  package func fingerprint(upTo offset: Int) -> FileFingerprint? {
    file.flatMap { FileFingerprint($0.number, upTo: offset) }
  }

  /// Prepares a wait: to be called before the calls of `next` whose outcome the wait is for.
  package func arm() { watch.arm() }

  /// Waits until something may have happened to the file, or the stop sign is set.
  package func wait(_ stop: StopSign) { watch.wait(stop) }

  /// For a caller that waits for several things: the descriptor to wait for, and how long at most.
  package var waiting: (descriptor: Int32, pause: Duration?) { (watch.descriptor, watch.pause) }

  /// Ends such a wait: takes what the system has reported.
  package func drain() { watch.drain() }

  /// Reads on, or finds out what has happened to the file.
  package func next(into buffer: UnsafeMutableRawBufferPointer) throws(FileFailure) -> Step {
    guard let file else { return try open() }
    if hasEnded { return close() }
    if case let count = try read(file, buffer), count > 0 { return .bytes(count) }
    if let status = file.status, status.st_size < offset {
      report(.truncated)
      remember(content)
      return try begin(file, at: 0)
    }
    if FileIdentity(at: path) == identity { return .nothing }
    guard let identity, names.exists(names.next(after: identity)) else {
      report(.gone)
      return .nothing
    }
    // Written between the last look at the old file and the making of the new one.
    if case let count = try read(file, buffer), count > 0 { return .bytes(count) }
    hasEnded = true
    return .ended
  }

  private func read(_ file: OpenDescriptor, _ buffer: UnsafeMutableRawBufferPointer) throws(FileFailure)
    -> Int
  {
    let count = retrying { Glibc.read(file.number, buffer.baseAddress, buffer.count) }
    guard count >= 0 else { throw FileFailure(path, trying: "read") }
    offset += count
    content.add(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    return count
  }

  private func close() -> Step {
    hasEnded = false
    file = nil
    former = identity
    identity = nil
    watch.forgetFile()
    return .closed
  }

  private func open() throws(FileFailure) -> Step {
    let file: OpenDescriptor
    let status: stat
    do throws(FileFailure) {
      (file, status) = try opened()
    } catch {
      if error.code == ENOENT || error.code == ENOTDIR {
        report(.missing)
      } else if hasBegun {
        report(.unreadable(reason: error.reason))
      } else {
        throw error
      }
      start = .beginning
      return .nothing
    }
    identity = FileIdentity(status)
    self.file = file
    if lastNote != nil { note(.begun) }
    // The name may have been another file's when it was last looked at.
    watch.forgetFile()
    let isBetween = former != nil
    former = nil
    defer { start = .beginning }
    switch start {
    case .beginning where isBetween:
      guard let copied = cut.lastIndex(where: { $0.isBeginning(of: file.number) }) else {
        return try begin(file, at: 0)
      }
      note(.copied(names.name(of: FileIdentity(status)) ?? path))
      // A line that was cut off had not been returned.
      return try begin(file, at: lineStart(in: file.number, before: cut.remove(at: copied).end))
    case .beginning: return try begin(file, at: 0)
    case .end: return try begin(file, at: Int(status.st_size))
    case .offset(let offset, _, _) where offset <= status.st_size: return try begin(file, at: offset)
    case .offset(let offset, _, let fingerprint):
      report(.truncated)
      if let fingerprint { remember(ReadContent(after: offset, fingerprint)) }
      return try begin(file, at: 0)
    }
  }

  /// The file to read next: usually the one of that name, but first those that had the name since.
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
      report(.replaced)
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
    // Without O_NONBLOCK, opening a pipe would wait for a writer.
    let file = try OpenDescriptor(opening: path, O_RDONLY | O_NONBLOCK, to: "open")
    guard let status = file.status, status.isRegular else {
      throw FileFailure(path, "cannot follow: only plain files can be")
    }
    return (file, status)
  }

  private func begin(_ file: OpenDescriptor, at offset: Int) throws(FileFailure) -> Step {
    guard lseek(file.number, offset, SEEK_SET) == offset else { throw FileFailure(path, trying: "seek") }
    var before: UInt8 = 0x0a
    if offset > 0 { pread(file.number, &before, 1, offset - 1) }
    self.offset = offset
    content = ReadContent(after: offset, offset > 0 ? FileFingerprint(file.number, upTo: offset) : nil)
    lastNote = .begun
    hasBegun = true
    return .began(at: offset, inLine: before != 0x0a)
  }

  private func remember(_ content: ReadContent) {
    guard content.end > 0 else { return }
    cut.append(content)
    if cut.count > Self.mostCopies { cut.removeFirst() }
  }

  /// Notes a change once for as long as it lasts.
  private func report(_ change: FileChange) {
    if change != lastNote { note(change) }
    lastNote = change
  }
}

/// The offset of the line in a file that begins before another offset, or there.
private func lineStart(in file: Int32, before end: Int) -> Int {
  withUnsafeTemporaryAllocation(byteCount: 1 << 12, alignment: 16) { room in
    var end = end
    while end > 0 {
      let start = max(0, end - room.count)
      let count = retrying { pread(file, room.baseAddress, end - start, off_t(start)) }
      if count <= 0 { return end }
      if let place = room[..<count].lastIndex(of: 0x0a) { return start + place + 1 }
      end = start
    }
    return 0
  }
}

/// A change of a file that is followed by its name.
package enum FileChange: Equatable, Sendable {
  /// There is no such file yet; it is followed as soon as there is one.
  case missing
  /// The file that was read before is not there any more; the one that has its name is read from its beginning.
  case replaced
  /// The file has been created, or another has taken the name, and is followed from its beginning.
  case begun
  /// The name does not exist any more; the file is followed until another takes the name.
  case gone
  /// The name is now that of something that cannot be followed; that may pass.
  case unreadable(reason: String)
  /// The file is shorter than what was read of it, and is read from its beginning.
  case truncated
  /// A file is a copy of what was read before the file was cut; only what it has beyond that is read.
  case copied(String)
}
