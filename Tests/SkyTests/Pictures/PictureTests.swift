import Expectations
import CZ
import Testing

@testable import Sky

@Suite struct PictureTests {
  @Test(
    "a picture is a PNG file of many colours",
    arguments: ["/pictures/apod/2026-01-03.png", "/pictures/photos/vulcan-0.png", "/pictures/patches/a.png"])
  func readBack(path: String) throws {
    let chunks = try Self.chunks(of: Picture.png(path, seed: 7))
    let isClear = path.contains("patches")
    expect(chunks.map(\.name), equals: ["IHDR", "PLTE"] + (isClear ? ["tRNS"] : []) + ["IDAT", "IEND"])
    expect(chunks[0].content, equals: [0, 0, 2, 88, 0, 0, 1, 119, 8, 3, 0, 0, 0])
    expect(chunks[1].content.count, equals: 768)
    let rows = try Self.unpacked(chunks[isClear ? 3 : 2].content)
    expect(rows.count, equals: 601 * 375)
    #expect((0..<375).allSatisfy { rows[$0 * 601] == 0 })
    #expect(Set(rows).count > 20)
    // The corner of a patch is clear.
    #expect(!isClear || rows[1] == 0)
  }

  @Test("the larger file shows the same, and another number the same rocket in another light")
  func variants() {
    func drawing(_ path: String) -> Drawing { Drawing("/pictures/\(path).png", seed: 7) }
    expect(drawing("apod/2026-01-03").dots, equals: drawing("apod/2026-01-03_hd").dots)
    expect(drawing("patches/a").dots, equals: drawing("patches/a_large").dots)
    let (one, other) = (drawing("photos/vulcan-0"), drawing("photos/vulcan-1"))
    #expect(one.dots != other.dots)
    // The rocket's own colour.
    expect(one.palette[609..<612], equals: other.palette[609..<612])
  }

  @Test("a film is MP4: boxes whose lengths fill the file")
  func film() {
    var names: [String] = []
    var rest = Picture.film[...]
    while rest.count >= 8 {
      names.append(String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self))
      rest = rest.dropFirst(Int(Self.number(rest.prefix(4))))
    }
    #expect(names == ["ftyp", "moov"] && rest.isEmpty)
  }

  private static func number(_ bytes: some Sequence<UInt8>) -> UInt32 {
    bytes.reduce(0) { $0 << 8 | UInt32($1) }
  }

  private static func chunks(of file: [UInt8]) throws -> [(name: String, content: [UInt8])] {
    try #require(file.prefix(8) == [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
    var chunks: [(name: String, content: [UInt8])] = []
    var rest = file.dropFirst(8)
    while !rest.isEmpty {
      let length = Int(number(rest.prefix(4)))
      let named = rest.dropFirst(4).prefix(4 + length)
      expect(
        number(rest.dropFirst(8 + length).prefix(4)),
        equals: UInt32(crc32(0, Array(named), uInt(named.count))))
      chunks.append((String(decoding: named.prefix(4), as: UTF8.self), Array(named.dropFirst(4))))
      rest = rest.dropFirst(12 + length)
    }
    return chunks
  }

  private static func unpacked(_ stream: [UInt8]) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 1 << 18)
    var count = uLong(bytes.count)
    try #require(uncompress(&bytes, &count, stream, uLong(stream.count)) == Z_OK)
    return Array(bytes.prefix(Int(count)))
  }
}
