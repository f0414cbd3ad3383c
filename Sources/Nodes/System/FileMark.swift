import JSON
import Pipeline

/// A place in a file up to which a run knows what was written: which file, and how long it was then.
///
///     {"device":1,"inode":2,"offset":3}
struct FileMark: Equatable, Sendable {
  var identity: FileIdentity
  var offset: Int

  var device: UInt { identity.device }
  var inode: UInt { identity.inode }

  init(_ identity: FileIdentity, at offset: Int) {
    self.identity = identity
    self.offset = offset
  }

  init(device: UInt, inode: UInt, offset: Int) {
    self.init(FileIdentity(device: device, inode: inode), at: offset)
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
    self.init(device: device, inode: inode, offset: offset)
  }

  var json: String { #"{"device":\#(device),"inode":\#(inode),"offset":\#(offset)}"# }
}
