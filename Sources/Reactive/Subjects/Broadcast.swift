import Synchronization

/// The core of the three subjects: passes events, one at a time, to all listed observers, and replays the last
/// `memory` elements to a late one.
final class Broadcast<Element: Sendable>: Observer, TeardownTarget {
  private let turn = Serializer(ObserverSnapshot<Element>())
  private let observers = ObserverList<Element>()
  /// Whether a call to drop the snapshot waits for its turn.
  private let dropsSnapshot = Atomic<Bool>(false)
  private let memory: Int
  /// After the end an observer gets the terminal alone, without the memory.
  private let forgetsAtEnd: Bool
  /// Written only with the turn; under `memoryLock`, because `latest` reads it from anywhere.
  private let remembered: Unguarded<Ring<Element>>
  private let memoryLock = Locked(())

  init(memory: Int = 0, seed: Element? = nil, forgetsAtEnd: Bool = false) {
    self.memory = memory
    self.forgetsAtEnd = forgetsAtEnd
    remembered = Unguarded(Ring(limit: memory, seed: seed))
  }

  var latest: Element? { memoryLock.withLock { _ in remembered.value.last } }
  var isOver: Bool { observers.isClosed }
  var hasObservers: Bool { observers.count > 0 }

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
    // Nothing may be delivered between the old elements and being listed, so that waits for its turn.
    guard memory > 0 else { return join(observer, subscription) }
    turn.pass { [self] in recall(observer, subscription) }
  }

  private func deliver(_ value: Element) {
    if memory > 0 { remember(value) }
    // Lent, not retained for the call: only the caller with the turn replaces the snapshot, and that is this one.
    let lent = Unmanaged.passUnretained(turn.state)
    let fresh = lent._withUnsafeGuaranteedRef { snapshot in
      if observers.version.load(ordering: .acquiring) != snapshot.version { return false }
      snapshot.root?.next(value)
      return true
    }
    if fresh { return }
    turn.state = observers.snapshot()
    turn.state.root?.next(value)
  }

  /// Apart from `deliver`, which so needs no metadata of types made from `Element` when nothing is remembered.
  @inline(never)
  private func remember(_ value: Element) {
    if observers.isClosed { return }
    memoryLock.withLock { _ in remembered.value.push(value) }
  }

  private func deliver(batch: [Element]) {
    if observers.version.load(ordering: .acquiring) != turn.state.version {
      turn.state = observers.snapshot()
    }
    if memory > 0, !observers.isClosed {
      memoryLock.withLock { _ in
        for value in batch.suffix(memory) { remembered.value.push(value) }
      }
    }
    turn.state.root?.next(batch: batch)
  }

  private func end(_ terminal: Termination) {
    turn.pass { [self] in close(terminal) }
  }

  private func close(_ terminal: Termination) {
    let members = observers.close(terminal)
    turn.state = observers.snapshot()
    for member in members { terminal.deliver(to: member) }
  }

  private func recall(_ observer: any Observer<Element>, _ subscription: Subscription) {
    let past =
      forgetsAtEnd && observers.isClosed ? [] : memoryLock.withLock { _ in remembered.value.elements }
    for value in past {
      if subscription.isDisposed { return }
      observer.next(value)
    }
    join(observer, subscription)
  }

  private func join(_ observer: any Observer<Element>, _ subscription: Subscription) {
    if subscription.isDisposed { return }
    let (key, terminal) = observers.add(observer, subscription)
    if let terminal { return terminal.deliver(to: observer) }
    subscription.onDispose(self, key)
  }

  /// Removes an observer whose subscription has ended from the list, and drops the snapshot that has it.
  func tearDown(_ key: Int) {
    observers.remove(key)
    guard turn.enter() else {
      // Once for all who leave meanwhile, or those beyond the serializer's limit would wait for a delivery to end.
      if dropsSnapshot.exchange(true, ordering: .acquiringAndReleasing) { return }
      return turn.later { [self] in
        dropsSnapshot.store(false, ordering: .sequentiallyConsistent)
        turn.state = ObserverSnapshot()
      }
    }
    if turn.state.root != nil { turn.state = ObserverSnapshot() }
    turn.leave()
  }
}
