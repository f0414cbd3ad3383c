// The drawings of the sky as PNG, and its one film as MP4.

import CZ

/// The files that links to pictures and films lead to.
enum Picture {
  /// A PNG file of 256 colours.
  static func png(_ path: String, seed: UInt64) -> [UInt8] {
    let drawing = Drawing(path, seed: seed)
    var rows: [UInt8] = []
    rows.reserveCapacity((Drawing.columns + 1) * Drawing.rows)
    for row in 0..<Drawing.rows {
      rows.append(0)  // no filter
      rows += drawing.dots[row * Drawing.columns..<(row + 1) * Drawing.columns]
    }
    var file: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
    // Eight bits a dot, from a palette, not interlaced.
    append("IHDR", big(Drawing.columns) + big(Drawing.rows) + [8, 3, 0, 0, 0], to: &file)
    append("PLTE", drawing.palette, to: &file)
    if drawing.isClear { append("tRNS", [0], to: &file) }
    append("IDAT", packed(rows), to: &file)
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
    file += big(content.count) + named + big(Int(crc32(0, named, uInt(named.count))))
  }

  /// A zlib stream.
  private static func packed(_ bytes: [UInt8]) -> [UInt8] {
    var count = compressBound(uLong(bytes.count))
    var stream = [UInt8](repeating: 0, count: Int(count))
    compress(&stream, &count, bytes, uLong(bytes.count))
    return Array(stream.prefix(Int(count)))
  }

  private static func big(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }
}
