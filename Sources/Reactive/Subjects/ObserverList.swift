import Synchronization

/// The list of a subject's observers: they come and go from any thread while others are being served.
///
/// Events go to a snapshot of the members, a balanced tree of two-way branches that is itself an observer. Walking
/// its `let` fields costs no reference counting, and its depth is the logarithm of how many there are.
final class ObserverList<Element: Sendable>: Sendable {
  private let state = Locked(ListState())

  private let closed = Atomic<Bool>(false)

  /// Changes with the members, so that a snapshot knows when it is out of date.
  let version = Atomic<Int>(0)

  /// Adds an observer under a key by which it can be removed; returns the terminal if the stream has ended.
  func add(_ observer: any Observer<Element>, _ subscription: Subscription) -> (
    key: Int, terminal: Termination?
  ) {
    let member = Member(observer, subscription)
    return state.withLock { list in
      let added = list.add(member)
      if added.terminal == nil { change() }
      return added
    }
  }

  /// Empties the list and remembers how the stream ended; returns the observers to notify, none the second time.
  func close(_ terminal: Termination) -> [Member<Element>] {
    let members = state.withLock { list in
      change()
      return list.close(terminal)
    }
    closed.store(true, ordering: .releasing)
    return members.map { unsafeDowncast($0, to: Member<Element>.self) }
  }

  /// Under the lock, which is why it takes no locked instruction.
  private func change() {
    version.store(version.load(ordering: .relaxed) + 1, ordering: .releasing)
  }

  /// Whether the stream is over; costs no lock.
  var isClosed: Bool { closed.load(ordering: .acquiring) }

  /// How the stream ended, if it has.
  var terminal: Termination? { state.withLock { $0.terminal } }

  var count: Int { state.withLock { $0.members.count } }

  /// The present members as one observer.
  func snapshot() -> ObserverSnapshot<Element> {
    let version = version.load(ordering: .acquiring)
    let members = state.withLock { list in
      list.isInSnapshot = true
      return list.members.items
    }.map { unsafeDowncast($0, to: Member<Element>.self) }
    return ObserverSnapshot(version: version, root: branch(members[...]))
  }

  private func branch(_ members: ArraySlice<Member<Element>>) -> (any Observer<Element>)? {
    guard members.count > 1 else { return members.first }
    let middle = members.startIndex + members.count / 2
    guard let first = branch(members[..<middle]), let second = branch(members[middle...]) else { return nil }
    return Branch(first, second)
  }

  /// Removes an observer; true for the first since the snapshot, which then has those who have left.
  func remove(_ key: Int) -> Bool {
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

  func removeAll() {
    // Released outside the lock: their deinit may run any code.
    _ = state.withLock { $0.members.takeAll() }
  }
}

/// The members as they were at one version of the observers.
final class ObserverSnapshot<Element: Sendable>: Sendable {
  let version: Int
  let root: (any Observer<Element>)?

  init(version: Int = -1, root: (any Observer<Element>)? = nil) {
    self.version = version
    self.root = root
  }
}

/// A member of no particular element type.
class ListMember: @unchecked Sendable {}

/// The list itself, of no particular element type: code that is not specialised then knows all of it.
private struct ListState: Sendable {
  var members = Roster<ListMember>()
  /// Whether all members of some time are in a snapshot, and none of them has left since.
  var isInSnapshot = false
  private var lastKey = 0
  private(set) var terminal: Termination?

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

/// An observer in the list; silent from the moment its subscription has ended.
final class Member<Element: Sendable>: ListMember, Observer, @unchecked Sendable {
  private let observer: any Observer<Element>
  private let subscription: Subscription

  init(_ observer: any Observer<Element>, _ subscription: Subscription) {
    self.observer = observer
    self.subscription = subscription
  }

  func next(_ value: Element) {
    if !subscription.isDisposed { observer.next(value) }
  }

  func next(batch: [Element]) {
    observer.take(batch, in: subscription)
  }

  func fail(_ error: any Error) {
    if !subscription.isDisposed { observer.fail(error) }
  }

  func complete() {
    if !subscription.isDisposed { observer.complete() }
  }
}

private final class Branch<Element: Sendable>: Observer {
  private let first: any Observer<Element>
  private let second: any Observer<Element>

  init(_ first: any Observer<Element>, _ second: any Observer<Element>) {
    self.first = first
    self.second = second
  }

  func next(_ value: Element) {
    first.next(value)
    second.next(value)
  }

  func next(batch: [Element]) {
    first.next(batch: batch)
    second.next(batch: batch)
  }

  func fail(_ error: any Error) {
    first.fail(error)
    second.fail(error)
  }

  func complete() {
    first.complete()
    second.complete()
  }
}
