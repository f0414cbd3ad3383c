import Synchronization

/// A mailbox that a task empties one element at a time: the same admission as that of `observe(on:)`, without a scheduler.
final class PullMailbox<Element: Sendable>: Lender {
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
  private let bell = Bell()
  /// The room for which sources that can pause wait, if they are to wait at all.
  private let room: Room?
  private let takenCount = Atomic<Int>(0)
  /// The thread on which the loop is subscribing, or asks for more: what is sent there cannot wait for the loop.
  private let asking = Atomic<UInt>(0)
  /// How many elements are kept of that.
  private static var askingLimit: Int { 65_536 }

  init(capacity: Int, overflow: Overflow, counters: MailboxCounters?) {
    self.capacity = max(1, capacity)
    self.overflow = overflow
    self.counters = counters
    state = Locked(State(gate: MailboxGate(limit: self.capacity)))
    room = overflow == .block ? Room(self.capacity) : nil
    upstream = subscription.child(room: room)
    subscription.onDispose { [weak self] in self?.close() }
  }

  func attach(to source: Observable<Element>) {
    _ = asked {
      source.attach(Intake(self), in: upstream)
      return true
    }
  }

  private func asked(_ work: () -> Bool) -> Bool {
    asking.store(Platform.thread, ordering: .relaxed)
    defer { asking.store(0, ordering: .relaxed) }
    return work()
  }

  /// The next element; nil at the end, and in a task that is cancelled.
  func next(isolation: isolated (any Actor)?) async throws -> Element? {
    try await withTaskCancellationHandler {
      while true {
        switch take() {
        case .element(let value): return value
        case .failure(let error): throw error
        case .completion: return nil
        case .nothing:
          if let room, asked({ room.serve() }) { continue }
          await waitForElement(isolation: isolation)
        }
      }
    } onCancel: {
      subscription.dispose()
    }
  }

  private func take() -> Answer {
    let (answer, senders) = state.withLock { state -> (Answer, MailboxGate.Waiting?) in
      var answer = Answer.nothing
      if waiting.value.popFirst({ answer = .element($0) }) {
        return (answer, state.gate.beginDelivery(leaving: waiting.value.count))
      }
      if state.gate.isClosed { return (.completion, nil) }
      switch state.gate.endDelivery(holding: 0).terminal {
      case .failed(let error): return (.failure(error), nil)
      case .completed: return (.completion, nil)
      case nil: return (.nothing, nil)
      }
    }
    if let senders {
      let taken = takenCount.add(1, ordering: .relaxed).newValue
      room?.vacate()
      // Now and then also those that pause come before those that block.
      if let room, taken.isMultiple(of: 64) { _ = asked { room.serve() } }
      senders.go(by: bell)
    }
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
    if admission.0.isTaken { room?.occupy() }
    _ = oldest
    return admission
  }

  /// Waits until an element has been taken.
  ///
  /// A task of this module puts its element in and is suspended afterwards; another
  /// one sleeps for as long as `MailboxGate.stallLimit`, because it holds a thread that the receiver may need.
  private func waitForRoom() {
    if asking.load(ordering: .relaxed) == Platform.thread {
      if state.withLock({ $0.gate.widen(to: Self.askingLimit) }) { return }
      let limit = max(capacity, Self.askingLimit)
      return end(
        .failed(ReactiveError.overflow(what: "what `values` keeps while it subscribes", limit: limit)))
    }
    if let sender = Sender.calling, state.withLock({ $0.gate.lends() }) { return sender.owe(to: self) }
    let before = takenCount.load(ordering: .relaxed)
    guard state.withLock({ $0.gate.sleeps(holding: waiting.value.count) }) else { return }
    let isTask = withUnsafeCurrentTask { $0 != nil }
    if bell.wait(until: isTask ? MonotonicClock.now + MailboxGate.stallLimit : nil) { return }
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
    let (receiver, senders) = state.withLock { state in
      swap(&waiting.value, &dropped)
      return (state.takeReceiver(), state.gate.close())
    }
    receiver?.resume()
    senders.go(by: bell)
    room?.close()
  }

  func whenRoom(_ task: any Pausing) {
    if !state.withLock({ $0.gate.keeps(task, holding: waiting.value.count) }) { task.goOn() }
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
