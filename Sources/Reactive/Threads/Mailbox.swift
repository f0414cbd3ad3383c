import Synchronization

/// Takes elements from any thread and delivers them on a scheduler, in order, holding at most `capacity` of them.
///
/// Senders append under a lock; the receiver takes all there is in one go and is woken once for it, not once an
/// element. The lock is never held while delivering.
final class Mailbox<Element: Sendable>: Observer {
  fileprivate struct State: Sendable {
    var ring: Ring<Element>
    var terminal: Terminal?
    /// A delivery is on its way or under way.
    var scheduled = false
    var delivering = false
    var sleepers = 0
    var closed = false
  }

  private let downstream: any Observer<Element>
  private let subscription: Subscription
  /// The sender's part of the subscription: over as soon as it has sent its terminal.
  private let upstream: Subscription
  private let scheduler: any Scheduler
  private let capacity: Int
  private let overflow: Overflow
  private let counters: MailboxCounters?
  private let state: Mutex<State>
  private let room = Bell()

  init(
    to downstream: any Observer<Element>, in subscription: Subscription, on scheduler: any Scheduler,
    capacity: Int, overflow: Overflow, counters: MailboxCounters?
  ) {
    self.downstream = downstream
    self.subscription = subscription
    self.scheduler = scheduler
    self.capacity = max(1, capacity)
    self.overflow = overflow
    self.counters = counters
    upstream = subscription.child()
    state = Mutex(State(ring: Ring(limit: self.capacity)))
    subscription.onDispose { [self] in close() }
  }

  func attach(to source: Observable<Element>) {
    source.attach(self, in: upstream)
  }

  func next(_ value: Element) {
    while true {
      switch state.withLock({ $0.offer(value, overflow) }) {
      case .taken(let wake):
        counters?.count(accepted: 1)
        if wake { scheduler.perform { [self] in deliver() } }
        return
      case .displaced:
        counters?.count(accepted: 1, dropped: 1)
        return
      case .refused:
        counters?.count(dropped: 1)
        if overflow == .fail { fail(ReactiveError.overflow(what: "a mailbox", limit: capacity)) }
        return
      case .full:
        waitForRoom()
      case .closed:
        return
      }
    }
  }

  func fail(_ error: any Error) { end(.failed(error)) }

  func complete() { end(.completed) }

  private func end(_ terminal: Terminal) {
    let wake = state.withLock { state in
      if state.closed || state.terminal != nil { return false }
      state.terminal = terminal
      return state.wakes()
    }
    if wake { scheduler.perform { [self] in deliver() } }
    upstream.dispose()
  }

  /// One delivery: all that is there now.
  ///
  /// What comes meanwhile is a new turn of the scheduler, which so gets to do
  /// other work in between.
  private func deliver() {
    let (elements, sleepers) = state.withLock { $0.take() }
    for _ in 0..<sleepers { room.ring() }
    for value in elements {
      if subscription.isDisposed { break }
      downstream.next(value)
    }
    let (again, terminal) = state.withLock { $0.rest() }
    if again { scheduler.perform { [self] in deliver() } }
    terminal?.deliver(to: downstream)
  }

  /// Sleeps until the receiver has made room.
  ///
  /// The receiver's own thread cannot wait for itself: it delivers what is
  /// there, or, when it is already delivering, goes over the limit.
  private func waitForRoom() {
    counters?.count(waits: 1)
    if scheduler.isCurrent {
      if state.withLock({ $0.delivering }) {
        state.withLock { $0.ring.grow() }
      } else {
        deliver()
      }
      return
    }
    let sleeps = state.withLock { state in
      if state.closed || !state.ring.isFull { return false }
      state.sleepers += 1
      return true
    }
    if sleeps { room.wait() }
  }

  private func close() {
    let old = state.withLock { state in
      let old = state
      state = State(ring: Ring(limit: capacity), closed: true)
      return old
    }
    for _ in 0..<old.sleepers { room.ring() }
  }
}

extension Mailbox.State {
  fileprivate enum Answer {
    case taken(wake: Bool)
    case displaced
    case refused
    case full
    case closed
  }

  fileprivate mutating func offer(_ value: Element, _ overflow: Overflow) -> Answer {
    if closed || terminal != nil { return .closed }
    guard ring.isFull else {
      ring.append(value)
      return .taken(wake: wakes())
    }
    switch overflow {
    case .block: return .full
    case .dropOldest:
      ring.append(value)
      return .displaced
    case .dropNewest, .fail: return .refused
    }
  }

  fileprivate mutating func wakes() -> Bool {
    if scheduled { return false }
    scheduled = true
    return true
  }

  fileprivate mutating func take() -> (elements: [Element], sleepers: Int) {
    defer { sleepers = 0 }
    delivering = true
    return (ring.takeAll(), sleepers)
  }

  /// After a delivery: either there is more, or the end, or it is quiet.
  fileprivate mutating func rest() -> (again: Bool, terminal: Terminal?) {
    delivering = false
    if closed { return (false, nil) }
    if !ring.isEmpty { return (true, nil) }
    scheduled = false
    guard let terminal else { return (false, nil) }
    closed = true
    return (false, terminal)
  }
}
