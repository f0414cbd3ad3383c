import Synchronization

/// Who listens to a subject: members come and go from any thread while others are being served.
///
/// Events go to a snapshot of the members, a balanced tree of two-way branches that is itself an observer. Walking
/// its `let` fields costs no reference counting, and its depth is the logarithm of how many there are.
final class Roster<Element: Sendable>: Sendable {
  private struct State: Sendable {
    var members: [Member<Element>] = []
    var lastKey = 0
    var terminal: Terminal?
  }

  private let state = Mutex(State())

  /// Changes with the members, so that a snapshot knows when it is out of date.
  let version = Atomic<Int>(0)

  /// Adds an observer until its subscription ends; hands back the terminal if the stream is over.
  func add(_ observer: any Observer<Element>, in subscription: Subscription) -> Terminal? {
    let (key, terminal) = state.withLock { state -> (Int, Terminal?) in
      if let terminal = state.terminal { return (0, terminal) }
      state.lastKey += 1
      state.members.append(Member(observer, subscription, key: state.lastKey))
      return (state.lastKey, nil)
    }
    if let terminal { return terminal }
    version.add(1, ordering: .releasing)
    subscription.onDispose { [self] in remove(key) }
    return nil
  }

  /// Lets everybody go and remembers why; returns the members to be told, none the second time.
  func close(_ terminal: Terminal) -> [Member<Element>] {
    let members = state.withLock { state -> [Member<Element>] in
      if state.terminal != nil { return [] }
      defer { state = State(lastKey: state.lastKey, terminal: terminal) }
      return state.members
    }
    version.add(1, ordering: .releasing)
    return members
  }

  /// How the stream ended, if it has.
  var terminal: Terminal? { state.withLock { $0.terminal } }

  var count: Int { state.withLock { $0.members.count } }

  /// The present members as one observer.
  func snapshot() -> Snapshot<Element> {
    let version = version.load(ordering: .acquiring)
    let members = state.withLock { $0.members }
    return Snapshot(version: version, root: branch(members[...]))
  }

  private func branch(_ members: ArraySlice<Member<Element>>) -> (any Observer<Element>)? {
    guard members.count > 1 else { return members.first }
    let middle = members.startIndex + members.count / 2
    guard let first = branch(members[..<middle]), let second = branch(members[middle...]) else { return nil }
    return Branch(first, second)
  }

  private func remove(_ key: Int) {
    let gone = state.withLock { state -> Member<Element>? in
      guard let index = state.members.firstIndex(where: { $0.key == key }) else { return nil }
      return state.members.remove(at: index)
    }
    if gone != nil { version.add(1, ordering: .releasing) }
  }
}

struct Snapshot<Element: Sendable>: Sendable {
  var version = -1
  var root: (any Observer<Element>)?
}

/// One listener; silent from the moment its subscription has ended.
final class Member<Element: Sendable>: Observer {
  fileprivate let key: Int
  private let observer: any Observer<Element>
  private let subscription: Subscription

  init(_ observer: any Observer<Element>, _ subscription: Subscription, key: Int) {
    self.observer = observer
    self.subscription = subscription
    self.key = key
  }

  func next(_ value: Element) {
    if !subscription.isDisposed { observer.next(value) }
  }

  func next(batch: [Element]) {
    if !subscription.isDisposed { observer.next(batch: batch) }
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
