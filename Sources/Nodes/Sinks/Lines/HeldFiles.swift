import System
import Engine
import Language

/// The files that marks are in which are kept, or may be by now: they are found by their inodes, and stay as they are.
final class HeldFiles {
  /// The one whose mark is kept, then those whose marks were handed out since.
  private(set) var files: [FileIdentity] = []
  /// Whether files were set aside since the mark that is kept, and since the one that was handed out last.
  private var isAside = (sinceKept: false, sinceLast: false)
  /// Those that were written to and whose names others have now, open until they are safe.
  private(set) var unsynced: [any DiskFile] = []

  /// A mark in the file was handed out; `isPresent` where nothing leads from it over files that were set aside.
  func hold(_ file: FileIdentity, isPresent: Bool) {
    if files.last != file { files.append(file) }
    if isPresent { isAside.sinceLast = false }
  }

  /// What was handed out last is kept, and nothing from before is needed.
  func marksAreKept() {
    files = files.suffix(1)
    isAside.sinceKept = isAside.sinceLast
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

  /// A file of which the name was given to another because it held something else than it should.
  func noteAside() { isAside = (true, true) }

  func contains(_ file: FileIdentity?) -> Bool { file.map(files.contains) ?? false }

  /// From the mark that is kept, files that were set aside lead to the present one, and to none besides.
  var hasAside: Bool { isAside.sinceKept }
}
