import Expectations
@testable import Reactive
import Testing

@Suite struct SplitMix64Tests {
  @Test func theSameSeedGivesTheSameNumbers() {
    var one = SplitMix64(seed: 42)
    var other = SplitMix64(seed: 42)
    expect((0..<100).map { _ in one.next() }, equals: (0..<100).map { _ in other.next() })
  }

  @Test func givesTheKnownNumbersOfSeedZero() {
    var random = SplitMix64(seed: 0)
    expect(random.next(), equals: 0xE220_A839_7B1D_CDAF)
    expect(random.next(), equals: 0x6E78_9E6A_A1B9_65F4)
    expect(random.next(), equals: 0x06C4_5D18_8009_454F)
  }

  @Test func staysBelowTheBound() {
    var random = SplitMix64(seed: 7)
    let numbers = (0..<1000).map { _ in random.below(10) }
    expect(Set(numbers), equals: Set(0..<10))
  }
}
