import Decode
import Engine
import JSON
import Language
import System

/// How far a file has been read: where to begin to read what has not been sent yet.
struct ReadPosition {
  var path: String
  /// The file, whatever its name is now.
  var identity: FileIdentity
  /// The fingerprint of what was read; nil if it could not be read again, and in positions of early versions.
  var fingerprint: FileFingerprint?
  /// An offset in the decompressed text, and the number of values to skip there.
  var offset = 0
  var values = 0
  /// Line breaks before it.
  var lines = 0
  var format = TextFormat.json
  /// Whether the file is followed; if so, reading never begins again at its start.
  var isFollowed = false
  /// The contents that were read of the file, or others of its name, before they were cut; their copies have them.
  var cut: [ReadContent] = []

  init(path: String, identity: FileIdentity) {
    self.path = path
    self.identity = identity
  }

  /// Whether the path leads to the file that was read, with the part that was read unchanged.
  func isOf(_ path: String) -> Bool { FileIdentity(at: path) == identity && isUnchanged(path) }

  /// Whether the part of the file that was read is unchanged, as far as that can be determined.
  func isUnchanged(_ path: String) -> Bool {
    guard let fingerprint else { return true }
    if let now = FileFingerprint(path, upTo: fingerprint.end) { return fingerprint.matches(now) }
    // A file that cannot be read fails when it is read.
    return SystemDisk().status(of: path).map { $0.size >= fingerprint.end } ?? false
  }

  init?(_ value: Value?) {
    func number(_ name: String) -> UInt? {
      // Numbers as text: some file systems have inodes that a double cannot represent.
      value?.member(name).flatMap { UInt($0.string ?? $0.description) }
    }
    guard let value, let path = value.member("file")?.string, let device = number("device"),
      let inode = number("inode"), let offset = number("offset")
    else { return nil }
    self.init(path: path, identity: FileIdentity(device: device, inode: inode))
    self.offset = Int(clamping: offset)
    values = Int(clamping: number("values") ?? 0)
    lines = Int(clamping: number("lines") ?? 0)
    format = value.member("format")?.string.flatMap { TextFormat.named($0) } ?? .json
    fingerprint = value.member("print")?.string.flatMap { FileFingerprint(text: $0) }
    isFollowed = value.member("follow")?.isTruthy ?? false
    cut = value.member("cut")?.items?.compactMap { $0.string.flatMap { ReadContent(text: $0) } } ?? []
  }

  var value: Value {
    var members: [(String, Value)] = [
      ("file", .string(path)), ("device", .string("\(identity.device)")),
      ("inode", .string("\(identity.inode)")), ("offset", .number(offset)),
    ]
    if let fingerprint { members.append(("print", .string(fingerprint.text))) }
    if values > 0 { members.append(("values", .number(values))) }
    if lines > 0 { members.append(("lines", .number(lines))) }
    if format != .json { members.append(("format", .string(format.name))) }
    if isFollowed { members.append(("follow", .bool(true))) }
    if !cut.isEmpty { members.append(("cut", .array(cut.map { .string($0.text) }))) }
    return .record(members)
  }
}

extension Array {
  /// The remaining values after skipping some, which are counted down.
  func passing(over count: inout Int) -> [Element] {
    if count == 0 { return self }
    let passed = Swift.min(count, self.count)
    count -= passed
    return Array(dropFirst(passed))
  }
}
