/// A list whose items have keys, which rise in the order in which they were put in.
///
/// Any can be removed in the time of a search, the oldest as fast as the newest: its place stays vacant until the vacant ones
/// outweigh the others. Many lists hold one, so the first item has a place that costs no allocation; while there are others
/// its key is the lowest.
struct Roster<Item: Sendable>: Sendable {
  private var firstKey = 0
  private var first: Item?
  private var places: [(key: Int, item: Item?)] = []
  /// How many of the places hold an item.
  private var filled = 0

  var count: Int { first == nil ? filled : filled + 1 }

  /// The items in their order.
  var items: [Item] {
    var items: [Item] = []
    items.reserveCapacity(count)
    if let first { items.append(first) }
    for place in places { if let item = place.item { items.append(item) } }
    return items
  }

  /// Puts an item in under a key that is higher than all before.
  mutating func append(_ item: consuming Item, key: Int) {
    if first == nil, filled == 0 {
      first = item
      firstKey = key
      return
    }
    if places.isEmpty { places.reserveCapacity(4) }
    places.append((key, item))
    filled += 1
  }

  func contains(_ key: Int) -> Bool {
    if key == firstKey, first != nil { return true }
    let place = place(of: key)
    return place < places.count && places[place].key == key && places[place].item != nil
  }

  mutating func remove(_ key: Int) -> Item? {
    if key == firstKey, first != nil { return takeFirst() }
    if let last = places.last, last.key == key {
      filled -= 1
      defer { while let last = places.last, last.item == nil { places.removeLast() } }
      return places.removeLast().item
    }
    let place = place(of: key)
    guard place < places.count, places[place].key == key, let item = places[place].item.take() else {
      return nil
    }
    filled -= 1
    if places.count > 2 * filled + 16 { places.removeAll { $0.item == nil } }
    return item
  }

  /// Takes the item out that has a place of its own, which is the first, if one has.
  mutating func takeFirst() -> Item? { first.take() }

  /// Takes all items out, in their order or the newest first.
  mutating func takeAll(newestFirst: Bool = false) -> [Item] {
    if first == nil, places.isEmpty { return [] }
    var items = items
    if newestFirst { items.reverse() }
    self = Roster()
    return items
  }

  /// The first place whose key is not lower.
  private func place(of key: Int) -> Int {
    var low = 0
    var high = places.count
    while low < high {
      let middle = (low + high) / 2
      if places[middle].key < key { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
