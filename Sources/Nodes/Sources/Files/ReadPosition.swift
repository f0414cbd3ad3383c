import Engine
import JSON
import Language
import System

/// How far a file has been read: where a reader has to begin to give what has not been given yet.
struct ReadPosition {
  var path: String
  /// Which file it was, whatever its name is now.
  var identity: FileIdentity
  /// Of what was read of it; nil where it could not be read again, and in positions of earlier versions.
  var fingerprint: FileFingerprint?
  /// A byte, as it is after unpacking, and values to pass over from there.
  var offset = 0
  var values = 0
  /// Line breaks before it.
  var lines = 0
  var format = TextFormat.auto
  /// Whether the file is followed: then it has no end at which reading begins anew.
  var isFollowed = false

  init(path: String, identity: FileIdentity) {
    self.path = path
    self.identity = identity
  }

  /// Whether the path leads to the file that was read, with what was read of it as it was.
  func isOf(_ path: String) -> Bool { FileIdentity(at: path) == identity && isUnchanged(path) }

  /// Whether what was read of the file of this path is as it was, as far as that can be decided.
  func isUnchanged(_ path: String) -> Bool {
    guard let fingerprint else { return true }
    if let now = FileFingerprint(path, upTo: fingerprint.end) { return fingerprint.matches(now) }
    // One that cannot be read fails where it is read.
    return SystemDisk().status(of: path).map { $0.size >= fingerprint.end } ?? false
  }

  init?(_ value: Value?) {
    func number(_ name: String) -> UInt? {
      // By its text: some file systems have numbers that no double holds.
      value?.member(name).flatMap { UInt($0.string ?? $0.description) }
    }
    guard let value, let path = value.member("file")?.string, let device = number("device"),
      let inode = number("inode"), let offset = number("offset")
    else { return nil }
    self.init(path: path, identity: FileIdentity(device: device, inode: inode))
    self.offset = Int(clamping: offset)
    values = Int(clamping: number("values") ?? 0)
    lines = Int(clamping: number("lines") ?? 0)
    format = value.member("format")?.string.flatMap { TextFormat(rawValue: $0) } ?? .auto
    fingerprint = value.member("print")?.string.flatMap { FileFingerprint(text: $0) }
    isFollowed = value.member("follow")?.isTruthy ?? false
  }

  var value: Value {
    var members: [(String, Value)] = [
      ("file", .string(path)), ("device", .string("\(identity.device)")),
      ("inode", .string("\(identity.inode)")), ("offset", .number(offset)),
    ]
    if let fingerprint { members.append(("print", .string(fingerprint.text))) }
    if values > 0 { members.append(("values", .number(values))) }
    if lines > 0 { members.append(("lines", .number(lines))) }
    if format != .auto { members.append(("format", .string(format.rawValue))) }
    if isFollowed { members.append(("follow", .bool(true))) }
    return .record(members)
  }
}

extension Array {
  /// What is left of the values behind those that are to be passed over, which are counted down.
  func passing(over count: inout Int) -> [Element] {
    if count == 0 { return self }
    let passed = Swift.min(count, self.count)
    count -= passed
    return Array(dropFirst(passed))
  }
}
