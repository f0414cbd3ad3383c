extension Observable {
  /// Emits what comes within a duration, and completes at its end.
  ///
  ///     a--b--c--d--|
  ///     a--b--c|        take(for: .seconds(7), on: clock)
  /// ```
  /// Observable.interval(.seconds(1), on: clock).take(for: .milliseconds(2500), on: clock)  // 0, 1, |
  /// ```
  public func take(for duration: Duration, on scheduler: any Scheduler) -> Observable {
    take(until: .timer(after: duration, on: scheduler) as Observable<Int>)
  }
}
