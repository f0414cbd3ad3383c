// The one picture of the sky as PNG, and the one film as MP4, each written without a compressor.

/// A gradient between two colours that follow from a name, so that different names have different pictures.
enum Picture {
  static let (width, height) = (256, 160)

  /// A PNG file: 256 colours, stored blocks.
  static func png(_ name: String, seed: UInt64) -> [UInt8] {
    var random = SkyRandom(seed, "picture \(name)")
    let colors = (0..<6).map { _ in Int.random(in: 0...255, using: &random) }
    var palette: [UInt8] = []
    for step in 0..<256 {
      for part in 0..<3 {
        palette.append(UInt8((colors[part] * (255 - step) + colors[part + 3] * step) / 255))
      }
    }
    let (across, down) = (Int.random(in: 1...255, using: &random), Int.random(in: 1...255, using: &random))
    var rows: [UInt8] = []
    rows.reserveCapacity((width + 1) * height)
    for row in 0..<height {
      rows.append(0)  // no filter
      for column in 0..<width { rows.append(UInt8(truncatingIfNeeded: (column * across + row * down) / 255)) }
    }
    var file: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
    // Eight bits a dot, from a palette, not interlaced.
    append("IHDR", big(width) + big(height) + [8, 3, 0, 0, 0], to: &file)
    append("PLTE", palette, to: &file)
    append("IDAT", stored(rows), to: &file)
    append("IEND", [], to: &file)
    return file
  }

  /// The smallest MP4 file: its brand, and a header of a film without a duration.
  static let film: [UInt8] = {
    // Version and times, a thousand units a second, normal speed and volume, the unit matrix, the next track.
    var header = [UInt8](repeating: 0, count: 12)
    header += big(1000) + big(0) + big(0x1_0000)
    header += [1, 0] + [UInt8](repeating: 0, count: 10)
    for entry in [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000] { header += big(entry) }
    header += [UInt8](repeating: 0, count: 24) + big(1)
    return box("ftyp", Array("isom".utf8) + big(0x200) + Array("isommp41".utf8))
      + box("moov", box("mvhd", header))
  }()

  private static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
    big(content.count + 8) + Array(name.utf8) + content
  }

  private static func append(_ name: String, _ content: [UInt8], to file: inout [UInt8]) {
    let named = Array(name.utf8) + content
    file += big(content.count) + named + big(Int(crc32(named)))
  }

  /// A zlib stream of blocks that are not compressed.
  private static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]
    for start in stride(from: 0, to: bytes.count, by: 65535) {
      let block = bytes[start..<min(start + 65535, bytes.count)]
      let length = UInt16(block.count)
      stream.append(block.endIndex == bytes.count ? 1 : 0)
      for number in [length, ~length] { stream += [UInt8(number & 0xff), UInt8(number >> 8)] }
      stream += block
    }
    return stream + big(Int(adler32(bytes)))
  }

  private static func big(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  static func crc32(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(UInt32.max) { sum, byte in table[Int((sum ^ UInt32(byte)) & 0xff)] ^ (sum >> 8) }
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
