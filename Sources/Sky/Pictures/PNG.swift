// Pictures as PNG, without a compressor: the bytes are stored as they are, which each reader takes.

/// A picture of one byte a dot, each a colour of a palette.
struct PNG: Sendable {
  let width: Int
  let height: Int
  /// Up to 256 colours of red, green and blue.
  var palette: [(red: UInt8, green: UInt8, blue: UInt8)]
  /// Row after row.
  var dots: [UInt8]

  /// The file.
  var bytes: [UInt8] {
    var rows: [UInt8] = []
    rows.reserveCapacity((width + 1) * height)
    for row in 0..<height {
      rows.append(0)  // no filter
      rows += dots[row * width..<(row + 1) * width]
    }
    var file: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
    // Eight bits a dot, from a palette, not interlaced.
    Self.append("IHDR", Self.big(UInt32(width)) + Self.big(UInt32(height)) + [8, 3, 0, 0, 0], to: &file)
    Self.append("PLTE", palette.flatMap { [$0.red, $0.green, $0.blue] }, to: &file)
    Self.append("IDAT", Self.stored(rows), to: &file)
    Self.append("IEND", [], to: &file)
    return file
  }

  private static func append(_ name: StaticString, _ content: [UInt8], to file: inout [UInt8]) {
    let named = Array(name.description.utf8) + content
    file += big(UInt32(content.count)) + named + big(crc32(named))
  }

  /// A zlib stream of blocks that are not compressed.
  private static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]
    stream.reserveCapacity(bytes.count + bytes.count / 10_000 + 16)
    for start in stride(from: 0, to: bytes.count, by: 65535) {
      let block = bytes[start..<min(start + 65535, bytes.count)]
      let length = UInt16(block.count)
      stream.append(block.endIndex == bytes.count ? 1 : 0)
      for number in [length, ~length] { stream += [UInt8(number & 0xff), UInt8(number >> 8)] }
      stream += block
    }
    return stream + big(adler32(bytes))
  }

  static func big(_ number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
  }

  static func crc32(_ bytes: [UInt8]) -> UInt32 {
    var sum = UInt32.max
    for byte in bytes { sum = table[Int((sum ^ UInt32(byte)) & 0xff)] ^ (sum >> 8) }
    return ~sum
  }

  static func adler32(_ bytes: [UInt8]) -> UInt32 {
    var (low, high): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      low = (low + UInt32(byte)) % 65521
      high = (high + low) % 65521
    }
    return high << 16 | low
  }

  private static let table: [UInt32] = (0..<256).map { number in
    (0..<8).reduce(UInt32(number)) { sum, _ in sum & 1 == 1 ? 0xedb8_8320 ^ (sum >> 1) : sum >> 1 }
  }
}
