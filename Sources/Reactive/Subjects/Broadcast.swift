import Synchronization

/// The core of subjects, relays and connectable observables: passes events, one at a time, to all listed observers, and replays the last
/// `memory` elements to a late one.
///
/// An element is remembered as soon as it is sent, and takes its place in the line of deliveries under the same lock:
/// what is remembered last is what is delivered last. A late observer takes its place in the same way.
@usableFromInline class Broadcast<Element: Sendable>: Observer, @unchecked Sendable {
  /// The observers that are listed, and the serializer of who delivers.
  private let observers: ObserverList
  /// Looked up once, not for each of them.
  private let memberType: Member<Element>.Type
  private let memory: Int
  /// After the end an observer gets the terminal alone, without the memory.
  private let forgetsAtEnd: Bool
  /// Whether a terminal has been sent, after which nothing is remembered.
  private let memoryLock = Locked(false)
  /// Under `memoryLock`; apart from it, so that the lock's own code knows the type of what it guards.
  @exclusivity(unchecked) private nonisolated(unsafe) var remembered: RingBuffer<Element>

  required init(
    memory: Int = 0, forgetsAtEnd: Bool = false, to observers: ObserverList = ObserverList(),
    memberType: Member<Element>.Type = Member<Element>.self
  ) {
    self.memberType = memberType
    self.memory = memory
    self.forgetsAtEnd = forgetsAtEnd
    self.observers = observers
    remembered = RingBuffer(capacity: 0)
  }

  /// One whose memory starts with a value.
  convenience init(remembering value: Element, forgetsAtEnd: Bool) {
    self.init(memory: 1, forgetsAtEnd: forgetsAtEnd)
    remembered.append(value)
  }

  deinit {
    observers.removeAll()
  }

  var latest: Element? { memoryLock.withLock { _ in remembered.last } }
  var isOver: Bool { observers.isClosed }
  var hasObservers: Bool { observers.count > 0 }

  @usableFromInline func next(_ value: Element) {
    if memory > 0 { return remember(value) }
    observers.turn(self, value) { $0.deliver($1) }
  }

  /// Apart from `next`, which so needs no metadata of types made from `Element` when nothing is remembered.
  @inline(never)
  private func remember(_ value: Element) {
    // What the memory has no room for any more, or else the element: an optional would be one more type to look up.
    var spare = value
    let place = memoryLock.withLock { isOver in
      if !isOver { push(&spare) }
      return observers.enter() ? nil : observers.lineUp { [self] in deliver(value) }
    }
    _ = spare  // released outside the lock: its deinit may run any code
    if let place { return observers.drainOrWait(from: place) }
    deliver(value)
    observers.leave()
  }

  /// Remembers an element, under the lock; what the memory has no room for any more is in its place then.
  private func push(_ value: inout Element) {
    if remembered.count >= memory {
      remembered.exchange(&value)
    } else {
      remembered.append(value)
    }
  }

  @usableFromInline func next(batch: [Element]) {
    var old: [Element] = []
    pass({ [self] in deliver(batch: batch) }) { isOver in
      if isOver { return }
      old = remembered.elements
      for var value in batch.suffix(memory) { push(&value) }
    }
    _ = old
  }

  /// Carries `work` out inside the serializer; what it changes of the memory is changed by `note`, at once.
  private func pass(_ work: @escaping @Sendable () -> Void, noting note: (inout Bool) -> Void) {
    if memory == 0 { return observers.pass(work) }
    let place = memoryLock.withLock { isOver in
      note(&isOver)
      return observers.lineUp(work)
    }
    observers.drainOrWait(from: place)
  }

  @usableFromInline var takesBatches: Bool { true }

  /// Itself: from elsewhere, its type would be looked up.
  var observer: any Observer<Element> { self }

  @usableFromInline func fail(_ error: any Error) { end(.failed(error)) }

  @usableFromInline func complete() { end(.completed) }

  func attach(_ observer: any Observer<Element>, in subscription: Subscription) {
    if memory > 0 { recall(to: observer, subscription) } else { join(observer, subscription) }
  }

  private func deliver(_ value: Element) {
    // Lent, not retained for the call: only the caller inside the serializer replaces the snapshot, which is this one.
    let lent = Unmanaged.passUnretained(observers.snapshot)
    let fresh = lent._withUnsafeGuaranteedRef { snapshot in
      if observers.version.load(ordering: .acquiring) != snapshot.version { return false }
      snapshot.root?._withUnsafeGuaranteedRef { known($0, as: ListNode<Element>.self).next(value) }
      return true
    }
    if fresh { return }
    renewSnapshot()
    observers.snapshot.root?._withUnsafeGuaranteedRef {
      known($0, as: ListNode<Element>.self).next(value)
    }
  }

  private func deliver(batch: [Element]) {
    if observers.version.load(ordering: .acquiring) != observers.snapshot.version { renewSnapshot() }
    observers.snapshot.root?._withUnsafeGuaranteedRef {
      known($0, as: ListNode<Element>.self).next(batch: batch)
    }
  }

  private func renewSnapshot() {
    let version = observers.version.load(ordering: .acquiring)
    observers.snapshot = ObserverSnapshot(
      version: version, root: ListNode<Element>.joining(observers.takeSnapshot()[...]))
  }

  private func end(_ terminal: Termination) {
    observers.sourceHasEnded()
    pass({ [self] in close(terminal) }) { $0 = true }
  }

  private func close(_ terminal: Termination) {
    let members = observers.close(terminal)
    observers.snapshot = .none
    for member in members { terminal.deliver(to: known(member, as: Member<Element>.self)) }
  }

  /// Hands the memory to a late observer, at once, and lists it for what is sent from then on.
  private func recall(to observer: any Observer<Element>, _ subscription: Subscription) {
    var past = RingBuffer<Element>(capacity: 0)
    var outlet: SerializedOutlet<Element>?
    var place: LinePlace?
    memoryLock.withLock { isOver in
      if !isOver || !forgetsAtEnd { past = remembered.copy() }
      if observers.enter() { return }
      // Others deliver: what they have for this observer waits until it has had the memory.
      let late = SerializedOutlet(observer)
      _ = late.enter()
      outlet = late
      place = observers.lineUp { [self] in join(late, subscription) }
    }
    while !subscription.isDisposed, past.popFirst({ observer.next($0) }) {}
    if let outlet, let place {
      outlet.leave()
      return observers.drainOrWait(from: place)
    }
    join(observer, subscription)
    observers.leave()
  }

  private func join(_ observer: any Observer<Element>, _ subscription: Subscription) {
    if subscription.isDisposed { return observers.memberHasLeft() }
    observers.add(memberType.init(observer, subscription), subscription)?.deliver(to: observer)
  }
}
