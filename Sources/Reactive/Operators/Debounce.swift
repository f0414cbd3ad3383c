extension Observable {
  /// Emits an element when nothing has come for a while after it.
  ///
  ///     a-b-c-----d--|
  ///     -------c-----(d|)   debounce(for: .seconds(3), on: clock)
  ///
  /// A stream that never pauses would never be heard: with `maxWait`, the latest element goes out that long after the
  /// first of its row. The element that waits when the stream completes is emitted then.
  /// ```
  /// Observable.from(1...3).debounce(for: .seconds(1), on: clock)  // 3, |
  /// ```
  public func debounce(
    for quiet: Duration, maxWait: Duration? = nil, on scheduler: any Scheduler
  ) -> Observable {
    debounce(for: quiet, maxWait: maxWait, on: scheduler, bound: 1) { _ in OneKey() }
  }
}

private struct OneKey: Hashable, Sendable {}
