import Synchronization

/// A mailbox that a task empties one element at a time: the same admission as that of `observe(on:)`, without a scheduler.
final class PullMailbox<Element: Sendable>: Sendable {
  private struct State: Sendable {
    var gate: MailboxGate
    /// The task that waits for an element.
    var receiver: CheckedContinuation<Void, Never>?

    mutating func takeReceiver() -> CheckedContinuation<Void, Never>? {
      defer { receiver = nil }
      return receiver
    }
  }

  private enum Answer {
    case element(Element)
    case failure(any Error)
    case completion
    case nothing
  }

  /// The subscription that the loop disposes, by its end or its task's.
  let subscription = Subscription()
  /// The sender's part of it: over as soon as it has sent its terminal.
  private let upstream: Subscription
  private let capacity: Int
  private let overflow: Overflow
  private let counters: MailboxCounters?
  private let state: Locked<State>
  /// Behind the lock of the state; apart from it, so that the lock's own code knows the type of what it guards.
  private let waiting = Unguarded(RingBuffer<Element>())
  private let room = Bell()
  private let takenCount = Atomic<Int>(0)
  /// The thread on which the loop is subscribing.
  private let attaching = Atomic<UInt>(0)
  /// How many elements are kept of what the source sends meanwhile.
  private static var attachingLimit: Int { 65_536 }

  init(capacity: Int, overflow: Overflow, counters: MailboxCounters?) {
    self.capacity = max(1, capacity)
    self.overflow = overflow
    self.counters = counters
    state = Locked(State(gate: MailboxGate(limit: self.capacity)))
    upstream = subscription.child()
    subscription.onDispose { [weak self] in self?.close() }
  }

  func attach(to source: Observable<Element>) {
    attaching.store(Platform.thread, ordering: .relaxed)
    source.attach(Intake(self), in: upstream)
    attaching.store(0, ordering: .relaxed)
  }

  /// The next element; nil at the end, and in a task that is cancelled.
  func next(isolation: isolated (any Actor)?) async throws -> Element? {
    try await withTaskCancellationHandler {
      while true {
        switch take() {
        case .element(let value): return value
        case .failure(let error): throw error
        case .completion: return nil
        case .nothing: await waitForElement(isolation: isolation)
        }
      }
    } onCancel: {
      subscription.dispose()
    }
  }

  private func take() -> Answer {
    let (answer, sleepers) = state.withLock { state -> (Answer, Int) in
      var answer = Answer.nothing
      if waiting.value.popFirst({ answer = .element($0) }) { return (answer, state.gate.beginDelivery()) }
      if state.gate.isClosed { return (.completion, 0) }
      switch state.gate.endDelivery(holding: 0).terminal {
      case .failed(let error): return (.failure(error), 0)
      case .completed: return (.completion, 0)
      case nil: return (.nothing, 0)
      }
    }
    if case .element = answer { takenCount.add(1, ordering: .relaxed) }
    for _ in 0..<sleepers { room.ring() }
    return answer
  }

  private func waitForElement(isolation: isolated (any Actor)?) async {
    await withCheckedContinuation { continuation in
      let waits = state.withLock { state in
        if state.gate.isScheduled || state.gate.isClosed { return false }
        state.receiver = continuation
        return true
      }
      if !waits { continuation.resume() }
    }
  }

  fileprivate func admit(_ value: Element) {
    while true {
      let (answer, receiver) = tryToAdmit(value)
      counters?.count(answer)
      switch answer {
      case .taken, .displace, .refused, .closed: return
      case .wake: return receiver?.resume() ?? ()
      case .overflow: return end(.failed(ReactiveError.overflow(what: "a mailbox", limit: capacity)))
      case .full: waitForRoom()
      }
    }
  }

  private func tryToAdmit(_ value: Element) -> (MailboxGate.Answer, CheckedContinuation<Void, Never>?) {
    var oldest: Element?  // released outside the lock: its deinit may run any code
    let admission = state.withLock { state -> (MailboxGate.Answer, CheckedContinuation<Void, Never>?) in
      let answer = state.gate.answer(whenHolding: waiting.value.count, overflow)
      if answer == .displace { _ = waiting.value.popFirst { oldest = $0 } }
      if answer.isTaken { waiting.value.append(value) }
      return (answer, answer == .wake ? state.takeReceiver() : nil)
    }
    _ = oldest
    return admission
  }

  /// Sleeps until an element has been taken; a task that sends does so for as long as `MailboxGate.stallLimit`, because it
  /// holds a thread that the receiver may need.
  private func waitForRoom() {
    if attaching.load(ordering: .relaxed) == Platform.thread {
      if state.withLock({ $0.gate.widen(to: Self.attachingLimit) }) { return }
      let limit = max(capacity, Self.attachingLimit)
      return end(
        .failed(ReactiveError.overflow(what: "what `values` keeps while it subscribes", limit: limit)))
    }
    let before = takenCount.load(ordering: .relaxed)
    guard state.withLock({ $0.gate.sleeps(holding: waiting.value.count) }) else { return }
    let isTask = withUnsafeCurrentTask { $0 != nil }
    if room.wait(until: isTask ? MonotonicClock.now + MailboxGate.stallLimit : nil) { return }
    if takenCount.load(ordering: .relaxed) == before {
      end(.failed(ReactiveError.standstill(limit: capacity)))
    }
  }

  fileprivate func end(_ terminal: Termination) {
    let receiver = state.withLock { $0.gate.end(terminal) ? $0.takeReceiver() : nil }
    receiver?.resume()
    upstream.dispose()
  }

  private func close() {
    var dropped = RingBuffer<Element>(capacity: 1)
    let (receiver, sleepers) = state.withLock { state in
      swap(&waiting.value, &dropped)
      return (state.takeReceiver(), state.gate.close())
    }
    receiver?.resume()
    for _ in 0..<sleepers { room.ring() }
  }

  /// The sender's side; a source that is released without an end completes the loop, for nothing can come any more.
  private final class Intake: Observer {
    private let mailbox: PullMailbox

    init(_ mailbox: PullMailbox) {
      self.mailbox = mailbox
    }

    deinit {
      mailbox.end(.completed)
    }

    func next(_ value: Element) { mailbox.admit(value) }
    func fail(_ error: any Error) { mailbox.end(.failed(error)) }
    func complete() { mailbox.end(.completed) }
  }
}
