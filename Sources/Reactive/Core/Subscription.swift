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
  /// The parent that lists this one, and the key under which it does so: it does not collect children that are over.
  private let place: (parent: ParentLink, key: Int)?
  private let hasChildren = Atomic<Bool>(false)
  /// The room before the receiver, for sources that can pause.
  @usableFromInline let room: Room?
  /// Whether it is of one stream in a sequence of them, and of nothing else: see `Sequencer.Round.giveWay`.
  let isRound: Bool
  /// How many sequences it is inside of.
  let depth: UInt32

  /// Makes a subscription that nothing is attached to yet.
  public init() {
    place = nil
    room = nil
    isRound = false
    depth = 0
  }

  /// Makes one without a parent, for what goes the way of another.
  init(beside other: Subscription) {
    place = nil
    room = other.room
    isRound = false
    depth = other.depth
  }

  private init(_ parent: ParentLink, _ key: Int, _ room: Room?, _ isRound: Bool, _ depth: UInt32) {
    place = (parent, key)
    self.room = room
    self.isRound = isRound
    self.depth = depth
  }

  deinit {
    if hasChildren.load(ordering: .relaxed) { teardowns.withLock { $0.link }?.cut() }
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
  public func child() -> Subscription { child(room: room) }

  /// Makes a child for what has another room before it, or none.
  func child(room: Room?, isRound: Bool = false) -> Subscription {
    let child: Subscription? = teardowns.withLock { teardowns in
      if isDisposed { return nil }
      let key = teardowns.newKey()
      let link = teardowns.link ?? ParentLink(self)
      teardowns.link = link
      hasChildren.store(true, ordering: .relaxed)
      let child = Subscription(link, key, room, isRound, isRound ? depth + 1 : depth)
      teardowns.list.append(.child(child), key: key)
      return child
    }
    if let child { return child }
    let ended = Subscription()
    ended.dispose()
    return ended
  }

  /// The subscription of a source that must not pause: it would go on elsewhere, or what takes its elements waits for further ones.
  var withoutRoom: Subscription { room == nil ? self : child(room: nil) }

  /// Whether nothing ends with it but what is attached under it.
  var isBare: Bool { teardowns.withLock { $0.list.count == 0 } }

  /// Makes `other` end with this one, as a child does.
  func adopt(_ other: Subscription) {
    guard let key = add(.adopted(other)) else { return other.dispose() }
    other.onDispose { [weak self] in
      let dropped = self?.forget(key)
      _ = dropped  // released outside the lock: its deinit may run any code
    }
  }

  /// Makes the subscription that is in a place then end with this one.
  func adopt(_ place: CurrentSubscription) {
    if add(.current(place)) == nil { place.close()?.dispose() }
  }

  /// Removes a child that is over.
  fileprivate func forget(_ key: Int) -> Teardown? {
    teardowns.withLock { $0.list.remove(key) }
  }

  /// Marks the end; true for the one caller that caused it, who then owes a `release()`.
  func close() -> Bool {
    ended.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
  }

  /// Ends it, as that of an input whose stream has ended; false if it had ended before.
  func finish() -> Bool {
    guard close() else { return false }
    release()
    return true
  }

  /// Carries out the teardowns, and those of the subscriptions below, in their order, without a lock held and without a
  /// stack as deep as they are.
  func release() {
    leaveParent()
    var (next, waiting) = takeTeardowns()
    // Mostly there is this one.
    if waiting.isEmpty, case .call(let target, let key) = next { return target.tearDown(key) }
    while let teardown = next ?? waiting.popLast() {
      next = nil
      let child: Subscription
      switch teardown {
      case .call(let target, let key):
        target.tearDown(key)
        continue
      case .action(let action):
        action()
        continue
      case .child(let own): child = own
      case .adopted(let other): child = other
      case .current(let place):
        guard let current = place.close() else { continue }
        child = current
      }
      guard child.close() else { continue }
      // The parent has its own in its list no more.
      if case .adopted = teardown { child.leaveParent() }
      let (first, others) = child.takeTeardowns()
      next = first
      waiting += others
    }
  }

  private func leaveParent() {
    let dropped = place.map { $0.parent.forget($0.key) }
    _ = dropped  // released outside the lock: its deinit may run any code
  }

  /// Takes the teardowns out, the newest first but for the very first.
  private func takeTeardowns() -> (first: Teardown?, others: [Teardown]) {
    teardowns.withLock { ($0.list.takeFirst(), $0.list.takeAll(newestFirst: true)) }
  }

  private func add(_ teardown: Teardown) -> Int? {
    teardowns.withLock { teardowns in
      if isDisposed { return nil }
      let key = teardowns.newKey()
      teardowns.list.append(teardown, key: key)
      return key
    }
  }
}

/// A target that a subscription can call at its end without a closure.
package protocol TeardownTarget: AnyObject, Sendable {
  func tearDown(_ key: Int)
}

private enum Teardown: Sendable {
  case call(any TeardownTarget, Int)
  case action(@Sendable () -> Void)
  case child(Subscription)
  case adopted(Subscription)
  case current(CurrentSubscription)
}

/// The link of children to their parent, which they do not hold: nothing once it is released.
///
/// A weak reference would make each retain of the parent slow.
private final class ParentLink: Sendable {
  private let parent: Locked<Unmanaged<Subscription>?>

  init(_ parent: Subscription) {
    self.parent = Locked(.passUnretained(parent))
  }

  func forget(_ key: Int) -> Teardown? {
    parent.withLock { parent in parent.flatMap { $0._withUnsafeGuaranteedRef { $0.forget(key) } } }
  }

  /// The parent is being released: its memory stays until no child is inside.
  func cut() {
    parent.withLock { $0 = nil }
  }
}

/// The teardowns of a subscription, by the keys under which they were put in: they run in that order.
private struct Teardowns: Sendable {
  /// For the children, of which most have none.
  var link: ParentLink?
  private var lastKey = 0
  var list = Roster<Teardown>()

  mutating func newKey() -> Int {
    lastKey += 1
    return lastKey
  }
}
