import Synchronization

/// A sequence of sources: subscribes to one after another, as `decide` chooses.
///
/// The core of `concat`, `repeat`, `retry` and `catch`. Takes no stack, however many sources end at once.
final class Sequencer<Element: Sendable, State: Sendable>: Sendable {
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
  private let serializer: Serializer<State>

  init(
    _ downstream: any Observer<Element>, _ subscription: Subscription, on scheduler: (any Scheduler)? = nil,
    state: State, decide: @escaping Decision
  ) {
    self.downstream = downstream
    self.subscription = subscription
    self.scheduler = scheduler
    self.decide = decide
    serializer = Serializer(state)
  }

  /// Starts the first source, or the next after one has ended.
  func advance(after last: Termination? = nil, progressed: Bool = false) {
    serializer.turn(self, (last, progressed)) { $0.go(on: $1.0, $1.1) }
  }

  /// Goes on with what `change` makes of the state.
  private func advance(_ change: @escaping @Sendable (inout State) -> Void) {
    serializer.pass { [self] in
      change(&serializer.state)
      go(on: .completed, false)
    }
  }

  private func go(on last: Termination?, _ progressed: Bool) {
    var (last, progressed) = (last, progressed)
    while !subscription.isDisposed {
      switch decide(&serializer.state, last, progressed) {
      case .attach(let source):
        guard source.takeSole({ downstream.next($0) }) else { return attach(source) }
        (last, progressed) = (.completed, true)
      case .wait(let delay, let source): return attach(source, after: delay)
      case .finish(let terminal): return terminal.deliver(to: downstream)
      }
    }
  }

  private func attach(_ source: Observable<Element>) {
    let child = subscription.child(room: subscription.room, isRound: true)
    source.attach(Round(self, child), in: child)
  }

  private func attach(_ source: Observable<Element>, after delay: Duration) {
    guard let scheduler else { return attach(source) }
    let child = subscription.child()
    let timer = scheduler.schedule(after: delay) { [self] in
      child.dispose()
      serializer.pass { [self] in
        if !subscription.isDisposed { attach(source) }
      }
    }
    child.onDispose { timer.dispose() }
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
      sequencer.advance(after: terminal, progressed: progressed.load(ordering: .relaxed))
    }
  }
}
