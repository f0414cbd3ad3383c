import Testing

@testable import Sky

@Suite struct PictureTests {
  @Test("the checksums are those that are written of")
  func checksums() {
    #expect(Picture.crc32(Array("123456789".utf8)) == 0xcbf4_3926)
    #expect(Picture.adler32(Array("Wikipedia".utf8)) == 0x11e6_0398)
    #expect(Picture.crc32([]) == 0)
    #expect(Picture.adler32([]) == 1)
  }

  @Test("a picture is a PNG file whose dots are a gradient")
  func readBack() throws {
    let chunks = try Self.chunks(of: Picture.png("a", seed: 7))
    #expect(chunks.map(\.name) == ["IHDR", "PLTE", "IDAT", "IEND"])
    #expect(chunks[0].content == [0, 0, 1, 0, 0, 0, 0, 160, 8, 3, 0, 0, 0])
    #expect(chunks[1].content.count == 768)
    let rows = try Self.unpacked(chunks[2].content)
    #expect(rows.count == 257 * 160)
    #expect((0..<160).allSatisfy { rows[$0 * 257] == 0 })
    #expect(Set(rows).count > 1)
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
      #expect(number(rest.dropFirst(8 + length).prefix(4)) == Picture.crc32(Array(named)))
      chunks.append((String(decoding: named.prefix(4), as: UTF8.self), Array(named.dropFirst(4))))
      rest = rest.dropFirst(12 + length)
    }
    return chunks
  }

  private static func unpacked(_ stream: [UInt8]) throws -> [UInt8] {
    #expect((UInt32(stream[0]) << 8 | UInt32(stream[1])) % 31 == 0)
    var bytes: [UInt8] = []
    var rest = stream.dropFirst(2)
    var isLast = false
    while !isLast {
      let head = Array(rest.prefix(5))
      try #require(head.count == 5 && head[0] <= 1)
      isLast = head[0] == 1
      let length = Int(head[1]) | Int(head[2]) << 8
      #expect(head[1] == ~head[3] && head[2] == ~head[4])
      bytes += rest.dropFirst(5).prefix(length)
      rest = rest.dropFirst(5 + length)
    }
    #expect(number(rest) == Picture.adler32(bytes))
    return bytes
  }
}
