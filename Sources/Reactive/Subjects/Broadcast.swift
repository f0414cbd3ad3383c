import Synchronization

/// What the three subjects are made of: events in, one at a time, to whoever is on the roster; the last `memory`
/// elements again for whoever comes later.
final class Broadcast<Element: Sendable>: Observer, TeardownTarget {
  private let turn = Turnstile(Snapshot<Element>())
  private let roster = Roster<Element>()
  /// Whether somebody has asked for the snapshot to be let go of, which is yet to happen.
  private let lettingGo = Atomic<Bool>(false)
  private let memory: Int
  /// After the end only the end is told, not what was remembered.
  private let forgetsAtEnd: Bool
  /// Written only by whoever has the turn; locked because `latest` reads it from anywhere.
  private let remembered: Locked<Ring<Element>>

  init(memory: Int = 0, seed: Element? = nil, forgetsAtEnd: Bool = false) {
    self.memory = memory
    self.forgetsAtEnd = forgetsAtEnd
    remembered = Locked(Ring(limit: memory, seed: seed))
  }

  var latest: Element? { remembered.withLock { $0.last } }
  var isOver: Bool { roster.terminal != nil }
  var hasObservers: Bool { roster.count > 0 }

  func next(_ value: Element) {
    guard turn.enter() else { return turn.later { [self] in deliver(value) } }
    deliver(value)
    turn.leave()
  }

  func next(batch: [Element]) {
    guard turn.enter() else { return turn.later { [self] in deliver(batch: batch) } }
    deliver(batch: batch)
    turn.leave()
  }

  var takesBatches: Bool { true }

  func fail(_ error: any Error) { end(.failed(error)) }

  func complete() { end(.completed) }

  func attach(_ observer: any Observer<Element>, in subscription: Subscription) {
    // Nothing may be delivered between the old elements and joining the roster, so that waits for its turn.
    guard memory > 0 else { return join(observer, subscription) }
    turn.pass { [self] in recall(observer, subscription) }
  }

  private func deliver(_ value: Element) {
    if memory > 0 { remember(value) }
    // Lent, not retained for the call: only whoever has the turn replaces the snapshot, and that is this caller.
    let lent = Unmanaged.passUnretained(turn.state)
    let fresh = lent._withUnsafeGuaranteedRef { snapshot in
      if roster.version.load(ordering: .acquiring) != snapshot.version { return false }
      snapshot.root?.next(value)
      return true
    }
    if fresh { return }
    turn.state = roster.snapshot()
    turn.state.root?.next(value)
  }

  /// Apart from `deliver`, which so needs no metadata of types made from `Element` when nothing is remembered.
  @inline(never)
  private func remember(_ value: Element) {
    if roster.terminal != nil { return }
    remembered.withLock { _ = $0.append(value) }
  }

  private func deliver(batch: [Element]) {
    if roster.version.load(ordering: .acquiring) != turn.state.version { turn.state = roster.snapshot() }
    if memory > 0, roster.terminal == nil {
      remembered.withLock { ring in
        for value in batch.suffix(memory) { ring.append(value) }
      }
    }
    turn.state.root?.next(batch: batch)
  }

  private func end(_ terminal: Terminal) {
    turn.pass { [self] in close(terminal) }
  }

  private func close(_ terminal: Terminal) {
    let members = roster.close(terminal)
    turn.state = roster.snapshot()
    for member in members { terminal.deliver(to: member) }
  }

  private func recall(_ observer: any Observer<Element>, _ subscription: Subscription) {
    let past = forgetsAtEnd && roster.terminal != nil ? [] : remembered.withLock { $0.elements }
    for value in past {
      if subscription.isDisposed { return }
      observer.next(value)
    }
    join(observer, subscription)
  }

  private func join(_ observer: any Observer<Element>, _ subscription: Subscription) {
    if subscription.isDisposed { return }
    let (key, terminal) = roster.add(observer, subscription)
    if let terminal { return terminal.deliver(to: observer) }
    subscription.onDispose(self, key)
  }

  /// Lets a member go whose subscription has ended: from the roster, and from the snapshot made of it.
  func tearDown(_ key: Int) {
    roster.remove(key)
    guard turn.enter() else {
      // Once for all who leave meanwhile, or those beyond the turnstile's limit would wait for a delivery to end.
      if lettingGo.exchange(true, ordering: .acquiringAndReleasing) { return }
      return turn.later { [self] in
        lettingGo.store(false, ordering: .sequentiallyConsistent)
        turn.state = Snapshot()
      }
    }
    if turn.state.root != nil { turn.state = Snapshot() }
    turn.leave()
  }
}
