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
    #expect(state.oldest == nil)
    state.set(1, for: "a")
    state.set(2, for: "a")
    #expect(state.count == 1)
    #expect(state.value(for: "a") == 2)
    #expect(state.contains("a"))
    #expect(state.remove("a") == 2)
    #expect(!state.contains("a"))
    #expect(state.remove("a") == nil)
    #expect(state.value(for: "a") == nil)
    #expect(state.oldest == nil)
  }

  @Test func writingAKeyMakesItTheNewest() {
    var state = MemoryState<String, Int>()
    for key in ["a", "b", "c"] { state.set(0, for: key) }
    state.set(1, for: "a")
    #expect(state.oldest?.key == "b")
    state.remove("b")
    #expect(state.oldest?.key == "c")
  }

  @Test func readingAKeyDoesNot() {
    var state = MemoryState<String, Int>()
    for key in ["a", "b"] { state.set(0, for: key) }
    _ = state.value(for: "a")
    #expect(state.oldest?.key == "a")
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>) func agreesWithAnArray(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var state = MemoryState<Int, Int>()
    var model = Model()
    for number in 0..<5000 {
      let key = random.below(40)
      switch random.below(5) {
      case 0, 1:
        state.set(number, for: key)
        model.set(number, for: key)
      case 2:
        #expect(state.remove(key) == model.remove(key))
      case 3:
        guard let oldest = state.oldest else { continue }
        state.remove(oldest.key)
        #expect(model.entries.removeFirst().key == oldest.key)
      default:
        #expect(state.value(for: key) == model.entries.first { $0.key == key }?.value)
      }
      #expect(state.count == model.entries.count)
      #expect(state.oldest?.key == model.entries.first?.key)
      #expect(state.oldest?.value == model.entries.first?.value)
    }
  }
}
