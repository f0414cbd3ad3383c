extension Observable {
  /// Throttles a fast stream: the first element, then nothing for a while; with `latest`, the last one of that while
  /// follows at its end.
  ///
  ///     a-b-c-----d-e----|
  ///     a---------d------|   throttle(for: .seconds(5), latest: false, on: clock)
  ///     a----c----d----e-|   throttle(for: .seconds(5), on: clock)
  /// ```
  /// Observable.from(1...3).throttle(for: .seconds(5), latest: false, on: clock)  // 1, |
  /// ```
  @inlinable
  public func throttle(
    for period: Duration, latest: Bool = true, on scheduler: any Scheduler
  ) -> Observable {
    throttle(for: period, latest: latest, on: scheduler, bound: 1) { _ in OneKey() }
  }

  /// Throttles each key of a fast stream.
  ///
  ///     a-b-c-----|
  ///     a-b-------|   throttle(for: .seconds(9), latest: false, on: clock) { $0.key }, where a and c have one key
  ///
  /// At most `bound` keys are throttled at once; beyond that, the one that has been so for longest is let go.
  /// ```
  /// Observable.from([1, 11, 2]).throttle(for: .seconds(5), latest: false, on: clock) { $0 / 10 }  // 1, 11, |
  /// ```
  @inlinable
  public func throttle<Key: Hashable & Sendable>(
    for period: Duration, latest: Bool = true, on scheduler: any Scheduler, bound: Int = 65_536,
    by key: @escaping @Sendable (Element) throws -> Key
  ) -> Observable {
    run(on: scheduler) {
      ThrottleMachine(
        state: MemoryState<Key, OpenPeriod<Element>>(), period: period, latest: latest, bound: bound, by: key)
    }
  }
}
