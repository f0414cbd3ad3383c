import Synchronization

/// A mailbox: takes elements from any thread and delivers them on a scheduler, in order, at most `capacity` waiting.
///
/// Senders append under a lock; the receiver takes all there is in one go and is woken once for it, not once an
/// element. The lock is never held while delivering.
final class Mailbox<Element: Sendable>: Observer, Lender {
  private let downstream: any Observer<Element>
  private let subscription: Subscription
  /// The sender's part of the subscription: over as soon as it has sent its terminal.
  private let upstream: Subscription
  private let scheduler: any Scheduler
  private let capacity: Int
  private let overflow: Overflow
  private let counters: MailboxCounters?
  private let gate: Locked<MailboxGate>
  /// Behind the lock of the gate; apart from it, so that the lock's own code knows the type of what it guards.
  private let incoming = Unguarded(RingBuffer<Element>())
  /// The elements that a delivery has taken out; an empty buffer between deliveries, swapped with the full one.
  private let outgoing = Locked(RingBuffer<Element>())
  private let room = Bell()
  /// How many elements have been handed on; written by deliveries alone, which come one at a time.
  private let delivered = Atomic<Int>(0)

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
    upstream = subscription.child(room: nil)
    gate = Locked(MailboxGate(limit: self.capacity))
    let ends = scheduler.lifetime?.child()
    ends?.onDispose { [weak self] in self?.abandon() }
    subscription.onDispose { [weak self] in
      ends?.dispose()
      self?.close()
    }
  }

  /// The scheduler has stopped: nothing is delivered any more, and no sender waits for room.
  private func abandon() {
    if subscription.isDisposed { return }
    upstream.dispose()
    close()
  }

  func attach(to source: Observable<Element>) {
    source.attach(self, in: upstream)
  }

  func next(_ value: Element) {
    while true {
      let answer = overflow == .dropOldest ? displacing(value) : admit(value)
      counters?.count(answer)
      switch answer {
      case .taken, .displace, .refused, .closed: return
      case .wake: return scheduler.perform { [self] in deliver() }
      case .overflow: return fail(ReactiveError.overflow(what: "a mailbox", limit: capacity))
      case .full: waitForRoom()
      }
    }
  }

  private func admit(_ value: Element) -> MailboxGate.Answer {
    gate.withLock { gate in
      let answer = gate.answer(whenHolding: incoming.value.count, overflow)
      if answer.isTaken { incoming.value.append(value) }
      return answer
    }
  }

  /// The oldest element is released outside the lock, since its `deinit` may run any code.
  @inline(never)
  private func displacing(_ value: Element) -> MailboxGate.Answer {
    let (answer, oldest) = gate.withLock { gate -> (MailboxGate.Answer, Element?) in
      var oldest: Element?
      let answer = gate.answer(whenHolding: incoming.value.count, .dropOldest)
      if answer == .displace { _ = incoming.value.popFirst { oldest = $0 } }
      if answer.isTaken { incoming.value.append(value) }
      return (answer, oldest)
    }
    _ = oldest
    return answer
  }

  var takesBatches: Bool { true }

  /// As much at a time as there is room for, under one lock; what finds none goes the way of a single element.
  func next(batch: [Element]) {
    var start = batch.startIndex
    while start < batch.endIndex {
      let (taken, wake) = gate.withLock { gate in
        let answer = gate.answer(whenHolding: incoming.value.count, room: batch.endIndex - start)
        for index in start..<(start + answer.taken) { incoming.value.append(batch[index]) }
        return answer
      }
      counters?.count(accepted: taken)
      start += taken
      if wake { scheduler.perform { [self] in deliver() } }
      if taken > 0 { continue }
      next(batch[start])
      start += 1
    }
  }

  func fail(_ error: any Error) { end(.failed(error)) }

  func complete() { end(.completed) }

  private func end(_ terminal: Termination) {
    if gate.withLock({ $0.end(terminal) }) { scheduler.perform { [self] in deliver() } }
    upstream.dispose()
  }

  /// One delivery: all that is there now.
  ///
  /// What comes meanwhile is a new turn of the scheduler, which so gets to do other work in between.
  private func deliver() {
    empty()
    let rest = gate.withLock { $0.endDelivery(holding: incoming.value.count) }
    if rest.again { scheduler.perform { [self] in deliver() } }
    rest.terminal?.deliver(to: downstream)
  }

  private func empty() {
    var batch = RingBuffer<Element>(capacity: 1)
    outgoing.withLock { swap(&$0, &batch) }
    let waiting = gate.withLock { gate in
      swap(&incoming.value, &batch)
      return gate.beginDelivery()
    }
    waiting.go(by: room)
    while !subscription.isDisposed, batch.popFirst({ downstream.next($0) }) {
      delivered.store(delivered.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }
    if batch.isEmpty { outgoing.withLock { swap(&$0, &batch) } }
  }

  /// Sleeps until the receiver has made room.
  ///
  /// The receiver's own thread cannot wait for itself: it delivers what is there, or, when it is already delivering,
  /// goes over the limit.
  private func waitForRoom() {
    if scheduler.isCurrent {
      if gate.withLock({ $0.goesOverLimit() }) { return }
      empty()
      // The scheduled delivery stays queued, and delivers what is sent next.
      return gate.withLock { $0.pauseDelivery() }
    }
    if let sender = Sender.calling, gate.withLock({ $0.lends() }) { return sender.owe(to: self) }
    if isOnTaskPool { return waitBriefly() }
    if gate.withLock({ $0.sleeps(holding: incoming.value.count) }) { room.wait() }
  }

  /// A task that sleeps, one of the user's, keeps one of the few threads that all tasks share, and the receiver may be
  /// waiting for one: when nothing moves for as long as `MailboxGate.stallLimit`, the stream fails instead of standing still.
  private func waitBriefly() {
    let before = delivered.load(ordering: .relaxed)
    guard gate.withLock({ $0.sleeps(holding: incoming.value.count) }) else { return }
    if room.wait(until: MonotonicClock.now + MailboxGate.stallLimit) { return }
    if delivered.load(ordering: .relaxed) == before { fail(ReactiveError.standstill(limit: capacity)) }
  }

  func whenRoom(_ task: any Pausing) {
    if !gate.withLock({ $0.keeps(task, holding: incoming.value.count) }) { task.goOn() }
  }

  private var isOnTaskPool: Bool { !Platform.isMainThread && withUnsafeCurrentTask { $0 != nil } }

  private func close() {
    var dropped = RingBuffer<Element>(capacity: 1)
    let waiting = gate.withLock { gate in
      swap(&incoming.value, &dropped)
      return gate.close()
    }
    waiting.go(by: room)
  }
}
