extension Observable {
  /// Gives up when nothing comes for a while: continues with another stream, or fails.
  ///
  ///     a--b-------c-|
  ///     a--b----#        timeout(after: .seconds(5), on: clock)
  /// ```
  /// Observable<Int>.never().timeout(after: .seconds(5), on: clock, else: Observable.just(0))  // 0, |
  /// ```
  @inlinable
  public func timeout(
    after time: Duration, on scheduler: any Scheduler, else fallback: Observable? = nil
  ) -> Observable {
    let error: any Error = fallback == nil ? ReactiveError.timedOut(after: time) : Silent()
    let timely = run(on: scheduler) {
      SilenceMachine(
        limit: time, stored: NoStorage(), counting: { _ in true }, element: { $0 },
        silent: { _ in throw error }, back: { _, _ in nil })
    }
    guard let fallback else { return timely }
    return timely.catch { $0 is Silent ? fallback : .fail($0) }
  }
}

/// An element has not come in time, and another stream follows.
@usableFromInline struct Silent: Error {
  @inlinable init() {}
}
