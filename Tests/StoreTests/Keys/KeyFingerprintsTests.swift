import Expectations
import Reactive
import TestScale
import Testing

@testable import Store

@Suite struct KeyFingerprintsTests {
  private func with<Answer>(_ key: Int, _ body: (StateKey) -> Answer) -> Answer {
    StateKey.of(bytes("\(key)"), body)
  }

  @Test(
    "says what a plain set says, whatever comes and goes, with any room",
    arguments: [0, 1, 100, 5000, 40_000])
  func membership(room: Int) {
    var dice = SplitMix64(seed: UInt64(room))
    let known = KeyFingerprints(room: room)
    var model: Set<Int> = []
    for number in 0..<TestScale.count(40_000, atMost: 40_000) {
      let key = Int.random(in: 0..<6000, using: &dice)
      // Now more come than go, now more go.
      if Int.random(in: 0..<10, using: &dice) < (number / 8000 % 2 == 0 ? 7 : 3) {
        with(key) { known.insert($0) }
        model.insert(key)
      } else {
        with(key) { known.remove($0) }
        model.remove(key)
      }
      let asked = Int.random(in: 0..<6000, using: &dice)
      expect(with(asked) { known.contains($0) }, equals: model.contains(asked))
    }
    expect(known.count, equals: model.count)
    #expect((0..<6000).allSatisfy { key in with(key) { known.contains($0) } == model.contains(key) })
  }

  @Test("many at once are as one by one, and a key that comes twice is one")
  func many() {
    let known = KeyFingerprints(room: 10)
    for _ in 0..<2 { known.insert((0..<20_000).map { key in with(key) { known.fingerprint(of: $0) } }) }
    expect(known.count, equals: 20_000)
    #expect((0..<20_000).allSatisfy { key in with(key) { known.contains($0) } })
    #expect(!(20_000..<200_000).contains { key in with(key) { known.contains($0) } })
  }

  @Test("takes about ten bytes a key, and says how many", arguments: [100_000, 300_000])
  func memory(count: Int) {
    let known = KeyFingerprints(room: count)
    expect(known.bytes, equals: KeyFingerprints.bytes(forRoom: count))
    for key in 0..<count { with(key) { known.insert($0) } }
    // Some parts have more keys than others.
    #expect(known.bytes < KeyFingerprints.bytes(forRoom: count) * 11 / 10 && known.bytes < count * 10)
    for key in count..<count * 3 / 2 { with(key) { known.insert($0) } }
    #expect(known.bytes > KeyFingerprints.bytes(forRoom: count) && known.bytes < count * 3 / 2 * 12)
  }
}
