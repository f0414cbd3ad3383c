import Glibc

/// A file to which whole lines are appended, and from which nothing is ever removed.
///
/// Each buffer is one write to the end of the file. If another process has moved or removed the file, as logrotate
/// does, the next buffer goes to a new file of the same name.
package final class AppendFile {
  package let path: String
  package let disk: any Disk
  private let options: Options
  private let note: (String) -> Void
  /// The open file.
  package private(set) var file: any DiskFile
  package private(set) var identity: FileIdentity
  /// False for pipes and devices, which have no size and no name to follow.
  package private(set) var isRegular: Bool
  /// The size of the file, as far as this writer knows.
  package private(set) var size: Int
  /// Whether the last write ended a line, so that another file can be begun here.
  package private(set) var isAtLineStart = true

  /// Whether the file's name is durable.
  private var hasName = false
  /// Folders whose entries may not have been synced.
  package private(set) var newFolders: [String]

  package struct Options {
    package var mode: mode_t = 0o644
    /// Whether to create missing folders.
    package var makesFolders = true
    /// Whether to follow a link as the last component of the path.
    ///
    /// Not for a path that was made from data: see `safePathPart`.
    package var followsLinks = true
    /// Whether the folders above it are durable, because they were synced with this file before.
    package var hasSafeFolders = false
    /// Whether to keep other processes from claiming the file while it is open.
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

  /// Opens or creates the file; an incomplete last line is ended, which is reported.
  ///
  /// A file that is resumed is not changed: the next bytes may continue its last line.
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
    // Existing folders may have been created by a run that was killed before they were synced.
    newFolders = options.hasSafeFolders ? opened.newFolders : foldersAbove(path)
    identity = opened.status.identity
    size = opened.status.size
    isRegular = opened.status.isRegular
    isAtLineStart = endsLine()
    if !isResumed { try endLastLine() }
  }

  /// Appends a buffer of whole lines.
  ///
  /// If the disk is full, the error contains how many bytes were written: call `append(rest)` with the rest before
  /// anything else.
  package func append(_ bytes: UnsafeRawBufferPointer, mayReopen: Bool = true) throws(FileFailure) {
    if isRegular { try look(mayReopen: mayReopen) }
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

  /// Syncs the file and its name.
  package func sync() throws(FileFailure) {
    guard isRegular else { return }
    try FileFailure.of(path, trying: "write to the disk") { () throws(DiskError) in try file.sync() }
    if !hasName {
      for name in [path] + newFolders { disk.syncFolder(splitPath(name).folder) }
    }
    hasName = true
    newFolders = []
  }

  /// Checks whether the file still has its name, and whether other processes have changed its size.
  private func look(mayReopen: Bool) throws(FileFailure) {
    if let status = disk.status(of: path), status.identity == identity {
      size = status.size
    } else if isAtLineStart, mayReopen {
      try reopen()
    }
  }

  /// Whether another file, or none, has the name now, and the next line may begin a new file.
  package var hasLostName: Bool {
    isRegular && isAtLineStart && disk.status(of: path)?.identity != identity
  }

  /// Continues in the file that has the name now, which is created if it is missing.
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

  /// Checks the end of the file, where other processes may have written: this writer continues after it.
  ///
  /// `reader` may be of this file, which may have lost its name.
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
        // A file system without locks must not keep the file from being written.
        if error.code == EWOULDBLOCK {
          let holder = disk.holder(of: status.identity).map { "process \($0)" } ?? "another process"
          throw FileFailure(path, "in use by \(holder); a file has one pipeline at a time", code: EBUSY)
        }
      }
    }
    return (file, status, folders)
  }

  /// Ends an incomplete line, which readers may have seen, so that no other line is joined to it.
  package func endLastLine() throws(FileFailure) {
    guard !isAtLineStart else { return }
    try append([0x0a])
    note("\(path): the last line was cut off; it has been ended at byte \(size - 1)")
  }

  /// The fingerprint of the content before an offset; nil if the file cannot be read by its name.
  package func fingerprint(upTo end: Int) -> FileFingerprint? {
    guard let reader = try? openToRead(), reader.status?.identity == identity else { return nil }
    return FileFingerprint(reader, upTo: end)
  }

  /// True also if the file cannot be read.
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

/// Creates a folder and missing parents; `made` is called with each of them.
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
