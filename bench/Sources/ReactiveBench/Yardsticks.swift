import Synchronization

/// The measure of limits: work of the same kind as that of operators, made by hand, in the same run.
///
/// Absolute times are those of one machine. There RxSwift 5abdfe46 and OpenCombine 1c6f02c were measured beside this
/// module at 90ad43c, each library unedited in one binary, in turn, the least CPU time of 7 rounds; a limit holds there
/// as it stands, and elsewhere in proportion to the yardstick.
enum Yardstick: String, CaseIterable {
  /// Elements through a chain of closures in objects.
  case calls
  /// Such a chain, made and released.
  case objects

  /// The time on that machine, by the ratio to an element (18 ns there) and a subscription (288 ns) of a subject at
  /// 90ad43c, of which both took the same multiple in every run elsewhere.
  var nanoseconds: Double {
    switch self {
    case .calls: 57.6
    case .objects: 191
    }
  }
}

/// What a case may come to at most.
struct Limit: Sendable {
  var yardstick = Yardstick.calls
  /// On the machine of the yardsticks.
  var nanoseconds: Double
  var allocations = Double.infinity

  /// Times of the other libraries; `none` where one has no such operator.
  typealias Peers = (rx: Double, combine: Double)

  static let none = Double.infinity

  /// An element takes a quarter of what it takes in RxSwift, and no more than in OpenCombine.
  static func element(_ peers: Peers) -> Limit {
    Limit(nanoseconds: min(peers.rx / 4, peers.combine))
  }

  /// Subscribing and disposing take a third of what they take in RxSwift, and no more than in OpenCombine.
  static func subscribing(_ peers: Peers) -> Limit {
    Limit(yardstick: .objects, nanoseconds: min(peers.rx / 3, peers.combine))
  }
}

func yardsticks(_ sum: Checksum) -> [Case] {
  let one = opaque(1)
  @Sendable func chain() -> any Link {
    (0..<4).reduce(Sink { sum.add($0) } as any Link) { next, _ in Step(next) { $0 &+ one } }
  }
  let ready = chain()
  let count = 50_000
  return [
    Case(Yardstick.calls.rawValue, "four closures in objects, made by hand", elements: count) {
      for value in 0..<count { ready.take(value) }
    },
    Case(Yardstick.objects.rawValue, "the same, made and released", elements: count / 10) {
      for value in 0..<(count / 10) { chain().take(value) }
    },
  ]
}

private protocol Link: AnyObject, Sendable {
  func take(_ value: Int)
}

private final class Sink: Link {
  private let body: @Sendable (Int) -> Void
  init(_ body: @escaping @Sendable (Int) -> Void) { self.body = body }
  func take(_ value: Int) { body(value) }
}

private final class Step: Link {
  private let next: any Link
  private let open = Atomic<Bool>(true)
  private let turn = Atomic<Int>(0)
  private let body: @Sendable (Int) -> Int

  init(_ next: any Link, _ body: @escaping @Sendable (Int) -> Int) {
    self.next = next
    self.body = body
  }

  func take(_ value: Int) {
    guard turn.compareExchange(expected: 0, desired: 1, ordering: .acquiring).exchanged else { return }
    if open.load(ordering: .acquiring) { next.take(body(value)) }
    turn.subtract(1, ordering: .acquiringAndReleasing)
  }
}
