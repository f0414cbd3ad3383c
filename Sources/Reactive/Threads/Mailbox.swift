/// Takes elements from any thread and delivers them on a scheduler, in order, holding at most `capacity` of them.
///
/// Senders append under a lock; the receiver takes all there is in one go and is woken once for it, not once an
/// element. The lock is never held while delivering.
final class Mailbox<Element: Sendable>: Observer {
  private struct Incoming: ~Copyable, Sendable {
    var elements = RingBuffer<Element>()
    var gate: MailboxGate
  }

  private let downstream: any Observer<Element>
  private let subscription: Subscription
  /// The sender's part of the subscription: over as soon as it has sent its terminal.
  private let upstream: Subscription
  private let scheduler: any Scheduler
  private let capacity: Int
  private let overflow: Overflow
  private let counters: MailboxCounters?
  private let incoming: Locked<Incoming>
  /// What a delivery has taken out; an empty buffer between deliveries, swapped with the full one.
  private let outgoing = Locked(RingBuffer<Element>())
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
    incoming = Locked(Incoming(gate: MailboxGate(limit: self.capacity)))
    subscription.onDispose { [self] in close() }
  }

  func attach(to source: Observable<Element>) {
    source.attach(self, in: upstream)
  }

  func next(_ value: Element) {
    while true {
      let answer = incoming.withLock { incoming in
        let answer = incoming.gate.answer(whenHolding: incoming.elements.count, overflow)
        if answer.isTaken { incoming.elements.append(value) }
        if answer == .displace { _ = incoming.elements.popFirst { _ in } }
        return answer
      }
      counters?.count(answer)
      switch answer {
      case .taken, .displace, .refused, .closed: return
      case .wake: return scheduler.perform { [self] in deliver() }
      case .overflow: return fail(ReactiveError.overflow(what: "a mailbox", limit: capacity))
      case .full: waitForRoom()
      }
    }
  }

  func fail(_ error: any Error) { end(.failed(error)) }

  func complete() { end(.completed) }

  private func end(_ terminal: Terminal) {
    if incoming.withLock({ $0.gate.end(terminal) }) { scheduler.perform { [self] in deliver() } }
    upstream.dispose()
  }

  /// One delivery: all that is there now.
  ///
  /// What comes meanwhile is a new turn of the scheduler, which so gets to do other work in between.
  private func deliver() {
    empty()
    let rest = incoming.withLock { $0.gate.endDelivery(holding: $0.elements.count) }
    if rest.again { scheduler.perform { [self] in deliver() } }
    rest.terminal?.deliver(to: downstream)
  }

  private func empty() {
    var batch = RingBuffer<Element>(capacity: 1)
    outgoing.withLock { swap(&$0, &batch) }
    let sleepers = incoming.withLock { incoming in
      swap(&incoming.elements, &batch)
      return incoming.gate.beginDelivery()
    }
    for _ in 0..<sleepers { room.ring() }
    while !subscription.isDisposed, batch.popFirst({ downstream.next($0) }) {}
    if batch.isEmpty { outgoing.withLock { swap(&$0, &batch) } }
  }

  /// Sleeps until the receiver has made room.
  ///
  /// The receiver's own thread cannot wait for itself: it delivers what is there, or, when it is already delivering,
  /// goes over the limit.
  private func waitForRoom() {
    if scheduler.isCurrent {
      if incoming.withLock({ $0.gate.goesOverLimit() }) { return }
      empty()
      // The piece of work that was to do this is still in the scheduler's line, and comes for what is sent next.
      return incoming.withLock { $0.gate.pauseDelivery() }
    }
    if incoming.withLock({ $0.gate.sleeps(holding: $0.elements.count) }) { room.wait() }
  }

  private func close() {
    var dropped = RingBuffer<Element>(capacity: 1)
    let sleepers = incoming.withLock { incoming in
      swap(&incoming.elements, &dropped)
      return incoming.gate.close()
    }
    for _ in 0..<sleepers { room.ring() }
  }
}
