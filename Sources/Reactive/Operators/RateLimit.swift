extension Observable {
  /// Emits at most `count` elements each `period`, at an even pace; what comes faster waits.
  ///
  ///     abc---------|
  ///     a--b--c-----|   rateLimit(1, per: .seconds(3), on: clock)
  ///
  /// Time without elements saves up permissions for a burst of up to `burst`. More than `backlog` elements waiting is
  /// a failure; another failure does not wait, and drops what does.
  /// ```
  /// Observable.from(1...3).rateLimit(2, per: .seconds(1), on: clock)  // 1, 2, 3, |
  /// ```
  public func rateLimit(
    _ count: Int, per period: Duration, burst: Int = 1, on scheduler: any Scheduler, backlog: Int = 65_536
  ) -> Observable {
    Observable { downstream, subscription in
      let bucket = TokenBucket(count, per: period, burst: burst)
      DelayLine(
        downstream, subscription, scheduler, pace: bucket, name: "rateLimit", backlog: backlog
      ).attach(to: self)
    }
  }
}

extension TokenBucket: Pace {
  /// An element takes the first permission to be had from now on.
  mutating func time(forElementAt now: Instant) -> Instant {
    let time = available(at: now)
    _ = take(at: time)
    return time
  }

  func time(forEndAt now: Instant) -> Instant { now }
}
