// The layout of a document's tape: one 64-bit word a scalar, string or key, two words a container.
//
//   word      kind:4 | dirty:1 | length or count:27 | offset of the text, or end index on the tape:32
//   second    offset of the first byte:32 | offset past the last byte:32           (containers only)
//
// `dirty` says that the raw text is not what a compact writer would write (white space, escapes, numbers in another
// form), here or anywhere beneath. A clean subtree is written by copying its bytes.

enum Tape {
  static let null: UInt64 = 0
  static let no: UInt64 = 1
  static let yes: UInt64 = 2
  static let integer: UInt64 = 3
  static let decimal: UInt64 = 4
  static let string: UInt64 = 5
  static let key: UInt64 = 6
  static let array: UInt64 = 7
  static let object: UInt64 = 8

  static let dirty: UInt64 = 1 << 59
  /// The mark of a length or count that does not fit into its field, and is counted on each use.
  static let overflow = 0x7ff_ffff

  @inline(__always)
  static func word(_ kind: UInt64, _ length: Int, _ offset: Int) -> UInt64 {
    kind << 60 | UInt64(truncatingIfNeeded: min(length, overflow)) << 32
      | UInt64(truncatingIfNeeded: offset)
  }

  @inline(__always)
  static func kind(_ word: UInt64) -> UInt64 { word >> 60 }

  @inline(__always)
  static func isDirty(_ word: UInt64) -> Bool { word & dirty != 0 }

  @inline(__always)
  static func length(_ word: UInt64) -> Int { Int(truncatingIfNeeded: (word >> 32) & 0x7ff_ffff) }

  /// The offset of the text; for a container, the tape index past it.
  @inline(__always)
  static func offset(_ word: UInt64) -> Int { Int(truncatingIfNeeded: word & 0xffff_ffff) }

  /// The index after the value at `index`.
  @inline(__always)
  static func next(_ tape: UnsafePointer<UInt64>, _ index: Int) -> Int {
    let word = tape[index]
    return kind(word) >= array ? offset(word) : index + 1
  }
}
