import Synchronization

/// A sequence of sources: subscribes to one after another, as `decide` chooses.
///
/// The core of `concat`, `repeat`, `retry` and `catch`. Takes no stack, however many sources end at once.
final class Sequencer<Element: Sendable, State: Sendable>: DrainLoop, @unchecked Sendable {
  enum Step: Sendable {
    case attach(Observable<Element>)
    case wait(Duration, then: Observable<Element>)
    case finish(Termination)
  }

  /// The next source, given how the last one ended (nil at the start) and whether it had emitted anything.
  typealias Decision = @Sendable (_ state: inout State, _ last: Termination?, _ progressed: Bool) -> Step

  private let downstream: any Observer<Element>
  private let subscription: Subscription
  private let scheduler: (any Scheduler)?
  private let decide: Decision
  // Only inside the serializer:
  private var state: State
  /// The end of a source that came while that was being attached.
  private var end: End?

  fileprivate typealias End = (last: Termination, progressed: Bool)

  init(
    _ downstream: any Observer<Element>, _ subscription: Subscription, on scheduler: (any Scheduler)? = nil,
    state: State, decide: @escaping Decision
  ) {
    self.downstream = downstream
    self.subscription = subscription
    self.scheduler = scheduler
    self.decide = decide
    self.state = state
    super.init()
  }

  /// Starts the first source.
  func start() {
    turn(self, ()) { sequencer, _ in sequencer.go(after: nil) }
  }

  /// Goes on after a source: in the loop of the caller inside, if that is the one who attaches it.
  fileprivate func advance(after end: End) {
    if isMine { self.end = end } else { turn(self, end) { $0.go(after: $1) } }
  }

  /// Goes on with what `change` makes of the state.
  fileprivate func advance(_ change: @escaping @Sendable (inout State) -> Void) {
    if isMine {
      change(&state)
      end = (.completed, false)
      return
    }
    turn(self, change) { sequencer, change in
      change(&sequencer.state)
      sequencer.go(after: (.completed, false))
    }
  }

  private func go(after end: End?) {
    var end = end
    while !subscription.isDisposed {
      switch decide(&state, end?.last, end?.progressed ?? false) {
      case .attach(let source):
        let isSent = subscription.room?.isFull != true && source.takeSole { downstream.next($0) }
        end = isSent ? (.completed, true) : attach(source)
      case .wait(let delay, let source): end = attach(source, after: delay)
      case .finish(let terminal): return terminal.deliver(to: downstream)
      }
      if end == nil { return }
    }
  }

  /// Attaches a source; returns its end if that has come already.
  private func attach(_ source: Observable<Element>) -> End? {
    let depth = subscription.depth
    // Now and then, since the system takes its time to say where a stack ends.
    if depth % 16 == 15, Platform.isStackScarce {
      downstream.fail(ReactiveError.overflow(what: "the stack of streams in streams", limit: Int(depth)))
      return nil
    }
    let child = subscription.child(room: subscription.room, isRound: true)
    source.attach(Round(self, child), in: child)
    return end.take()
  }

  private func attach(_ source: Observable<Element>, after delay: Duration) -> End? {
    guard let scheduler else { return attach(source) }
    let child = subscription.child()
    let timer = scheduler.schedule(after: delay) { [self] in
      child.dispose()
      turn(self, source) { sequencer, source in
        if sequencer.subscription.isDisposed { return }
        if let end = sequencer.attach(source) { sequencer.go(after: end) }
      }
    }
    child.onDispose { timer.dispose() }
    return nil
  }

  /// The observer of one source in the sequence.
  final class Round: Observer {
    private let sequencer: Sequencer
    private let child: Subscription
    private let progressed = Atomic<Bool>(false)

    fileprivate init(_ sequencer: Sequencer, _ child: Subscription) {
      self.sequencer = sequencer
      self.child = child
    }

    func next(_ value: Element) {
      if child.isDisposed { return }
      progressed.store(true, ordering: .relaxed)
      sequencer.downstream.next(value)
    }

    func next(batch: [Element]) {
      if child.isDisposed { return }
      progressed.store(true, ordering: .relaxed)
      sequencer.downstream.take(batch, in: child)
    }

    var takesBatches: Bool { sequencer.downstream.takesBatches }

    func fail(_ error: any Error) { end(.failed(error)) }

    func complete() { end(.completed) }

    /// Ends the round in favour of those that `change` puts into the state; false if more depends on it than they.
    ///
    /// A sequence inside a sequence so becomes one, however deep: each takes neither stack nor time of those within it.
    func giveWay(in subscription: Subscription, to change: @escaping @Sendable (inout State) -> Void) -> Bool
    {
      guard subscription === child, child.isBare, child.close() else { return false }
      child.release()
      sequencer.advance(change)
      return true
    }

    private func end(_ terminal: Termination) {
      guard child.close() else { return }
      child.release()
      sequencer.advance(after: (terminal, progressed.load(ordering: .relaxed)))
    }
  }
}
