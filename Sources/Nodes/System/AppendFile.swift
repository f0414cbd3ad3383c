import Glibc

/// A file that whole lines are added to, and nothing is ever taken back from.
///
/// Each buffer is one write(2) to the end of the file. When somebody else has moved or removed the file, as logrotate
/// does, the next buffer goes to a new one of the same name.
final class AppendFile {
  let path: String
  private let options: Options
  private let note: (String) -> Void
  private var file: OpenDescriptor
  private(set) var identity: FileIdentity
  /// Pipes and devices have no size and no name to follow.
  private(set) var isRegular: Bool
  /// Bytes in the file, as far as this writer knows.
  private(set) var size: Int
  /// What was written last ends a line, so that another file could be begun here.
  private(set) var isAtLineStart = true

  /// The disk knows the file by its name.
  private var hasName = false

  struct Options {
    var mode: mode_t = 0o644
    /// Makes the folders that are missing.
    var makesFolders = true
    /// A link as the last part of the path is followed.
    ///
    /// Not for a path that was made of data: see `safePathPart`.
    var followsLinks = true
  }

  /// Opens or creates the file; a last line that was cut off is ended, and that is noted.
  init(_ path: String, _ options: Options = Options(), note: @escaping (String) -> Void = { _ in })
    throws(FileFailure)
  {
    self.path = path
    self.options = options
    self.note = note
    (file, identity, size, isRegular) = try AppendFile.open(path, options)
    try endLastLine()
  }

  /// Adds a buffer of whole lines.
  ///
  /// Where the disk is full the error says how many bytes were written: the rest is to be given again, by
  /// `append(rest)`, before anything else.
  func append(_ bytes: UnsafeRawBufferPointer) throws(FileFailure) {
    if isRegular { try look() }
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = retrying { write(file.number, rest.baseAddress, rest.count) }
      guard count > 0 else { throw FileFailure(path, trying: "write", written: done) }
      done += count
      size += count
      isAtLineStart = bytes[done - 1] == 0x0a
    }
  }

  func append(_ bytes: [UInt8]) throws(FileFailure) {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(FileFailure) in try append(bytes) }
    }
    try result.get()
  }

  /// Returns once the disk has what was written, and the file's name.
  func sync() throws(FileFailure) {
    guard isRegular else { return }
    guard fdatasync(file.number) == 0 else { throw FileFailure(path, trying: "write to the disk") }
    if !hasName { syncFolder(of: path) }
    hasName = true
  }

  /// Sees whether the name is still this file's, and what others have made of its size.
  private func look() throws(FileFailure) {
    var status = stat()
    if stat(path, &status) == 0, FileIdentity(status) == identity {
      size = Int(status.st_size)
    } else if isAtLineStart {
      try reopen()
    }
  }

  /// Goes on in the file that has the name now, made anew where there is none.
  func reopen() throws(FileFailure) {
    hasName = false
    (file, identity, size, isRegular) = try AppendFile.open(path, options)
    try endLastLine()
  }

  private static func open(
    _ path: String, _ options: Options
  ) throws(FileFailure) -> (OpenDescriptor, FileIdentity, Int, Bool) {
    if options.makesFolders { try makeFolders(splitPath(path).folder) }
    let flags = O_WRONLY | O_APPEND | O_CREAT | (options.followsLinks ? 0 : O_NOFOLLOW)
    let file = try OpenDescriptor(opening: path, flags, mode: options.mode, to: "open")
    guard let status = file.status else { throw FileFailure(path, trying: "open") }
    return (file, FileIdentity(status), Int(status.st_size), status.isRegular)
  }

  /// A line that was cut off stays as a reader may have seen it, and no other is joined to it.
  private func endLastLine() throws(FileFailure) {
    isAtLineStart = true
    guard isRegular, size > 0, let last = lastByte(), last != 0x0a else { return }
    isAtLineStart = false
    try append([0x0a])
    note("\(path): the last line was cut off; it has been ended at byte \(size - 1)")
  }

  /// Nil where the file may be written and not be read.
  private func lastByte() -> UInt8? {
    guard let reader = try? OpenDescriptor(opening: path, O_RDONLY | O_NONBLOCK, to: "open") else {
      return nil
    }
    var byte: UInt8 = 0
    return pread(reader.number, &byte, 1, size - 1) == 1 ? byte : nil
  }
}

/// Makes a folder and those above it that are missing.
func makeFolders(_ path: String) throws(FileFailure) {
  guard mkdir(path, 0o777) != 0, errno != EEXIST else { return }
  guard errno == ENOENT else { throw FileFailure(path, trying: "make the folder") }
  try makeFolders(splitPath(path).folder)
  if mkdir(path, 0o777) != 0, errno != EEXIST { throw FileFailure(path, trying: "make the folder") }
}
