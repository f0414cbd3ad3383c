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
  @inlinable
  public func rateLimit(
    _ count: Int, per period: Duration, burst: Int = 1, on scheduler: any Scheduler, backlog: Int = 65_536
  ) -> Observable {
    run(on: scheduler) {
      LineMachine(
        Rate(TokenBucket(count, per: period, burst: burst), horizon: NoStorage()), bound: backlog,
        whenFull: .fail("rateLimit"), copy: NoStorage())
    }
  }
}

/// The pace of `rateLimit`: each element needs a token of a bucket, whose horizon is kept for the next run.
@usableFromInline package struct Rate<Horizon: StoredCell<Instant>>: Pace {
  @usableFromInline var bucket: TokenBucket
  @usableFromInline let horizon: Horizon

  @inlinable package init(_ bucket: TokenBucket, horizon: Horizon) {
    (self.bucket, self.horizon) = (bucket, horizon)
  }

  @inlinable package var isFreeForMarks: Bool { true }
  @inlinable package func due(since: Instant) -> Instant { bucket.available(at: since) }
  @inlinable package func end(at now: Instant) -> Instant { now }

  @inlinable package mutating func pass(at now: Instant) {
    _ = bucket.take(at: now)
    horizon.set(bucket.horizon)
  }
}
