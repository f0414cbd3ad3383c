extension Observable {
  /// Delivers everything on a scheduler, in order, through a mailbox that holds at most `capacity` elements.
  ///
  ///     a--b--c--|
  ///     a--b--c--|   observe(on: lane), each on the lane
  ///
  /// What a full mailbox does is the `overflow`: make the sender wait, drop the oldest or the newest element, or fail.
  /// A sender that waits is slowed down with all that it serves: `share` upstream makes the other subscribers as slow. The
  /// tasks of `from`, `task` and `map` suspend meanwhile. A task of another kind that has waited for a second without one
  /// delivery fails with `ReactiveError.standstill`, since it holds a thread that the receiver may need. When the scheduler
  /// stops, what is sent is discarded and the source is left.
  ///
  /// `counters` count what went through, was dropped, or had to wait. A failure comes after the elements before it.
  /// ```
  /// Observable.from(1...3).observe(on: clock, capacity: 2, overflow: .dropOldest)  // 2, 3, |
  /// ```
  public func observe(
    on scheduler: any Scheduler, capacity: Int = 1024, overflow: Overflow = .block,
    counters: MailboxCounters? = nil
  ) -> Observable {
    Observable { downstream, subscription in
      let mailbox = Mailbox(
        to: downstream, in: subscription, on: scheduler, capacity: capacity, overflow: overflow,
        counters: counters)
      mailbox.attach(to: self)
    }
  }
}

extension Observable {
  /// Starts the source on a scheduler, so that one that blocks or computes does so there.
  ///
  ///     a--b--|
  ///     a--b--|   subscribe(on: worker), started and emitting on the worker
  ///
  /// What it emits comes from there too; `observe(on:)` brings it elsewhere. The scheduler is held until the source
  /// has started.
  /// ```
  /// Observable.from(1...2).subscribe(on: clock)  // 1, 2, |
  /// ```
  public func subscribe(on scheduler: any Scheduler) -> Observable {
    Observable { downstream, subscription in
      let own = subscription.withoutRoom
      scheduler.perform {
        withExtendedLifetime(scheduler) {
          if !own.isDisposed { self.attach(downstream, in: own) }
        }
      }
    }
  }
}
