import Glibc
import JSON
import System

/// How far a file was written at a commit: which file, and its length.
///
///     {"device":1,"inode":2,"offset":3,"aside":0,"print":"3-9e37"}
struct FileMark: JSONRecord, Equatable {
  var identity: FileIdentity
  var offset: Int
  /// How many files of that name had been set aside by then; nil if unknown.
  var aside: Int?
  /// The fingerprint of the file's content up to the mark; nil if it could not be read, and in marks of early versions.
  var fingerprint: FileFingerprint?

  var device: UInt { identity.device }
  var inode: UInt { identity.inode }

  init(_ identity: FileIdentity, at offset: Int, aside: Int? = nil) {
    self.identity = identity
    self.offset = offset
    self.aside = aside
  }

  init(device: UInt, inode: UInt, offset: Int, aside: Int? = nil) {
    self.init(FileIdentity(device: device, inode: inode), at: offset, aside: aside)
  }

  static let form = RecordForm<Self>(
    Self.init(device:inode:offset:aside:), Field("device", \.device), Field("inode", \.inode),
    Field("offset", reading: { Int(member: $0).flatMap { $0 < 0 ? nil : $0 } }, writing: \.offset.member),
    Field("aside", \.aside)
  )
  .with(
    Field(
      "print", reading: { .some($0?.string.flatMap { FileFingerprint(text: $0) }) },
      writing: { $0.fingerprint.map { .string($0.text) } }), \.fingerprint)

  /// Whether this is the file in which the mark was made, rather than one that was overwritten or reuses its inode.
  ///
  /// A truncated file is the same.
  func isOf(_ file: any DiskFile) -> Bool {
    // A file that cannot be read fails when it is compared.
    guard let fingerprint, let now = FileFingerprint(file, upTo: offset) else { return true }
    return fingerprint.matches(now)
  }
}

/// The files that committed marks refer to, or may refer to: found by inode, and neither compressed nor removed.
final class PinnedFiles {
  /// The file of the committed mark, then those of marks made since.
  private(set) var files: [FileIdentity] = []
  /// Whether files were set aside since the committed mark, and since the latest one.
  private var isAside = (sinceKept: false, sinceLast: false)
  /// Files that have lost their names but must still be synced.
  private(set) var unsynced: [any DiskFile] = []

  /// Notes a new mark in a file; `isPresent` if no files that were set aside follow it.
  func pin(_ file: FileIdentity, isPresent: Bool) {
    if files.last != file { files.append(file) }
    if isPresent { isAside.sinceLast = false }
  }

  /// Notes that the latest mark was committed, so that earlier ones are no longer needed.
  func marksAreKept() {
    files = files.suffix(1)
    isAside.sinceKept = isAside.sinceLast
  }

  /// Notes that a file is complete.
  ///
  /// It must be synced before the next mark, if there are marks.
  func retire(_ file: any DiskFile) {
    if !files.isEmpty { unsynced.append(file) }
  }

  /// Syncs the files that were retired; `path` is named in errors.
  func sync(_ path: String) throws(FileFailure) {
    while let last = unsynced.last {
      try FileFailure.of(path, trying: "write to the disk") { () throws(DiskError) in try last.sync() }
      unsynced.removeLast()
    }
  }

  /// Forgets the retired files without syncing them.
  func forgetUnsynced() { unsynced = [] }

  /// Notes that a file was renamed because it contained something unexpected.
  func noteAside() { isAside = (true, true) }

  func contains(_ file: FileIdentity?) -> Bool { file.map(files.contains) ?? false }

  /// Whether files that were set aside follow the committed mark.
  var hasAside: Bool { isAside.sinceKept }
}
