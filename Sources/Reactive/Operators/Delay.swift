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
