extension Observable where Element == Int {
  /// Counts from zero, one number each period, without drift; a tick that nobody had time for is left out.
  ///
  ///     ---0--1--2-   interval(.seconds(3), on: clock)
  /// ```
  /// Observable.interval(.seconds(1), on: clock).take(3)  // 0, 1, 2, |
  /// ```
  public static func interval(_ period: Duration, on scheduler: any Scheduler) -> Observable {
    timer(after: period, every: period, on: scheduler)
  }
}
