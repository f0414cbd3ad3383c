extension Observable {
  /// Leaves out what comes within a duration.
  ///
  ///     a--b--c--d--|
  ///     ------c--d--|   skip(for: .seconds(5), on: clock)
  /// ```
  /// Observable.interval(.seconds(1), on: clock).skip(for: .milliseconds(1500), on: clock).take(2)  // 1, 2, |
  /// ```
  public func skip(for duration: Duration, on scheduler: any Scheduler) -> Observable {
    skip(until: .timer(after: duration, on: scheduler) as Observable<Int>)
  }
}
