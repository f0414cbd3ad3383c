// A film of no length: enough for a download to have a file of the right kind.

/// The smallest file that is MP4: its brand, a header that says that nothing is shown, and some bytes of nothing.
enum EmptyFilm {
  static func bytes(_ seed: SkyRandom) -> [UInt8] {
    var random = seed
    let brand = box("ftyp", Array("isom".utf8) + PNG.big(0x200) + Array("isommp41".utf8))
    // Version, times, a thousand units a second, no duration, normal speed and volume, the unit matrix, the next track.
    var header = [UInt8](repeating: 0, count: 12) + PNG.big(1000) + PNG.big(0) + PNG.big(0x1_0000) + [1, 0]
    header += [UInt8](repeating: 0, count: 10)
    header += [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000].flatMap { PNG.big($0) }
    header += [UInt8](repeating: 0, count: 24) + PNG.big(1)
    let filling = (0..<Int.random(in: 20_000...60_000, using: &random)).map { _ in
      UInt8(truncatingIfNeeded: random.next())
    }
    return brand + box("moov", box("mvhd", header)) + box("free", filling)
  }

  private static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
    PNG.big(UInt32(content.count + 8)) + Array(name.utf8) + content
  }
}
