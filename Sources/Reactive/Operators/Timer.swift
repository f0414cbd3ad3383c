extension Observable where Element == Int {
  /// Emits zero after a delay and completes; given a period, counts on instead.
  ///
  ///     ---(0|)        timer(after: .seconds(3), on: clock)
  ///     -0--1--2--3-   timer(after: .seconds(1), every: .seconds(3), on: clock)
  /// ```
  /// Observable.timer(after: .seconds(1), on: clock)  // 0, |
  /// ```
  public static func timer(
    after delay: Duration, every period: Duration? = nil, on scheduler: any Scheduler
  ) -> Observable {
    Observable { observer, subscription in
      let ticker = Ticker(observer, subscription, scheduler, period: period.map { max($0, .nanoseconds(1)) })
      ticker.start(at: scheduler.now + delay)
    }
  }
}

private final class Ticker: DrainLoop, AlarmOwner, @unchecked Sendable {
  private let observer: any Observer<Int>
  private let subscription: Subscription
  private let alarm: Alarm
  private let period: Duration?
  /// Only inside the serializer, as what follows.
  private var count = 0
  private var due = Instant()

  init(
    _ observer: any Observer<Int>, _ subscription: Subscription, _ scheduler: any Scheduler, period: Duration?
  ) {
    self.observer = observer
    self.subscription = subscription
    self.period = period
    alarm = Alarm(on: scheduler, in: subscription)
  }

  func start(at due: Instant) {
    pass { [self] in
      self.due = due
      alarm.set(at: due, for: self)
    }
  }

  func ring() {
    turn(self, ()) { timer, _ in timer.tick() }
  }

  private func tick() {
    if subscription.isDisposed { return }
    observer.next(count)
    if subscription.isDisposed { return }
    guard let period else { return observer.complete() }
    count += 1
    due = nextTick(period)
    alarm.set(at: due, for: self)
  }

  /// The first point of the grid that is not past: ticks stay in step with the first however late one ran.
  private func nextTick(_ period: Duration) -> Instant {
    let next = due + period
    if alarm.now <= next { return next }
    let step = max(1, period.nanoseconds)
    let past = next + .nanoseconds((alarm.now - next).nanoseconds / step * step)
    return past < alarm.now ? past + .nanoseconds(step) : past
  }
}

extension Observable where Element == Int {
  /// Counts from zero, one number each period, without drift; ticks that are past already are skipped.
  ///
  ///     ---0--1--2-   interval(.seconds(3), on: clock)
  /// ```
  /// Observable.interval(.seconds(1), on: clock).take(3)  // 0, 1, 2, |
  /// ```
  public static func interval(_ period: Duration, on scheduler: any Scheduler) -> Observable {
    timer(after: period, every: period, on: scheduler)
  }
}
