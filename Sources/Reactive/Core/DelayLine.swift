/// The pace of a delay line: when an element may leave it.
protocol Pace: Sendable {
  /// When an element that comes now may leave; never before the one ahead of it.
  mutating func time(forElementAt now: Instant) -> Instant

  /// When a completion that comes now may leave, at the earliest.
  func time(forEndAt now: Instant) -> Instant
}

/// A delay line: holds each element until its time has come; the core of `delay` and `rateLimit`.
///
/// A failure does not wait, and drops what does.
final class DelayLine<Element: Sendable, Rule: Pace>: Observer, AlarmOwner {
  private struct State: Sendable {
    var pace: Rule
    var waiting = DelayMachine<Element>()
    var end: Instant?
    var over = false
  }

  private let downstream: any Observer<Element>
  private let subscription: Subscription
  /// The source's part of the subscription, which ends before what waits has gone.
  private let upstream: Subscription
  private let alarm: Alarm
  private let name: String
  private let backlog: Int
  private let turn: Serializer<State>

  init(
    _ downstream: any Observer<Element>, _ subscription: Subscription, _ scheduler: any Scheduler, pace: Rule,
    name: String, backlog: Int
  ) {
    self.downstream = downstream
    self.subscription = subscription
    self.name = name
    self.backlog = backlog
    upstream = subscription.child()
    alarm = Alarm(on: scheduler, in: subscription)
    turn = Serializer(State(pace: pace))
  }

  func attach(to source: Observable<Element>) {
    source.attach(self, in: upstream)
  }

  func next(_ value: Element) {
    guard turn.enter() else { return turn.later { [self] in accept(value) } }
    accept(value)
    turn.leave()
  }

  func fail(_ error: any Error) {
    turn.pass { [self] in end(.failed(error)) }
    upstream.dispose()
  }

  func complete() {
    upstream.dispose()
    turn.pass { [self] in
      turn.state.end = turn.state.pace.time(forEndAt: alarm.now)
      goOn()
    }
  }

  func ring() {
    turn.pass { [self] in goOn() }
  }

  private func accept(_ value: Element) {
    if turn.state.over { return }
    let now = alarm.now
    let due = turn.state.pace.time(forElementAt: now)
    if due <= now, turn.state.waiting.count == 0 { return downstream.next(value) }
    if turn.state.waiting.count >= backlog {
      return end(.failed(ReactiveError.overflow(what: "the backlog of \(name)", limit: backlog)))
    }
    turn.state.waiting.accept(value, due: due)
    if turn.state.waiting.count == 1 { alarm.set(at: due, for: self) }
  }

  /// Emits what is due, and sets the alarm for the rest.
  private func goOn() {
    while !subscription.isDisposed, let value = turn.state.waiting.due(at: alarm.now) {
      downstream.next(value)
    }
    if turn.state.over || subscription.isDisposed { return }
    if let next = turn.state.waiting.nextDeadline { return alarm.set(at: next, for: self) }
    guard let end = turn.state.end else { return }
    if end <= alarm.now { self.end(.completed) } else { alarm.set(at: end, for: self) }
  }

  private func end(_ terminal: Termination) {
    if turn.state.over { return }
    turn.state.waiting = DelayMachine()
    turn.state.over = true
    terminal.deliver(to: downstream)
  }
}
