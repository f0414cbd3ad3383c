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
    let added = state.withLock { $0.add(member) }
    if added.terminal == nil { version.add(1, ordering: .releasing) }
    return added
  }

  /// Empties the list and remembers how the stream ended; returns the observers to notify, none the second time.
  func close(_ terminal: Termination) -> [Member<Element>] {
    let members = state.withLock { $0.close(terminal) }
    closed.store(true, ordering: .releasing)
    version.add(1, ordering: .releasing)
    return members.compactMap { $0.member as? Member<Element> }
  }

  /// Whether the stream is over; costs no lock.
  var isClosed: Bool { closed.load(ordering: .acquiring) }

  /// How the stream ended, if it has.
  var terminal: Termination? { state.withLock { $0.terminal } }

  var count: Int { state.withLock { $0.members.count } }

  /// The present members as one observer.
  func snapshot() -> ObserverSnapshot<Element> {
    let version = version.load(ordering: .acquiring)
    let members = state.withLock { $0.members }.compactMap { $0.member as? Member<Element> }
    return ObserverSnapshot(version: version, root: branch(members[...]))
  }

  private func branch(_ members: ArraySlice<Member<Element>>) -> (any Observer<Element>)? {
    guard members.count > 1 else { return members.first }
    let middle = members.startIndex + members.count / 2
    guard let first = branch(members[..<middle]), let second = branch(members[middle...]) else { return nil }
    return Branch(first, second)
  }

  func remove(_ key: Int) {
    let gone = state.withLock { $0.remove(key) }
    if gone != nil { version.add(1, ordering: .releasing) }
  }

  func removeAll() {
    // Released outside the lock: their deinit may run any code.
    _ = state.withLock { $0.removeAll() }
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

private protocol ListMember: AnyObject, Sendable {}

/// The list itself, of no particular element type: code that is not specialised then knows all of it.
private struct ListState: Sendable {
  private(set) var members: [(key: Int, member: any ListMember)] = []
  private var lastKey = 0
  private(set) var terminal: Termination?

  mutating func add(_ member: any ListMember) -> (key: Int, terminal: Termination?) {
    if let terminal { return (0, terminal) }
    lastKey += 1
    members.append((lastKey, member))
    return (lastKey, nil)
  }

  /// The member that leaves, to be released outside the lock.
  ///
  /// Keys rise, so the search can halve the list.
  mutating func remove(_ key: Int) -> (any ListMember)? {
    if members.last?.key == key { return members.removeLast().member }
    var low = 0
    var high = members.count
    while low < high {
      let middle = (low + high) / 2
      if members[middle].key < key { low = middle + 1 } else { high = middle }
    }
    return low < members.count && members[low].key == key ? members.remove(at: low).member : nil
  }

  mutating func removeAll() -> [(key: Int, member: any ListMember)] {
    defer { members = [] }
    return members
  }

  mutating func close(_ terminal: Termination) -> [(key: Int, member: any ListMember)] {
    if self.terminal != nil { return [] }
    defer {
      members = []
      self.terminal = terminal
    }
    return members
  }
}

/// An observer in the list; silent from the moment its subscription has ended.
final class Member<Element: Sendable>: Observer, ListMember {
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
