extension Observable {
  /// Starts the source on a scheduler, so that one that blocks or computes does so there.
  ///
  ///     a--b--|
  ///     a--b--|   subscribe(on: worker), started and emitting on the worker
  ///
  /// What it emits comes from there too; `observe(on:)` brings it elsewhere.
  /// ```
  /// Observable.from(1...2).subscribe(on: clock)  // 1, 2, |
  /// ```
  public func subscribe(on scheduler: any Scheduler) -> Observable {
    Observable { downstream, subscription in
      scheduler.perform {
        if !subscription.isDisposed { attach(downstream, in: subscription) }
      }
    }
  }
}
