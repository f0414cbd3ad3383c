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
      DelayLine(
        downstream, subscription, scheduler, pace: Lag(duration: duration), name: "delay", backlog: backlog
      ).attach(to: self)
    }
  }
}

private struct Lag: Pace {
  let duration: Duration

  func time(forElementAt now: Instant) -> Instant { now + duration }
  func time(forEndAt now: Instant) -> Instant { now + duration }
}

extension Observable {
  /// Subscribes after a delay; nothing is held back then.
  ///
  ///     a--b--|
  ///     --a--b--|   delaySubscription(for: .seconds(2), on: clock)
  /// ```
  /// Observable.from(1...2).delaySubscription(for: .seconds(2), on: clock)  // 1, 2, |
  /// ```
  public func delaySubscription(for duration: Duration, on scheduler: any Scheduler) -> Observable {
    Observable { downstream, subscription in
      let timer = scheduler.schedule(after: duration) {
        withExtendedLifetime(scheduler) {
          if !subscription.isDisposed { self.attach(downstream, in: subscription) }
        }
      }
      subscription.onDispose { timer.dispose() }
    }
  }
}
