extension Observable {
  /// Gives up when nothing comes for a while: continues with another stream, or fails.
  ///
  ///     a--b-------c-|
  ///     a--b----#        timeout(after: .seconds(5), on: clock)
  /// ```
  /// Observable<Int>.never().timeout(after: .seconds(5), on: clock, else: Observable.just(0))  // 0, |
  /// ```
  public func timeout(
    after patience: Duration, on scheduler: any Scheduler, else fallback: Observable? = nil
  ) -> Observable {
    Observable { [self] downstream, subscription in
      let waiting = subscription.child()
      let alarm = Alarm(on: scheduler, in: waiting)
      let watch = Watch(SerializedOutlet(downstream), subscription, waiting, alarm, patience, fallback)
      watch.start()
      attach(watch, in: waiting)
    }
  }
}

private final class Watch<Element: Sendable>: Observer, AlarmOwner {
  private let outlet: SerializedOutlet<Element>
  private let subscription: Subscription
  /// The subscription to the source, until the timeout.
  private let waiting: Subscription
  private let alarm: Alarm
  private let patience: Duration
  private let fallback: Observable<Element>?

  init(
    _ outlet: SerializedOutlet<Element>, _ subscription: Subscription, _ waiting: Subscription,
    _ alarm: Alarm,
    _ patience: Duration, _ fallback: Observable<Element>?
  ) {
    self.outlet = outlet
    self.subscription = subscription
    self.waiting = waiting
    self.alarm = alarm
    self.patience = patience
    self.fallback = fallback
  }

  func start() {
    alarm.set(at: alarm.now + patience, for: self)
  }

  func next(_ value: Element) {
    if waiting.isDisposed { return }
    start()
    outlet.next(value)
  }

  func fail(_ error: any Error) {
    guard waiting.close() else { return }
    waiting.release()
    outlet.fail(error)
  }

  func complete() {
    guard waiting.close() else { return }
    waiting.release()
    outlet.complete()
  }

  func ring() {
    guard waiting.close() else { return }
    waiting.release()
    guard let fallback else { return outlet.fail(ReactiveError.timedOut(after: patience)) }
    fallback.feed(
      subscription, next: { [outlet] in outlet.next($0) }, fail: { [outlet] in outlet.fail($0) },
      complete: { [outlet] in outlet.complete() })
  }
}
