// Ids of 24 hexadecimal digits: the time of their making, then what tells them apart.

/// Ids of the service's entries.
enum SpaceXID {
  static func id(_ seed: UInt64, _ kind: String, _ number: Int, made: SkyTime = SkyDate(2020, 4, 20).start)
    -> String
  {
    var random = SkyRandom(seed, "id \(kind)", number)
    return hex(UInt64(max(0, made.seconds)), 8) + hex(random.next(), 16)
  }

  /// An id as Launch Library has them.
  static func uuid(_ random: inout SkyRandom) -> String {
    let digits = hex(random.next(), 16) + hex(random.next(), 16)
    func part(_ start: Int, _ end: Int) -> String { String(digits.dropFirst(start).prefix(end - start)) }
    return "\(part(0, 8))-\(part(8, 12))-4\(part(13, 16))-a\(part(17, 20))-\(part(20, 32))"
  }

  static func hex(_ number: UInt64, _ width: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits.suffix(width)
  }
}
