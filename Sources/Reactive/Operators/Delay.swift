extension Observable {
  /// Emits everything later by a duration; a failure is not delayed, and overtakes what waits.
  ///
  ///     a--b--|
  ///     --a--b--|   delay(for: .seconds(2), on: clock)
  ///
  /// More than `backlog` elements waiting is a failure.
  /// ```
  /// Observable.from(1...2).delay(for: .seconds(2), on: clock)  // 1, 2, |
  /// ```
  public func delay(
    for duration: Duration, on scheduler: any Scheduler, backlog: Int = 65_536
  ) -> Observable {
    Observable { downstream, subscription in
      let alarm = Alarm(on: scheduler, in: subscription)
      let observer = DelayObserver(downstream, subscription, alarm, duration, backlog)
      attach(observer, in: observer.upstream)
    }
  }
}

private final class DelayObserver<Element: Sendable>: Observer, AlarmOwner {
  private struct State: Sendable {
    var waiting = Queue<(due: Instant, value: Element)>()
    var end: Instant?
    var over = false
  }

  let upstream: Subscription
  private let downstream: any Observer<Element>
  private let subscription: Subscription
  private let alarm: Alarm
  private let duration: Duration
  private let backlog: Int
  private let turn = Turnstile(State())

  init(
    _ downstream: any Observer<Element>, _ subscription: Subscription, _ alarm: Alarm, _ duration: Duration,
    _ backlog: Int
  ) {
    self.downstream = downstream
    self.subscription = subscription
    self.alarm = alarm
    self.duration = duration
    self.backlog = backlog
    upstream = subscription.child()
  }

  func next(_ value: Element) {
    guard turn.enter() else { return turn.later { [self] in hold(value) } }
    hold(value)
    turn.leave()
  }

  func fail(_ error: any Error) {
    turn.pass { [self] in end(.failed(error)) }
    upstream.dispose()
  }

  func complete() {
    upstream.dispose()
    turn.pass { [self] in
      turn.state.end = alarm.now + duration
      setAlarm()
    }
  }

  func ring() {
    turn.pass { [self] in
      while let first = turn.state.waiting.first, first.due <= alarm.now, !subscription.isDisposed {
        _ = turn.state.waiting.popFirst()
        downstream.next(first.value)
      }
      if subscription.isDisposed { return }
      if let end = turn.state.end, end <= alarm.now { return self.end(.completed) }
      setAlarm()
    }
  }

  private func hold(_ value: Element) {
    if turn.state.over { return }
    if turn.state.waiting.count >= backlog {
      return end(.failed(ReactiveError.overflow(what: "the backlog of delay", limit: backlog)))
    }
    turn.state.waiting.append((alarm.now + duration, value))
    if turn.state.waiting.count == 1 { setAlarm() }
  }

  private func setAlarm() {
    if let due = turn.state.waiting.first?.due ?? turn.state.end { alarm.set(at: due, for: self) }
  }

  private func end(_ terminal: Terminal) {
    if turn.state.over { return }
    turn.state = State(over: true)
    terminal.deliver(to: downstream)
  }
}
