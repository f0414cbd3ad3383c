import System

/// Random numbers that follow from a seed.
///
/// Each subject draws from a stream of its own, so that one more launch does not change all others.
struct SkyRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// The stream of a subject: `SkyRandom(seed, "launch", 12)`.
  init(_ seed: UInt64, _ name: String, _ number: Int = 0) {
    state = StableHash(name.utf8, from: seed).value
    state ^= UInt64(bitPattern: Int64(number)) &* 0x9e37_79b9_7f4a_7c15
    _ = next()
  }

  /// SplitMix64.
  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// True in this share of cases.
  mutating func happens(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &self) < share }

  /// One of several values, by their weights.
  mutating func pick<Thing>(_ things: [(weight: Double, thing: Thing)]) -> Thing? {
    let total = things.reduce(0) { $0 + $1.weight }
    guard total > 0 else { return nil }
    var left = Double.random(in: 0..<total, using: &self)
    for (weight, thing) in things {
      left -= weight
      if left < 0 { return thing }
    }
    return things.last?.thing
  }

  /// A UUID of version 4.
  mutating func uuid() -> String {
    let high = next() & 0xffff_ffff_ffff_0fff | 0x4000
    let low = next() & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000
    let digits = Array((hexDigits(of: high) + hexDigits(of: low)).utf8)
    let ends = [0, 8, 12, 16, 20, 32]
    return zip(ends, ends.dropFirst()).map { String(decoding: digits[$0..<$1], as: UTF8.self) }
      .joined(separator: "-")
  }
}
