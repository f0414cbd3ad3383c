import Synchronization

/// The core of subjects, relays and connectable observables: passes events, one at a time, to all listed observers, and replays the last
/// `memory` elements to a late one.
///
/// An element is remembered as soon as it is sent, and takes its place in the line of deliveries under the same lock:
/// what is remembered last is what is delivered last. A late observer takes its place in the same way.
@usableFromInline final class Broadcast<Element: Sendable>: Observer {
  private let turn = Serializer(ObserverSnapshot<Element>())
  private let observers = ObserverList<Element>()
  private let removal: Removal<Element>
  private let memory: Int
  /// After the end an observer gets the terminal alone, without the memory.
  private let forgetsAtEnd: Bool
  /// Under `memoryLock`; apart from it, so that the lock's own code knows the type of what it guards.
  private let remembered: Unguarded<RingBuffer<Element>>
  /// Whether a terminal has been sent, after which nothing is remembered.
  private let memoryLock = Locked(false)
  init(memory: Int = 0, seed: Element? = nil, forgetsAtEnd: Bool = false) {
    self.memory = memory
    self.forgetsAtEnd = forgetsAtEnd
    var buffer = RingBuffer<Element>(capacity: min(memory, 16))
    if memory > 0, let seed { buffer.append(seed) }
    remembered = Unguarded(buffer)
    removal = Removal(observers, turn)
  }

  deinit {
    removal.removeAll()
  }

  var latest: Element? { memoryLock.withLock { _ in remembered.value.last } }
  var isOver: Bool { observers.isClosed }
  var hasObservers: Bool { observers.count > 0 }

  @usableFromInline func next(_ value: Element) {
    if memory > 0 { return remember(value) }
    guard turn.enter() else { return turn.later { [self] in deliver(value) } }
    deliver(value)
    turn.leave()
  }

  /// Apart from `next`, which so needs no metadata of types made from `Element` when nothing is remembered.
  @inline(never)
  private func remember(_ value: Element) {
    // What the memory has no room for any more, or else the element: an optional would be one more type to look up.
    var spare = value
    let place = memoryLock.withLock { isOver in
      if !isOver { push(&spare) }
      return turn.enter() ? nil : turn.lineUp { [self] in deliver(value) }
    }
    _ = spare  // released outside the lock: its deinit may run any code
    if let place { return turn.goOn(from: place) }
    deliver(value)
    turn.leave()
  }

  /// Remembers an element, under the lock; what the memory has no room for any more is in its place then.
  private func push(_ value: inout Element) {
    if remembered.value.count >= memory {
      remembered.value.exchange(&value)
    } else {
      remembered.value.append(value)
    }
  }

  @usableFromInline func next(batch: [Element]) {
    var old: [Element] = []
    pass({ [self] in deliver(batch: batch) }) { isOver in
      if isOver { return }
      old = remembered.value.elements
      for var value in batch.suffix(memory) { push(&value) }
    }
    _ = old
  }

  /// Carries `work` out in its turn; what it changes of the memory is changed by `note`, at once.
  private func pass(_ work: @escaping @Sendable () -> Void, noting note: (inout Bool) -> Void) {
    if memory == 0 { return turn.pass(work) }
    let place = memoryLock.withLock { isOver in
      note(&isOver)
      return turn.lineUp(work)
    }
    turn.goOn(from: place)
  }

  @usableFromInline var takesBatches: Bool { true }

  @usableFromInline func fail(_ error: any Error) { end(.failed(error)) }

  @usableFromInline func complete() { end(.completed) }

  func attach(_ observer: any Observer<Element>, in subscription: Subscription) {
    if memory > 0 { recall(to: observer, subscription) } else { join(observer, subscription) }
  }

  private func deliver(_ value: Element) {
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

  private func deliver(batch: [Element]) {
    if observers.version.load(ordering: .acquiring) != turn.state.version {
      turn.state = observers.snapshot()
    }
    turn.state.root?.next(batch: batch)
  }

  private func end(_ terminal: Termination) {
    pass({ [self] in close(terminal) }) { $0 = true }
  }

  private func close(_ terminal: Termination) {
    let members = observers.close(terminal)
    turn.state = observers.snapshot()
    for member in members { terminal.deliver(to: member) }
  }

  /// Hands the memory to a late observer, at once, and lists it for what is sent from then on.
  private func recall(to observer: any Observer<Element>, _ subscription: Subscription) {
    var past: [Element] = []
    var outlet: SerializedOutlet<Element>?
    var place: LinePlace?
    memoryLock.withLock { isOver in
      if !isOver || !forgetsAtEnd { past = remembered.value.elements }
      if turn.enter() { return }
      // Others deliver: what they have for this observer waits until it has had the memory.
      let late = SerializedOutlet(observer)
      _ = late.hold()
      outlet = late
      place = turn.lineUp { [self] in join(late, subscription) }
    }
    // By index: the type of an iterator would have to be looked up.
    for index in 0..<past.count where !subscription.isDisposed { observer.next(past[index]) }
    if let outlet, let place {
      outlet.letGo()
      return turn.goOn(from: place)
    }
    join(observer, subscription)
    turn.leave()
  }

  private func join(_ observer: any Observer<Element>, _ subscription: Subscription) {
    if subscription.isDisposed { return }
    let (key, terminal) = observers.add(observer, subscription)
    if let terminal { return terminal.deliver(to: observer) }
    subscription.onDispose(removal, key)
  }
}

/// The removal of observers whose subscriptions have ended.
///
/// Subscriptions hold this, and it holds them through the list of observers until the broadcast is gone.
private final class Removal<Element: Sendable>: TeardownTarget {
  private let observers: ObserverList<Element>
  private let turn: Serializer<ObserverSnapshot<Element>>

  init(_ observers: ObserverList<Element>, _ turn: Serializer<ObserverSnapshot<Element>>) {
    self.observers = observers
    self.turn = turn
  }

  /// Removes an observer from the list, and drops the snapshot that has it, once for all who leave meanwhile.
  func tearDown(_ key: Int) {
    guard observers.remove(key) else { return }
    guard turn.enter() else { return turn.later { [self] in turn.state = ObserverSnapshot() } }
    turn.state = ObserverSnapshot()
    turn.leave()
  }

  /// Removes all, when the broadcast is gone.
  func removeAll() {
    observers.removeAll()
    turn.pass { [self] in turn.state = ObserverSnapshot() }
  }
}
