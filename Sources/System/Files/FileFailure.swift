import Glibc

/// Why a file could not be read or written, as a sentence.
package struct FileFailure: Error, Equatable, CustomStringConvertible {
  package let path: String
  /// The reason: `cannot open: No such file or directory`.
  package let reason: String
  /// The system's error number; 0 if there is none.
  package let code: Int32
  /// Whether another process has the file.
  package var isInUse: Bool { code == EBUSY }
  /// How many bytes were written before the failure, so that the rest can be retried.
  package let written: Int

  package init(_ path: String, _ reason: String, code: Int32 = 0, written: Int = 0) {
    self.path = path
    self.reason = reason
    self.code = code
    self.written = written
  }

  /// The failure of the system call that just returned, or of one with this error number.
  package init(_ path: String, trying what: String, code: Int32 = errno, written: Int = 0) {
    self.init(path, "cannot \(what): \(systemReason(code))", code: code, written: written)
  }

  /// The same failure with a number of written bytes.
  package func counting(_ written: Int) -> FileFailure {
    FileFailure(path, reason, code: code, written: written)
  }

  /// Calls a disk, and adds the path and the attempted action to its errors.
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

  /// Whether it has nothing to do with the path and may be temporary.
  package var isPassing: Bool { isFull || isUnread || [EIO, EMFILE, ENFILE, ENOMEM].contains(code) }

  /// Whether a pipe has no reader, or one that has stopped reading: worth a retry later.
  package var isUnread: Bool { code == ENXIO || code == EAGAIN }

  /// Whether the path is valid, and only room or a reader is missing.
  package var mayBeAwaited: Bool { isFull || isUnread }

  /// Whether the path can never be that of an output file, whatever the rights and the room.
  package var isOfName: Bool {
    [0, EINVAL, EILSEQ, EISDIR, ELOOP, ENAMETOOLONG, ENOTDIR, ENODEV].contains(code)
  }

  /// Whether the disk or the user's quota is full: worth a retry later.
  package var isFull: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }
}

/// The system's text for an error number.
///
/// `strerror` may use one buffer for all threads, so the text is read into one of our own.
package func systemReason(_ code: Int32) -> String {
  withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
    guard let base = buffer.baseAddress, strerror_r(code, base, buffer.count) == 0 else {
      return "error \(code)"
    }
    let text = String(cString: base)
    return code == EMFILE ? "\(text) (at most \(DescriptorLimit.current): ulimit -n)" : text
  }
}
