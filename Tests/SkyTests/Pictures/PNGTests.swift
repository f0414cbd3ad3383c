import Testing

@testable import Sky

@Suite struct PNGTests {
  @Test("the checksums are those that are written of")
  func checksums() {
    #expect(PNG.crc32(Array("123456789".utf8)) == 0xcbf4_3926)
    #expect(PNG.adler32(Array("Wikipedia".utf8)) == 0x11e6_0398)
    #expect(PNG.crc32([]) == 0)
    #expect(PNG.adler32([]) == 1)
  }

  @Test("a picture is read back dot for dot, though it takes more than one block")
  func roundTrip() throws {
    let dots = (0..<400 * 300).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 400) }
    let picture = PNG(
      width: 400, height: 300, palette: (0..<256).map { (UInt8($0), UInt8(255 - $0), 3) }, dots: dots)
    let chunks = try Self.chunks(of: picture.bytes)
    #expect(chunks.map(\.name) == ["IHDR", "PLTE", "IDAT", "IEND"])
    #expect(chunks[0].content == [0, 0, 1, 144, 0, 0, 1, 44, 8, 3, 0, 0, 0])
    #expect(chunks[1].content.prefix(6) == [0, 255, 3, 1, 254, 3])
    let rows = try Self.unpacked(chunks[2].content)
    #expect(rows.count == 401 * 300)
    let read = (0..<300).flatMap { rows[$0 * 401 + 1..<($0 + 1) * 401] }
    #expect(read == dots)
    #expect((0..<300).allSatisfy { rows[$0 * 401] == 0 })
  }

  @Test("a photograph uses its palette, from dark to bright")
  func photograph() {
    for number in 0..<4 {
      let picture = SkyPhoto.drawn(width: 96, height: 60, SkyRandom(7, "photo", number))
      #expect(picture.palette.count == 256)
      #expect(Set(picture.dots).count > 60)
      #expect(picture.dots.count == 96 * 60)
      let launch = LaunchPhoto.drawn(width: 96, height: 64, SkyRandom(7, "launch", number))
      #expect(Set(launch.dots).count > 60)
    }
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
      #expect(number(rest.dropFirst(8 + length).prefix(4)) == PNG.crc32(Array(named)))
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
    #expect(number(rest) == PNG.adler32(bytes))
    return bytes
  }
}
