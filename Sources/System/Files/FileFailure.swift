import Glibc

/// Why a file could not be read or written, as a sentence.
package struct FileFailure: Error, Equatable, CustomStringConvertible {
  package let path: String
  /// What went wrong: `cannot open: No such file or directory`.
  package let reason: String
  /// The system's number for it, 0 where it did not come from the system.
  package let code: Int32
  /// How many bytes of what was to be written had been, so that the rest can be tried again.
  package let written: Int

  package init(_ path: String, _ reason: String, code: Int32 = 0, written: Int = 0) {
    self.path = path
    self.reason = reason
    self.code = code
    self.written = written
  }

  /// The failure of the system call that just returned, or of one that had this number.
  package init(_ path: String, trying what: String, code: Int32 = errno, written: Int = 0) {
    self.init(path, "cannot \(what): \(systemReason(code))", code: code, written: written)
  }

  /// The same, so many bytes having been written.
  package func counting(_ written: Int) -> FileFailure {
    FileFailure(path, reason, code: code, written: written)
  }

  /// Calls a disk, whose error says neither what was tried nor with what.
  @inline(__always)
  package static func of<Result>(
    _ path: String, trying what: @autoclosure () -> String, written: Int = 0,
    _ call: () throws(DiskError) -> Result
  ) throws(FileFailure) -> Result {
    do throws(DiskError) { return try call() } catch {
      throw FileFailure(path, trying: what(), code: error.code, written: written)
    }
  }

  package var description: String { "\(path): \(reason)" }

  /// It says nothing of the path, and may be over before long.
  package var isPassing: Bool { isFull || isUnread || [EIO, EMFILE, ENFILE, ENOMEM].contains(code) }

  /// A pipe without a reader, or with one that has stopped reading: worth another try later.
  package var isUnread: Bool { code == ENXIO || code == EAGAIN }

  /// The path is right, and only room or a reader is missing.
  package var mayBeAwaited: Bool { isFull || isUnread }

  /// The path itself cannot be one of a file to write, whatever becomes of rights and room.
  package var isOfName: Bool {
    [0, EINVAL, EILSEQ, EISDIR, ELOOP, ENAMETOOLONG, ENOTDIR, ENODEV].contains(code)
  }

  /// Nothing is left of the disk or of what the user may have of it: worth another try later.
  package var isFull: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }
}

/// What the system says of one of its error numbers.
///
/// `strerror` may use one buffer for all threads, so the words are fetched into one of our own.
package func systemReason(_ code: Int32) -> String {
  withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
    guard let base = buffer.baseAddress, strerror_r(code, base, buffer.count) == 0 else {
      return "error \(code)"
    }
    return String(cString: base)
  }
}
