/// A list whose items have keys, which rise in the order in which they were put in.
///
/// Any can be removed in the time of a search, the oldest as fast as the newest: its place stays vacant until the vacant ones
/// outweigh the others.
struct Roster<Item: Sendable>: Sendable {
  private var places: [(key: Int, item: Item?)] = []
  private(set) var count = 0

  /// The items in their order.
  var items: [Item] {
    var items: [Item] = []
    items.reserveCapacity(count)
    for place in places { if let item = place.item { items.append(item) } }
    return items
  }

  /// Puts an item in under a key that is higher than all before.
  mutating func append(_ item: consuming Item, key: Int) {
    if places.isEmpty { places.reserveCapacity(4) }
    places.append((key, item))
    count += 1
  }

  func contains(_ key: Int) -> Bool {
    let place = place(of: key)
    return place < places.count && places[place].key == key && places[place].item != nil
  }

  mutating func remove(_ key: Int) -> Item? {
    if let last = places.last, last.key == key {
      count -= 1
      defer { while let last = places.last, last.item == nil { places.removeLast() } }
      return places.removeLast().item
    }
    let place = place(of: key)
    guard place < places.count, places[place].key == key, let item = places[place].item.take() else {
      return nil
    }
    count -= 1
    if places.count > 2 * count + 16 { places.removeAll { $0.item == nil } }
    return item
  }

  /// Takes all items out, in their order or the newest first.
  mutating func takeAll(newestFirst: Bool = false) -> [Item] {
    if places.isEmpty { return [] }
    if newestFirst { places.reverse() }
    defer { self = Roster() }
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
