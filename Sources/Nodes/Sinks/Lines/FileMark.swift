import System
import JSON
import Engine
import Language

/// A place in a file up to which a run knows what was written: which file, and how long it was then.
///
///     {"device":1,"inode":2,"offset":3,"aside":0}
struct FileMark: Equatable, Sendable {
  var identity: FileIdentity
  var offset: Int
  /// How many files of that name had been set aside by then; nil where nobody has counted.
  var aside: Int?

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
  }

  var json: String {
    let count = aside.map { #","aside":\#($0)"# } ?? ""
    return #"{"device":\#(device),"inode":\#(inode),"offset":\#(offset)\#(count)}"#
  }
}
