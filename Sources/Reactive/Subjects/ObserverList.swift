import Synchronization

/// The list of a subject's observers: they come and go from any thread while others are being served.
///
/// Events go to a snapshot of the members, a balanced tree of two-way branches. Walking its `let` fields costs no
/// reference counting, and its depth is the logarithm of how many there are.
///
/// Subscriptions hold this to leave it, and it holds them through the members until the broadcast is gone. It is of no
/// particular element type, so that making one looks up no type. Those who deliver take turns.
class ObserverList: DrainLoop, TeardownTarget, @unchecked Sendable {
  /// The members as the last one to deliver has seen them: only inside the serializer.
  @exclusivity(unchecked) final var snapshot = ObserverSnapshot.none
  private let state = Locked(ListState())
  private let closed = Atomic<Bool>(false)

  /// Changes with the members, so that a snapshot knows when it is out of date.
  final let version = Atomic<Int>(0)

  /// Adds an observer, which then leaves when its subscription ends; returns the terminal if the stream has ended.
  func add(_ member: ListMember, _ subscription: Subscription) -> Termination? {
    let (key, terminal) = state.withLock { list in
      let added = list.add(member)
      if added.terminal == nil { change() }
      return added
    }
    if terminal == nil { subscription.onDispose(self, key) }
    return terminal
  }

  /// Empties the list and remembers how the stream ended; returns the observers to notify, none the second time.
  func close(_ terminal: Termination) -> [ListMember] {
    let members = state.withLock { list in
      change()
      return list.close(terminal)
    }
    closed.store(true, ordering: .releasing)
    return members
  }

  /// Under the lock, which is why it takes no locked instruction.
  private func change() {
    version.store(version.load(ordering: .relaxed) + 1, ordering: .releasing)
  }

  /// Whether the stream is over; costs no lock.
  var isClosed: Bool { closed.load(ordering: .acquiring) }

  var count: Int { state.withLock { $0.members.count } }

  /// The present members, who are in a snapshot from now on.
  func takeSnapshot() -> [ListMember] {
    state.withLock { list in
      list.isInSnapshot = true
      return list.members.items
    }
  }

  /// Removes an observer, and drops the snapshot that has it, once for all who leave meanwhile.
  func tearDown(_ key: Int) {
    if remove(key) {
      slipIn { [self] in
        defer { snapshot = .none }
        return snapshot
      }
    }
    memberHasLeft()
  }

  /// One of those who wanted to be in the list is not, or not any more.
  func memberHasLeft() {}

  /// Called when the source of the members has ended.
  func sourceHasEnded() {}

  /// True for the first since the snapshot, which then has those who have left.
  private func remove(_ key: Int) -> Bool {
    let (isFirst, gone) = state.withLock { list in
      let gone = list.members.remove(key)
      if gone == nil { return (false, gone) }
      change()
      defer { list.isInSnapshot = false }
      return (list.isInSnapshot, gone)
    }
    _ = gone  // released outside the lock: its deinit may run any code
    return isFirst
  }

  /// Removes all, when the broadcast is gone.
  func removeAll() {
    // Released outside the lock: their deinit may run any code.
    _ = state.withLock { $0.members.takeAll() }
    pass { [self] in snapshot = .none }
  }
}

/// The members as they were at one version of the observers.
final class ObserverSnapshot: Sendable {
  static let none = ObserverSnapshot(version: -1, root: nil)

  let version: Int
  /// Lent for a call, without retaining it, by the one with the serializer.
  let root: Unmanaged<ListMember>?
  private let members: ListMember?

  init(version: Int, root: ListMember?) {
    self.version = version
    self.root = root.map { .passUnretained($0) }
    members = root
  }
}

/// A member, or a branch with several, of no particular element type.
class ListMember: @unchecked Sendable {}

/// The list itself.
private struct ListState: Sendable {
  var members = Roster<ListMember>()
  /// Whether all members of some time are in a snapshot, and none of them has left since.
  var isInSnapshot = false
  private var lastKey = 0
  private var terminal: Termination?

  mutating func add(_ member: consuming ListMember) -> (key: Int, terminal: Termination?) {
    if let terminal { return (0, terminal) }
    lastKey += 1
    members.append(member, key: lastKey)
    return (lastKey, nil)
  }

  mutating func close(_ terminal: Termination) -> [ListMember] {
    if self.terminal != nil { return [] }
    self.terminal = terminal
    return members.takeAll()
  }
}

/// A node of a snapshot, which takes its elements: one observer, or a branch.
class ListNode<Element: Sendable>: ListMember, @unchecked Sendable {
  func next(_ value: Element) {}
  func next(batch: [Element]) {}

  /// The members as one, in their order.
  static func joining(_ members: ArraySlice<ListMember>) -> ListMember? {
    guard members.count > 1 else { return members.first }
    let middle = members.startIndex + members.count / 2
    guard let first = joining(members[..<middle]), let second = joining(members[middle...]) else {
      return nil
    }
    return Branch<Element>(
      known(first, as: ListNode.self), known(second, as: ListNode.self))
  }
}

/// An observer in the list; silent from the moment its subscription has ended.
class Member<Element: Sendable>: ListNode<Element>, Observer, @unchecked Sendable {
  private let observer: any Observer<Element>
  private let subscription: Subscription

  required init(_ observer: any Observer<Element>, _ subscription: Subscription) {
    self.observer = observer
    self.subscription = subscription
  }

  override func next(_ value: Element) {
    if !subscription.isDisposed { observer.next(value) }
  }

  override func next(batch: [Element]) {
    observer.take(batch, in: subscription)
  }

  func fail(_ error: any Error) {
    if !subscription.isDisposed { observer.fail(error) }
  }

  func complete() {
    if !subscription.isDisposed { observer.complete() }
  }
}

private final class Branch<Element: Sendable>: ListNode<Element>, @unchecked Sendable {
  private let first: ListNode<Element>
  private let second: ListNode<Element>

  init(_ first: ListNode<Element>, _ second: ListNode<Element>) {
    self.first = first
    self.second = second
  }

  override func next(_ value: Element) {
    first.next(value)
    second.next(value)
  }

  override func next(batch: [Element]) {
    first.next(batch: batch)
    second.next(batch: batch)
  }
}
