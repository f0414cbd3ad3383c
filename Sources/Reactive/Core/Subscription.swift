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
  private let teardowns: Locked<Teardowns>

  /// Makes a subscription that nothing is attached to yet.
  public init() {
    teardowns = Locked(Teardowns())
  }

  private init(in place: PlaceInParent) {
    teardowns = Locked(Teardowns(place: place))
  }

  /// Children that go on have no parent any more.
  deinit {
    if isDisposed { return }
    for child in teardowns.withLock({ $0.children }) { child.teardowns.withLock { $0.place = nil } }
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
    let child: Subscription? = teardowns.withLock { teardowns in
      if isDisposed { return nil }
      let key = teardowns.newKey()
      let child = Subscription(in: PlaceInParent(parent: .passUnretained(self), key: key))
      teardowns.insert(.child(child), key: key)
      return child
    }
    if let child { return child }
    let ended = Subscription()
    ended.dispose()
    return ended
  }

  /// Makes `other` end with this one, as a child does.
  func adopt(_ other: Subscription) {
    guard let key = add(.child(other)) else { return other.dispose() }
    other.onDispose { [weak self] in
      let dropped = self?.forget(key)
      _ = dropped  // released outside the lock: its deinit may run any code
    }
  }

  /// Removes a child that is over.
  private func forget(_ key: Int) -> Teardown? {
    teardowns.withLock { $0.remove(key) }
  }

  /// Marks the end; true for the one caller that caused it, who then owes a `release()`.
  func close() -> Bool {
    ended.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
  }

  /// Carries out the teardowns, and those of the subscriptions below, in their order, without a lock held and without a
  /// stack as deep as they are.
  func release() {
    var (next, waiting) = leave()
    if waiting.isEmpty {
      guard case .child = next else { return next?.run() ?? () }
    }
    while let teardown = next ?? waiting.popLast() {
      next = nil
      guard case .child(let child) = teardown else {
        teardown.run()
        continue
      }
      guard child.close() else { continue }
      let (first, others) = child.leave()
      next = first
      waiting += others
    }
  }

  /// Takes the teardowns out, the newest first but for the very first, and leaves the parent.
  private func leave() -> (first: Teardown?, others: [Teardown]) {
    let (first, others, place) = teardowns.withLock { teardowns in
      // Under the lock, by which the parent that is released lets go of this one first.
      let place = teardowns.place.flatMap { place in
        place.parent._withUnsafeGuaranteedRef { $0.forget(place.key) }
      }
      teardowns.place = nil
      return (teardowns.takeFirst(), teardowns.others.takeAll(newestFirst: true), place)
    }
    _ = place  // released outside the lock, as all of them
    return (first, others)
  }

  private func add(_ teardown: Teardown) -> Int? {
    teardowns.withLock { teardowns in
      if isDisposed { return nil }
      let key = teardowns.newKey()
      teardowns.insert(teardown, key: key)
      return key
    }
  }
}

/// What a subscription can call at its end without a closure.
package protocol TeardownTarget: AnyObject, Sendable {
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

/// The subscription that lists another, and the key under which it does so that it does not collect those that are over.
///
/// Not retained, since it holds its children: the last thing it does is to let go of those that go on without it. A weak
/// reference would make each use of it slow.
private struct PlaceInParent: Sendable {
  let parent: Unmanaged<Subscription>
  let key: Int
}

/// The teardowns of a subscription, by the keys under which they were put in.
///
/// Most subscriptions hold one, so the first has a place that costs no allocation. While there are others its key is
/// the lowest: they run in the order in which they were put in.
private struct Teardowns: Sendable {
  var place: PlaceInParent?
  private var lastKey = 0
  private var firstKey = 0
  private var first: Teardown?
  var others = Roster<Teardown>()

  init(place: PlaceInParent? = nil) {
    self.place = place
  }

  var children: [Subscription] {
    ([first] + others.items).compactMap { if case .child(let child) = $0 { child } else { nil } }
  }

  mutating func newKey() -> Int {
    lastKey += 1
    return lastKey
  }

  mutating func insert(_ teardown: consuming Teardown, key: Int) {
    if first == nil, others.count == 0 {
      first = teardown
      firstKey = key
    } else {
      others.append(teardown, key: key)
    }
  }

  mutating func remove(_ key: Int) -> Teardown? {
    if key != firstKey { return others.remove(key) }
    firstKey = 0
    return takeFirst()
  }

  mutating func takeFirst() -> Teardown? {
    defer { first = nil }
    return first
  }
}
