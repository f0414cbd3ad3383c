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
/// Releasing the object does not dispose it: a stream whose source is released without an end, and that is never
/// disposed, is never freed.
public final class Subscription: Sendable {
  private let ended = Atomic<Bool>(false)
  private let teardowns = Locked(Teardowns())
  /// Where a child is listed, so that a parent does not collect the children that are over.
  private let listing: (parent: Subscription, key: Int)?

  /// Makes a subscription that nothing is attached to yet.
  public init() {
    listing = nil
  }

  private init(childOf parent: Subscription, key: Int) {
    listing = (parent, key)
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
    listing?.parent.forget(listing?.key ?? 0)
    let first = teardowns.withLock { $0.takeFirst() }
    first?.run()
    // Mostly there are no others, and the way to find out is cheap.
    let others = teardowns.withLock { $0.takeOthers() }
    if others.isEmpty { return }
    for (_, other) in others.sorted(by: { $0.key < $1.key }) { other.run() }
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
    case .child(let child): child.dispose()
    }
  }
}

/// Most subscriptions hold one teardown, so the first has a place that costs no allocation.
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
    if first == nil {
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

  /// All but the first; their keys rise in the order in which they were put in.
  mutating func takeOthers() -> [Int: Teardown] {
    defer { others = [:] }
    return others
  }
}
