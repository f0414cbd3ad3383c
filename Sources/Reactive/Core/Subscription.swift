import Synchronization

/// A subscription: dispose it, and the whole chain behind it stops and releases what it held.
///
/// ```
/// let subscription = ticks.subscribe(next: { print($0) })
/// subscription.dispose()
/// ```
///
/// Disposing is idempotent, allowed from any thread and from inside `next`, and allowed before `subscribe` has
/// returned (make the subscription first and hand it in). Nothing is delivered after `dispose()` has returned on the
/// thread that delivers; from another thread, one element or the terminal that is under way may still arrive.
/// Releasing the object does not dispose it: the stream goes on as long as its source does. A source that is released
/// without an end takes with it what it fed, unless an operator holds it to subscribe again (`retry`, `repeat`).
public final class Subscription: Sendable {
  private let ended = Atomic<Bool>(false)
  private let teardowns = Locked(Teardowns())
  /// The subscription that lists this one, so that a parent does not collect the children that are over; weak, since
  /// it holds them.
  private weak let parent: Subscription?
  private let key: Int

  /// Makes a subscription that nothing is attached to yet.
  public init() {
    parent = nil
    key = 0
  }

  private init(childOf parent: Subscription, key: Int) {
    self.parent = parent
    self.key = key
  }

  /// Whether it is over, by a terminal or by `dispose()`.
  public var isDisposed: Bool { ended.load(ordering: .acquiring) }

  /// Ends the subscription and releases what it holds.
  public func dispose() {
    if close() { release() }
  }

  /// Runs `action` once, when the subscription ends; at once if it has already.
  public func onDispose(_ action: @escaping @Sendable () -> Void) {
    if add(.action(action)) == nil { action() }
  }

  /// Calls `target` once, when the subscription ends: `onDispose` without the closure, for what is done often.
  ///
  /// The target is held, so it must not be what holds this subscription.
  func onDispose(_ target: any TeardownTarget, _ key: Int) {
    if add(.call(target, key)) == nil { target.tearDown(key) }
  }

  /// Makes a subscription that ends with this one, and may end before it.
  public func child() -> Subscription {
    let key = teardowns.withLock { $0.newKey() }
    let child = Subscription(childOf: self, key: key)
    if add(.child(child), key: key) == nil { child.dispose() }
    return child
  }

  /// Makes `other` end with this one, as a child does.
  func adopt(_ other: Subscription) {
    let key = teardowns.withLock { $0.newKey() }
    if add(.child(other), key: key) == nil { return other.dispose() }
    other.onDispose { [weak self] in self?.forget(key) }
  }

  /// Removes a child that is over.
  private func forget(_ key: Int) {
    let dropped = teardowns.withLock { $0.remove(key) }
    _ = dropped  // released outside the lock: its deinit may run any code
  }

  /// Marks the end; true for the one caller that caused it, who then owes a `release()`.
  func close() -> Bool {
    ended.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
  }

  /// Carries out the teardowns, without a lock held.
  func release() {
    parent?.forget(key)
    let first = teardowns.withLock { $0.takeFirst() }
    first?.run()
    // Mostly there are no others, and the way to find out is cheap.
    let others = teardowns.withLock { $0.takeOthers() }
    if others.isEmpty { return }
    for (_, other) in others.sorted(by: { $0.key < $1.key }) { other.run() }
  }

  /// Ends this subscription and those below it, in the order of their teardowns, without a stack as deep as they are.
  fileprivate func endTree() {
    var waiting = [Teardown.child(self)]
    while let teardown = waiting.popLast() {
      guard case .child(let child) = teardown else {
        teardown.run()
        continue
      }
      guard child.close() else { continue }
      child.parent?.forget(child.key)
      waiting += child.teardowns.withLock { $0.takeAll() }.reversed()
    }
  }

  private func add(_ teardown: Teardown, key: Int? = nil) -> Int? {
    teardowns.withLock { teardowns in
      if isDisposed { return nil }
      return teardowns.insert(teardown, key: key ?? teardowns.newKey())
    }
  }
}

/// What a subscription can call at its end without a closure.
protocol TeardownTarget: AnyObject, Sendable {
  func tearDown(_ key: Int)
}

private enum Teardown: Sendable {
  case call(any TeardownTarget, Int)
  case action(@Sendable () -> Void)
  case child(Subscription)

  func run() {
    switch self {
    case .call(let target, let key): target.tearDown(key)
    case .action(let action): action()
    case .child(let child): child.endTree()
    }
  }
}

/// The teardowns of a subscription, by the keys under which they were put in.
///
/// Most subscriptions hold one, so the first has a place that costs no allocation. While there are others its key is
/// the lowest: they run in the order in which they were put in.
private struct Teardowns: Sendable {
  var lastKey = 0
  var firstKey = 0
  var first: Teardown?
  var others: [Int: Teardown] = [:]

  mutating func newKey() -> Int {
    lastKey += 1
    return lastKey
  }

  mutating func insert(_ teardown: Teardown, key: Int) -> Int {
    if first == nil, others.isEmpty {
      first = teardown
      firstKey = key
    } else {
      others[key] = teardown
    }
    return key
  }

  mutating func remove(_ key: Int) -> Teardown? {
    guard key == firstKey else { return others.removeValue(forKey: key) }
    defer { first = nil }
    firstKey = 0
    return first
  }

  mutating func takeFirst() -> Teardown? {
    defer { first = nil }
    return first
  }

  /// All, in their order.
  mutating func takeAll() -> [Teardown] {
    let first = takeFirst().map { [$0] } ?? []
    return first + takeOthers().sorted { $0.key < $1.key }.map(\.value)
  }

  /// All but the first; their keys rise in the order in which they were put in.
  mutating func takeOthers() -> [Int: Teardown] {
    defer { others = [:] }
    return others
  }
}
