import Expectations
import TestSupport
import Testing

@testable import System

/// Gzip data in pieces, whole and not.
@Suite struct InflaterTests {
  private func inflate(_ packed: [UInt8], pieces: Int, room: Int = 100) throws -> (
    bytes: [UInt8], flaw: String?, isWhole: Bool
  ) {
    let inflater = try Inflater()
    var bytes: [UInt8] = []
    var rest = packed[...]
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 1)
    defer { buffer.deallocate() }
    while !rest.isEmpty {
      let piece = Array(rest.prefix(pieces))
      rest = rest.dropFirst(pieces)
      let flaw = piece.withUnsafeBytes { piece -> String? in
        inflater.feed(piece)
        while !inflater.isHungry {
          let (count, flaw) = inflater.next(into: buffer)
          bytes += buffer[..<count]
          if let flaw { return flaw }
        }
        return nil
      }
      if let flaw { return (bytes, flaw, inflater.isWhole) }
    }
    return (bytes, nil, inflater.isWhole)
  }

  @Test(
    "in pieces of any size the bytes are the same; members follow one another",
    arguments: [1, 7, 1000, 1 << 20])
  func pieces(size: Int) throws {
    let text = Array(String(repeating: "launch ", count: 20_000).utf8)
    for room in [1 << 10, 1 << 16] {
      let found = try inflate(gzipped(text) + gzipped([1, 2]) + [0, 0], pieces: size, room: room)
      #expect(found.bytes == text + [1, 2] && found.flaw == nil && found.isWhole)
    }
  }

  @Test("what is cut off is not whole, wherever it ends")
  func cut() throws {
    let packed = gzipped(Array("launches".utf8)) + gzipped([1])
    let first = gzipped(Array("launches".utf8)).count
    for end in 1..<packed.count {
      try expect(inflate(Array(packed[..<end]), pieces: 5).isWhole, equals: (end == first), "\(end)")
    }
  }

  @Test("what is damaged has a flaw")
  func damaged() throws {
    var packed = gzipped(Array("launches".utf8))
    packed[packed.count - 6] ^= 1
    let found = try inflate(packed, pieces: 100)
    #expect(found.bytes == Array("launches".utf8) && found.flaw == "is damaged (incorrect data check)")
    try expect(inflate([1, 2, 3, 4], pieces: 100).flaw, equals: "is damaged (incorrect header check)")
  }
}
