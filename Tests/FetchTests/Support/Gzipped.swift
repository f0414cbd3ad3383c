import CZ

/// The bytes as gzip packs them.
func gzipped(_ bytes: [UInt8]) -> [UInt8] {
  var size = compressBound(UInt(bytes.count))
  var packed = [UInt8](repeating: 0, count: Int(size))
  compress2(&packed, &size, bytes, UInt(bytes.count), 9)
  // zlib's own frame is 2 bytes before and 4 behind.
  let inner = packed[2..<Int(size) - 4]
  let check = UInt32(truncatingIfNeeded: crc32(0, bytes, UInt32(bytes.count)))
  func little(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
  return [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3] + inner + little(check) + little(UInt32(bytes.count))
}
