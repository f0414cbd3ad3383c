import Glibc
import JSON
import System

/// A place in a file up to which a run knows what was written: which file, and how long it was then.
///
///     {"device":1,"inode":2,"offset":3,"aside":0,"print":"3-9e37"}
struct FileMark: Equatable, Sendable {
  var identity: FileIdentity
  var offset: Int
  /// How many files of that name had been set aside by then; nil where nobody has counted.
  var aside: Int?
  /// Of what the file held before the place; nil where it could not be read, and in marks of earlier versions.
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

  /// From its text; nil where that is not a mark's.
  init?(json: String) {
    guard let value = try? Value.parse(json) else { return nil }
    // By their texts: some file systems have numbers that no double holds.
    func number<Number: FixedWidthInteger>(_ name: String) -> Number? {
      value.member(name).flatMap { $0.kind == .number ? Number("\($0)") : nil }
    }
    guard let device: UInt = number("device"), let inode: UInt = number("inode"),
      let offset: Int = number("offset"), offset >= 0
    else { return nil }
    self.init(device: device, inode: inode, offset: offset, aside: number("aside"))
    fingerprint = value.member("print")?.string.flatMap { FileFingerprint(text: $0) }
  }

  /// Whether the file with this inode is the one that the mark was made in, and not one written over it or with an
  /// inode that became free; one that was cut short is.
  func isOf(_ file: any DiskFile) -> Bool {
    // One that cannot be read fails where it is compared.
    guard let fingerprint, let now = FileFingerprint(file, upTo: offset) else { return true }
    return fingerprint.matches(now)
  }

  var json: String {
    let count = aside.map { #","aside":\#($0)"# } ?? ""
    let print = fingerprint.map { #","print":"\#($0.text)""# } ?? ""
    return #"{"device":\#(device),"inode":\#(inode),"offset":\#(offset)\#(count)\#(print)}"#
  }
}

/// The files that marks are in which are kept, or may be by now: they are found by their inodes, and stay as they are.
final class PinnedFiles {
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
