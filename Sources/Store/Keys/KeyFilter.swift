/// Tells of most keys that were never kept that they were not, so that nobody looks for them in the file.
///
/// A Bloom filter of which a key has four bits in one word, in layers, each for eight times the keys of the one before:
/// twelve bits a key. Three in a hundred keys or so that were never kept are taken for some that may be.
struct KeyFilter {
  private struct Layer {
    var words: [UInt64]
    var room: Int
  }

  private static let smallest = 1 << 14
  /// How many layers there are at most: for nine million keys, in fourteen megabytes.
  private static let limit = 4

  private var layers: [Layer] = []

  /// Notes the hash of a key; false where there is no room for it, and the filter is of no more use.
  mutating func insert(_ hash: UInt64) -> Bool {
    if layers.last.map({ $0.room == 0 }) ?? true {
      if layers.count == Self.limit { return false }
      let room = Self.smallest << (3 * layers.count)
      layers.append(Layer(words: Array(repeating: 0, count: room / 16 * 3), room: room))
    }
    let last = layers.count - 1
    layers[last].room -= 1
    layers[last].words[Self.place(of: hash, in: layers[last].words.count)] |= Self.bits(hash)
    return true
  }

  /// Whether a key may have been noted; false only where it was not.
  func mayHave(_ hash: UInt64) -> Bool {
    let bits = Self.bits(hash)
    for layer in layers where layer.words[Self.place(of: hash, in: layer.words.count)] & bits == bits {
      return true
    }
    return false
  }

  private static func place(of hash: UInt64, in count: Int) -> Int {
    Int(hash.multipliedFullWidth(by: UInt64(count)).high)
  }

  private static func bits(_ hash: UInt64) -> UInt64 {
    1 << (hash & 63) | 1 << (hash >> 6 & 63) | 1 << (hash >> 12 & 63) | 1 << (hash >> 18 & 63)
  }
}
