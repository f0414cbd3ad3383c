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
  @inlinable
  public func delay(
    for duration: Duration, on scheduler: any Scheduler, backlog: Int = 65_536
  ) -> Observable {
    run(on: scheduler) {
      LineMachine(Lag(duration), bound: backlog, whenFull: .fail("delay"), copy: NoStorage())
    }
  }
}

/// The pace of `delay`: everything leaves a fixed time after it came.
@usableFromInline package struct Lag: Pace {
  @usableFromInline let duration: Duration

  @inlinable package init(_ duration: Duration) { self.duration = duration }

  @inlinable package var isFreeForMarks: Bool { false }
  @inlinable package func due(since: Instant) -> Instant { since + duration }
  @inlinable package func end(at now: Instant) -> Instant { now + duration }
  @inlinable package func pass(at now: Instant) {}
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
