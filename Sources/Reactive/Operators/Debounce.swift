extension Observable {
  /// Emits an element when nothing has come for a while after it.
  ///
  ///     a-b-c-----d--|
  ///     -------c-----(d|)   debounce(for: .seconds(3), on: clock)
  ///
  /// A stream that never pauses would never emit: with `maxWait`, the latest element goes out that long after the
  /// first of its row. The element that waits when the stream completes is emitted then.
  /// ```
  /// Observable.from(1...3).debounce(for: .seconds(1), on: clock)  // 3, |
  /// ```
  @inlinable
  public func debounce(
    for quiet: Duration, maxWait: Duration? = nil, on scheduler: any Scheduler
  ) -> Observable {
    debounce(for: quiet, maxWait: maxWait, on: scheduler, bound: 1) { _ in OneKey() }
  }
}

extension Observable {
  /// Emits the last element of a key when nothing has come for that key for a while.
  ///
  ///     a-b-c----------|
  ///     -------b-c-----|   debounce(for: .seconds(5), on: clock) { $0.key }, where a and c have one key
  ///
  /// At most `bound` keys wait; one more sends out the element of the key that has been quiet longest. With `maxWait`,
  /// a key that is never quiet emits that long after the first element of its row. What waits when the stream
  /// completes is emitted then.
  /// ```
  /// Observable.from([1, 2, 11, 12]).debounce(for: .seconds(1), on: clock) { $0 / 10 }  // 2, 12, |
  /// ```
  @inlinable
  public func debounce<Key: Hashable & Sendable>(
    for quiet: Duration, maxWait: Duration? = nil, on scheduler: any Scheduler, bound: Int = 65_536,
    by key: @escaping @Sendable (Element) throws -> Key
  ) -> Observable {
    run(on: scheduler) {
      DebounceMachine(
        state: MemoryState<Key, Pending<Element>>(), quiet: quiet, maxWait: maxWait, bound: bound, by: key)
    }
  }
}

/// The key of one: a table of it hashes nothing.
extension OneKey {
  @inlinable func hash(into hasher: inout Hasher) {}
  @inlinable func _rawHashValue(seed: Int) -> Int { 0 }
}
