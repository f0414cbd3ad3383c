import System
import JSON
import Engine
import Language

/// One of the files that lines are added to, open or closed to leave room for others.
final class LineFile {
  let path: String
  /// What is still to be written.
  let lines = Output(capacity: 1 << 10)
  let held = HeldFiles()
  /// Nil while it is closed.
  var file: RotatingFile?
  var lastUsed = 0
  /// It may differ from what the last mark says.
  var isChanged = true
  var isUnsynced = true
  /// What comes again is to be ended before the next bytes.
  var endsReplay = false
  /// Its mark when it was closed.
  private var closedAt: FileMark?
  /// Folders whose names the disk may not have known when it was closed.
  private var newFolders: [String] = []
  /// What the last mark was in.
  private var marked: FileIdentity?

  init(_ path: String, marked: FileIdentity?) {
    self.path = path
    self.marked = marked
  }

  /// Up to where it is written, to be kept.
  func handOutMark() -> FileMark? {
    isChanged = false
    guard let mark = file == nil ? closedAt : file?.mark else { return nil }
    held.hold(mark.identity, isPresent: file.map { !$0.isPassingOver } ?? false)
    marked = mark.identity
    return mark
  }

  /// What is going to be written goes to another file than the last mark is in.
  var isBesideMark: Bool {
    guard let file, !file.isPassingOver else { return false }
    return file.identity != marked
  }

  /// A closed file can be opened again as if it had not been before.
  var isAsMarked: Bool { !isChanged && held.files.count < 2 }

  /// Leaves room for another; from where it is to be resumed when it is opened again, if it must be.
  func close() -> FileMark? {
    file?.finishPacking()
    closedAt = file?.mark
    newFolders += file?.newFolders ?? []
    defer { file = nil }
    guard let file, file.isWithin else { return nil }
    if isUnsynced { file.retirePassed() }
    return closedAt
  }

  /// Returns once the disk has what was written.
  func sync(on disk: any Disk, followsLinks: Bool) throws(FileFailure) {
    if let file {
      try file.sync()
    } else {
      try held.sync(path)
      // If the name is another's now, somebody has taken the file, and care of it.
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
