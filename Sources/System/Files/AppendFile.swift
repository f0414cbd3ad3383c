import Glibc

/// A file that whole lines are added to, and nothing is ever taken back from.
///
/// Each buffer is one write to the end of the file. When somebody else has moved or removed the file, as logrotate
/// does, the next buffer goes to a new one of the same name.
package final class AppendFile {
  package let path: String
  package let disk: any Disk
  private let options: Options
  private let note: (String) -> Void
  /// The file as it is open.
  package private(set) var file: any DiskFile
  package private(set) var identity: FileIdentity
  /// Pipes and devices have no size and no name to follow.
  package private(set) var isRegular: Bool
  /// Bytes in the file, as far as this writer knows.
  package private(set) var size: Int
  /// What was written last ends a line, so that another file could be begun here.
  package private(set) var isAtLineStart = true

  /// The disk knows the file by its name.
  private var hasName = false
  /// Folders whose names the disk may not know.
  package private(set) var newFolders: [String]

  package struct Options {
    package var mode: mode_t = 0o644
    /// Makes the folders that are missing.
    package var makesFolders = true
    /// A link as the last part of the path is followed.
    ///
    /// Not for a path that was made of data: see `safePathPart`.
    package var followsLinks = true
    /// The names of the folders above it are safe: they were made so with this file before.
    package var hasSafeFolders = false
    /// No other process may claim the file while it is open.
    package var isClaimed = false

    package init(
      mode: mode_t = 0o644, makesFolders: Bool = true, followsLinks: Bool = true,
      hasSafeFolders: Bool = false,
      isClaimed: Bool = false
    ) {
      self.isClaimed = isClaimed
      self.mode = mode
      self.makesFolders = makesFolders
      self.followsLinks = followsLinks
      self.hasSafeFolders = hasSafeFolders
    }
  }

  /// Opens or creates the file; a last line that was cut off is ended, and that is noted.
  ///
  /// A file that is resumed stays as it is: what comes may go on in the middle of its last line.
  package init(
    _ path: String, _ options: Options = Options(), on disk: any Disk = SystemDisk(), isResumed: Bool = false,
    note: @escaping (String) -> Void = { _ in }
  ) throws(FileFailure) {
    self.path = path
    self.disk = disk
    self.options = options
    self.note = note
    let opened = try AppendFile.open(path, options, disk)
    file = opened.file
    // Those that are there may have been made by a run that was killed before they were safe.
    newFolders = options.hasSafeFolders ? opened.newFolders : foldersAbove(path)
    identity = opened.status.identity
    size = opened.status.size
    isRegular = opened.status.isRegular
    isAtLineStart = endsLine()
    if !isResumed { try endLastLine() }
  }

  /// Adds a buffer of whole lines.
  ///
  /// Where the disk is full the error says how many bytes were written: the rest is to be given again, by
  /// `append(rest)`, before anything else.
  package func append(_ bytes: UnsafeRawBufferPointer) throws(FileFailure) {
    if isRegular { try look() }
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count: Int
      do throws(DiskError) { count = try file.append(rest) } catch {
        if error.code == EAGAIN {
          throw FileFailure(
            path, "the pipe is full, and its reader does not read", code: EAGAIN, written: done)
        }
        throw FileFailure(path, trying: "write", code: error.code, written: done)
      }
      done += count
      size += count
      isAtLineStart = bytes[done - 1] == 0x0a
    }
  }

  package func append(_ bytes: [UInt8]) throws(FileFailure) {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(FileFailure) in try append(bytes) }
    }
    try result.get()
  }

  /// Returns once the disk has what was written, and the file's name.
  package func sync() throws(FileFailure) {
    guard isRegular else { return }
    try FileFailure.of(path, trying: "write to the disk") { () throws(DiskError) in try file.sync() }
    if !hasName {
      for name in [path] + newFolders { disk.syncFolder(splitPath(name).folder) }
    }
    hasName = true
    newFolders = []
  }

  /// Sees whether the name is still this file's, and what others have made of its size.
  private func look() throws(FileFailure) {
    if let status = disk.status(of: path), status.identity == identity {
      size = status.size
    } else if isAtLineStart {
      try reopen()
    }
  }

  /// Whether the name is another file's now, or none's, and the next line may begin a new file.
  package var hasLostName: Bool {
    isRegular && isAtLineStart && disk.status(of: path)?.identity != identity
  }

  /// Goes on in the file that has the name now, made anew where there is none.
  package func reopen() throws(FileFailure) {
    let opened = try AppendFile.open(path, options, disk)
    hasName = false
    file = opened.file
    newFolders += opened.newFolders
    identity = opened.status.identity
    size = opened.status.size
    isRegular = opened.status.isRegular
    isAtLineStart = endsLine()
    try endLastLine()
  }

  /// Sees what is at the end, where others may have written: this writer goes on behind it.
  ///
  /// `reader` may be of this file, which may not have its name any more.
  package func lookAtEnd(_ reader: any DiskFile) {
    guard isRegular, let status = file.status else { return }
    size = status.size
    isAtLineStart = endsLine(reader)
  }

  private static func open(
    _ path: String, _ options: Options, _ disk: any Disk
  ) throws(FileFailure) -> (file: any DiskFile, status: DiskStatus, newFolders: [String]) {
    var folders: [String] = []
    if options.makesFolders { try makeFolders(splitPath(path).folder, on: disk, made: &folders) }
    let file: any DiskFile
    do throws(DiskError) {
      file = try disk.open(toAppend: path, mode: options.mode, followsLinks: options.followsLinks)
    } catch {
      if error.code == ENXIO { throw FileFailure(path, "no process reads this pipe", code: ENXIO) }
      throw FileFailure(path, trying: "open", code: error.code)
    }
    guard let status = file.status else { throw FileFailure(path, trying: "open") }
    if options.isClaimed, status.isRegular {
      do throws(DiskError) { try file.claim() } catch {
        // A file system without locks is no reason not to write.
        if error.code == EWOULDBLOCK {
          let holder = disk.holder(of: status.identity).map { "process \($0)" } ?? "another process"
          throw FileFailure(path, "in use by \(holder); a file has one pipeline at a time", code: EBUSY)
        }
      }
    }
    return (file, status, folders)
  }

  /// A line that was cut off stays as a reader may have seen it, and no other is joined to it.
  package func endLastLine() throws(FileFailure) {
    guard !isAtLineStart else { return }
    try append([0x0a])
    note("\(path): the last line was cut off; it has been ended at byte \(size - 1)")
  }

  /// The fingerprint of what the file holds before a place; nil where it cannot be read by its name.
  package func fingerprint(upTo end: Int) -> FileFingerprint? {
    guard let reader = try? openToRead(), reader.status?.identity == identity else { return nil }
    return FileFingerprint(reader, upTo: end)
  }

  /// Also where nothing can be told, since the file may be written and not be read.
  private func endsLine(_ reader: (any DiskFile)? = nil) -> Bool {
    guard isRegular, size > 0 else { return true }
    let isOwn = reader?.status?.identity == identity
    guard let reader = isOwn ? reader : try? openToRead(), reader.status?.identity == identity else {
      return true
    }
    var byte: UInt8 = 0x0a
    _ = withUnsafeMutableBytes(of: &byte) { try? reader.read(at: size - 1, into: $0) }
    return byte == 0x0a
  }

  private func openToRead() throws(DiskError) -> any DiskFile {
    try disk.open(toRead: path, followsLinks: options.followsLinks)
  }
}

private func foldersAbove(_ path: String) -> [String] {
  let folder = splitPath(path).folder
  return folder == path || folder == "." || folder == "/" ? [] : [folder] + foldersAbove(folder)
}

/// Makes a folder and those above it that are missing; `made` tells which.
private func makeFolders(_ path: String, on disk: any Disk, made: inout [String]) throws(FileFailure) {
  guard disk.status(of: path) == nil else { return }
  do throws(DiskError) {
    try disk.makeFolder(path)
  } catch {
    guard error.code == ENOENT, splitPath(path).folder != path else {
      throw FileFailure(path, trying: "make the folder", code: error.code)
    }
    try makeFolders(splitPath(path).folder, on: disk, made: &made)
    try FileFailure.of(path, trying: "make the folder") { () throws(DiskError) in try disk.makeFolder(path) }
  }
  made.append(path)
}
