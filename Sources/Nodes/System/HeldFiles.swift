import Pipeline

/// The files that marks are in which are kept, or may be by now: they are found by their inodes, and stay as they are.
final class HeldFiles {
  /// The one whose mark is kept, then those whose marks were handed out since.
  private(set) var files: [FileIdentity] = []
  /// Those of which the name was given to another file because they held something else than they should.
  private var aside: Set<FileIdentity> = []
  /// Those that were written to and whose names others have now, open until they are safe.
  private(set) var unsynced: [any DiskFile] = []

  func hold(_ file: FileIdentity) {
    if files.last != file { files.append(file) }
  }

  /// What was handed out last is kept, and nothing from before is needed.
  func marksAreKept() {
    files = files.suffix(1)
    aside.formIntersection(files)
  }

  /// The file is written to no more; whether it must be safe before a mark is depends on there being marks.
  func retire(_ file: any DiskFile) {
    if !files.isEmpty { unsynced.append(file) }
  }

  /// Returns when those that were retired are safe; `path` is what an error is about.
  func sync(_ path: String) throws(FileFailure) {
    while let last = unsynced.last {
      try FileFailure.of(path, trying: "write to the disk") { () throws(DiskError) in try last.sync() }
      unsynced.removeLast()
    }
  }

  /// Nobody asks whether they are safe.
  func forgetUnsynced() { unsynced = [] }

  func setAside(_ file: FileIdentity) { aside.insert(file) }

  func contains(_ file: FileIdentity?) -> Bool { file.map(files.contains) ?? false }

  /// A mark is in a file that was set aside, which leads to the one that has its name and to none besides.
  var hasAside: Bool { files.contains(where: aside.contains) }
}
