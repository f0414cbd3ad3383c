/// A Bloom filter of keys, so that most look-ups of missing keys never reach the file.
///
/// A key sets four bits of one word, twelve bits of memory a key. The first layer is small, since most tables are; the
/// others grow by eight. About three of a hundred missing keys pass as possibly present.
struct KeyFilter {
  private struct Layer {
    var words: [UInt64]
    var room: Int
  }

  private static let rooms = [1 << 8, 1 << 14, 1 << 17, 1 << 20, 1 << 23]

  private var layers: [Layer] = []

  /// Inserts the hash of a key; false if there is no room, which makes the filter useless.
  mutating func insert(_ hash: UInt64) -> Bool {
    if layers.last.map({ $0.room == 0 }) ?? true {
      // Nine million keys, in fourteen megabytes, are the most.
      if layers.count == Self.rooms.count { return false }
      let room = Self.rooms[layers.count]
      // Nothing passes the small one that later ones are checked beside.
      let words = layers.isEmpty ? room / 4 * 3 : room / 16 * 3
      layers.append(Layer(words: Array(repeating: 0, count: words), room: room))
    }
    let last = layers.count - 1
    layers[last].room -= 1
    layers[last].words[Self.place(of: hash, in: layers[last].words.count)] |= Self.bits(hash)
    return true
  }

  /// Whether a key may have been inserted; false is certain.
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
