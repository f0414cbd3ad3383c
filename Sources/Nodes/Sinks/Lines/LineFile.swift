import JSON
import System

/// An output file, open or temporarily closed.
final class LineFile {
  let path: String
  /// The lines still to be written.
  let lines = Output(capacity: 1 << 10)
  let pinned = PinnedFiles()
  /// Nil while the file is closed.
  var file: RotatingFile?
  var lastUsed = 0
  /// Whether it may differ from its last mark.
  var isChanged = true
  var isUnsynced = true
  /// Whether it is rotated before marks are committed, and not when lines are written.
  var isPrepared = false
  /// Whether the replay must be ended before the next bytes are written.
  var endsReplay = false
  /// Its mark when it was closed.
  private var closedAt: FileMark?
  /// Folders whose entries may not have been synced when it was closed.
  private var newFolders: [String] = []
  private var hadUnmarkedFile = false
  /// The file of the last mark.
  private var marked: FileIdentity?

  init(_ path: String, marked: FileIdentity?) {
    self.path = path
    self.marked = marked
  }

  /// The file that was closed last.
  var closedIdentity: FileIdentity? { closedAt?.identity }

  /// Makes a mark to be committed.
  func handOutMark() -> FileMark? {
    isChanged = false
    guard let mark = file == nil ? closedAt : file?.mark else { return nil }
    pinned.pin(mark.identity, isPresent: file.map { !$0.isComparingTail } ?? false)
    marked = mark.identity
    hadUnmarkedFile = false
    return mark
  }

  /// Whether nothing lies before the next bytes; false for what has no positions.
  var isAtStart: Bool { (file == nil ? closedAt : file?.mark)?.offset == 0 }

  /// Whether the next bytes go to another file than that of the last mark.
  var hasUnmarkedFile: Bool {
    guard let file else { return hadUnmarkedFile }
    return !file.isComparingTail && file.identity != marked
  }

  /// Whether a closed file can be reopened without remembering anything else about it.
  var isAsMarked: Bool { !isChanged && pinned.files.count < 2 }

  /// Closes the file; returns the mark to resume at when it is reopened, if that is necessary.
  func close() -> FileMark? {
    file?.finishPacking()
    hadUnmarkedFile = hasUnmarkedFile
    closedAt = file?.mark
    newFolders += file?.newFolders ?? []
    defer { (file, isPrepared) = (nil, false) }
    guard let file, file.needsMark else { return nil }
    if isUnsynced { file.retireCompared() }
    return closedAt
  }

  /// Syncs what was written.
  func sync(on disk: any Disk, followsLinks: Bool) throws(FileFailure) {
    if let file {
      try file.sync()
    } else {
      try pinned.sync(path)
      // If another file has the name now, another process has moved this one and is responsible for it.
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
