extension Observable {
  /// Gathers elements into lists of `count`; the rest comes when the stream completes.
  ///
  ///     a--b--c--|
  ///     ---x-----(y|)   buffer(2)   x = [a, b], y = [c]
  /// ```
  /// Observable.from(1...5).buffer(2)  // [1, 2], [3, 4], [5], |
  /// ```
  @inlinable
  public func buffer(_ count: Int) -> Observable<[Element]> {
    run { BatchMachine(limit: count) }
  }

  /// Gathers elements into lists: each goes out when it holds `count`, or `time` after its first element.
  ///
  ///     a--b--------c-|
  ///     -----x--------(y|)   buffer(9, or: .seconds(5), on: clock)   x = [a, b], y = [c]
  /// ```
  /// Observable.from(1...3).buffer(2, or: .seconds(1), on: clock)  // [1, 2], [3], |
  /// ```
  @inlinable
  public func buffer(_ count: Int, or time: Duration, on scheduler: any Scheduler) -> Observable<
    [Element]
  > {
    run(on: scheduler) { BatchMachine(limit: count, time: time) }
  }
}
