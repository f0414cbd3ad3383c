import Expectations
import Reactive
import Testing

@Suite struct KeyedStateTests {
  /// The same in an array, as slow as it is simple.
  private struct Model {
    var entries: [(key: Int, value: Int)] = []

    mutating func set(_ value: Int, for key: Int) {
      _ = remove(key)
      entries.append((key, value))
    }

    mutating func remove(_ key: Int) -> Int? {
      entries.firstIndex { $0.key == key }.map { entries.remove(at: $0).value }
    }
  }

  @Test func keepsValuesUnderKeys() {
    var state = MemoryState<String, Int>()
    expectNil(state.oldest)
    state.set(1, for: "a")
    state.set(2, for: "a")
    expect(state.count, equals: 1)
    expect(state.value(for: "a"), equals: 2)
    #expect(state.contains("a"))
    expect(state.remove("a"), equals: 2)
    #expect(!state.contains("a"))
    expectNil(state.remove("a"))
    expectNil(state.value(for: "a"))
    expectNil(state.oldest)
  }

  @Test func writingAKeyMakesItTheNewest() {
    var state = MemoryState<String, Int>()
    for key in ["a", "b", "c"] { state.set(0, for: key) }
    state.set(1, for: "a")
    expect(state.oldest?.key, equals: "b")
    state.remove("b")
    expect(state.oldest?.key, equals: "c")
  }

  @Test func readingAKeyDoesNot() {
    var state = MemoryState<String, Int>()
    for key in ["a", "b"] { state.set(0, for: key) }
    _ = state.value(for: "a")
    expect(state.oldest?.key, equals: "a")
  }

  @Test func anUpdateChangesAddsAndRemoves() {
    var state = MemoryState<String, Int>()
    state.update("a") { $0 = ($0 ?? 10) + 1 }
    state.update("b") { $0 = 2 }
    state.update("a") { $0 = ($0 ?? 10) + 1 }
    expect(state.value(for: "a"), equals: 12)
    expect(state.oldest?.key, equals: "b")
    state.update("b") { $0 = nil }
    state.update("c") { $0 = nil }
    #expect(state.count == 1 && state.oldest?.key == "a")
  }

  @Test func anInsertionKeepsWhatIsThere() {
    var state = MemoryState<String, Int>()
    let added = [("a", 1), ("b", 2), ("a", 3)].map { state.insert($0.1, for: $0.0) }
    expect(added, equals: [true, true, false])
    #expect(state.value(for: "a") == 1 && state.count == 2)
    expect(state.oldest?.key, equals: "a")
  }

  @Test func anUpdateThatFailsChangesNothing() {
    var state = MemoryState<String, Int>()
    state.set(1, for: "a")
    state.set(2, for: "b")
    for key in ["a", "c"] {
      #expect(throws: Oops.self) { try state.update(key) { _ in throw Oops() } }
    }
    #expect(state.count == 2 && state.oldest?.key == "a" && state.value(for: "a") == 1)
  }

  /// Keys of few hashes, which come to lie one behind the other.
  private struct Crowded: Hashable {
    let number: Int

    func hash(into hasher: inout Hasher) { hasher.combine(number % 3) }
  }

  @Test func keysOfOneHashAreDistinct() {
    var state = MemoryState<Crowded, Int>()
    for number in 0..<60 { state.set(number, for: Crowded(number: number)) }
    for number in stride(from: 0, to: 60, by: 2) {
      expect(state.remove(Crowded(number: number)), equals: number)
    }
    for number in 0..<60 {
      expect(state.value(for: Crowded(number: number)), equals: (number % 2 == 0 ? nil : number))
    }
    for number in stride(from: 1, to: 60, by: 2) { expect(state.removeOldest()?.value, equals: number) }
    #expect(state.removeOldest() == nil && state.count == 0)
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>) func agreesWithAnArray(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var state = MemoryState<Int, Int>()
    var model = Model()
    for number in 0..<5000 {
      let key = random.below(40)
      switch random.below(6) {
      case 0, 1:
        state.set(number, for: key)
        model.set(number, for: key)
      case 2:
        expect(state.remove(key), equals: model.remove(key))
      case 4:
        let kept = random.below(3) > 0
        state.update(key) { $0 = kept ? ($0 ?? 0) + 1 : nil }
        let old = model.remove(key) ?? 0
        if kept { model.set(old + 1, for: key) }
      case 3:
        guard let oldest = state.removeOldest() else { continue }
        expect(model.entries.removeFirst().key, equals: oldest.key)
      default:
        expect(state.value(for: key), equals: model.entries.first { $0.key == key }?.value)
      }
      expect(state.count, equals: model.entries.count)
      expect(state.oldest?.key, equals: model.entries.first?.key)
      expect(state.oldest?.value, equals: model.entries.first?.value)
    }
  }
}
