import Reactive
import Store

/// An item on its way through a delivery queue.
final class Delivery {
  let item: any DeliveryItem
  let id: String
  /// The key, while the delivery is the one that has it.
  let key: String?
  var entry: OutboxEntry?
  /// The entry that came before: once this is the oldest, everything up to there is done.
  var before: OutputPlace?
  /// The number of its place in the order in which deliveries came.
  var serial: UInt64 = 0
  var attempts = 0
  /// When the next attempt may begin, by the clock of the queue.
  var due: Instant
  /// The number of the attempt that is under way, or was.
  var number: UInt64 = 0
  var attempt: Subscription?
  var isUnderWay = false
  /// Whether an attempt has failed, or waits for a time of its own.
  var isRepeated = false
  /// Whether its receiver was not available.
  var isHeld = false

  init(
    _ item: any DeliveryItem, id: String, due: Instant = Instant(), entry: OutboxEntry? = nil,
    before: OutputPlace? = nil
  ) {
    (self.item, self.id, self.due, self.entry, self.before) = (item, id, due, entry, before)
    (key, attempts) = (item.key, entry?.attempts ?? 0)
  }
}

/// The deliveries of a queue that have begun, in places that are used again, with the order in which they came.
struct DeliveryPlaces {
  /// As many bits as the number of a place has.
  static let bits: UInt64 = 20
  static let mask: UInt64 = 1 << bits - 1

  private var deliveries: [Delivery?] = []
  /// The serial numbers; the highest where a place is free.
  private var serials: [UInt64] = []
  private var free: [Int] = []

  var count: Int { deliveries.count - free.count }

  /// The places that are taken, in order.
  var taken: [Int] { inOrder(deliveries.indices.filter { serials[$0] < .max }) }

  /// The first in order.
  var first: (serial: UInt64, place: Int)? {
    guard let serial = serials.min(), serial < .max else { return nil }
    return serials.firstIndex(of: serial).map { (serial, $0) }
  }

  func serial(of place: Int) -> UInt64 { serials[place] }

  func inOrder(_ places: [Int]) -> [Int] { places.sorted { serials[$0] < serials[$1] } }

  subscript(place: Int) -> Delivery? {
    deliveries[place]
  }

  mutating func add(_ delivery: Delivery) -> Int {
    if let place = free.popLast() {
      (deliveries[place], serials[place]) = (delivery, delivery.serial)
      return place
    }
    deliveries.append(delivery)
    serials.append(delivery.serial)
    return deliveries.count - 1
  }

  mutating func remove(_ place: Int) -> Delivery? {
    defer { (deliveries[place], serials[place]) = (nil, .max) }
    free.append(place)
    return deliveries[place]
  }
}
