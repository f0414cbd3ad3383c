extension Observable {
  /// Emits at most `count` elements each `period`, at an even pace; what comes faster waits.
  ///
  ///     abc---------|
  ///     a--b--c-----|   rateLimit(1, per: .seconds(3), on: clock)
  ///
  /// Time without elements saves up permissions for a burst of up to `burst`. More than `backlog` elements waiting is
  /// a failure.
  /// ```
  /// Observable.from(1...3).rateLimit(2, per: .seconds(1), on: clock)  // 1, 2, 3, |
  /// ```
  public func rateLimit(
    _ count: Int, per period: Duration, burst: Int = 1, on scheduler: any Scheduler, backlog: Int = 65_536
  ) -> Observable {
    Observable { downstream, subscription in
      let bucket = TokenBucket(count, per: period, burst: burst)
      let alarm = Alarm(on: scheduler, in: subscription)
      let observer = RateLimitObserver(downstream, subscription, alarm, bucket, backlog)
      attach(observer, in: observer.upstream)
    }
  }
}

private final class RateLimitObserver<Element: Sendable>: Observer, AlarmOwner {
  private struct State: Sendable {
    var bucket: TokenBucket
    var waiting = Queue<Element>()
    var ended = false
    var over = false
  }

  let upstream: Subscription
  private let downstream: any Observer<Element>
  private let subscription: Subscription
  private let alarm: Alarm
  private let backlog: Int
  private let turn: Turnstile<State>

  init(
    _ downstream: any Observer<Element>, _ subscription: Subscription, _ alarm: Alarm, _ bucket: TokenBucket,
    _ backlog: Int
  ) {
    self.downstream = downstream
    self.subscription = subscription
    self.alarm = alarm
    self.backlog = backlog
    turn = Turnstile(State(bucket: bucket))
    upstream = subscription.child()
  }

  func next(_ value: Element) {
    guard turn.enter() else { return turn.later { [self] in admit(value) } }
    admit(value)
    turn.leave()
  }

  func fail(_ error: any Error) {
    turn.pass { [self] in end(.failed(error)) }
    upstream.dispose()
  }

  func complete() {
    upstream.dispose()
    turn.pass { [self] in
      turn.state.ended = true
      if turn.state.waiting.isEmpty { end(.completed) }
    }
  }

  func ring() {
    turn.pass { [self] in
      while !turn.state.waiting.isEmpty, !subscription.isDisposed, turn.state.bucket.take(at: alarm.now) {
        if let value = turn.state.waiting.popFirst() { downstream.next(value) }
      }
      if subscription.isDisposed { return }
      if !turn.state.waiting.isEmpty { return setAlarm() }
      if turn.state.ended { end(.completed) }
    }
  }

  private func admit(_ value: Element) {
    if turn.state.over { return }
    if turn.state.waiting.isEmpty, turn.state.bucket.take(at: alarm.now) { return downstream.next(value) }
    if turn.state.waiting.count >= backlog {
      return end(.failed(ReactiveError.overflow(what: "the backlog of rateLimit", limit: backlog)))
    }
    turn.state.waiting.append(value)
    if turn.state.waiting.count == 1 { setAlarm() }
  }

  private func setAlarm() {
    alarm.set(at: turn.state.bucket.available(at: alarm.now), for: self)
  }

  private func end(_ terminal: Terminal) {
    if turn.state.over { return }
    turn.state.waiting = Queue()
    turn.state.over = true
    terminal.deliver(to: downstream)
  }
}
