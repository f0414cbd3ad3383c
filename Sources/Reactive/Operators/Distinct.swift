extension Observable {
  /// Passes on the first element of each key and drops repeats.
  ///
  ///     a-b-a-c-b--|
  ///     a-b---c----|   distinct { $0 }
  ///
  /// At most `bound` keys are remembered (the one seen longest ago is forgotten first), and, given a `lifetime`, a key
  /// only until it has not been seen for that long. Without one, a
  /// repeat is not noted while no more than half of `bound` keys are remembered.
  /// ```
  /// Observable.from([1, 2, 1, 3, 2]).distinct { $0 }  // 1, 2, 3, |
  /// ```
  @inlinable
  public func distinct<Key: Hashable & Sendable>(
    bound: Int = 1_000_000, _ key: @escaping @Sendable (Element) throws -> Key
  ) -> Observable {
    run { DistinctMachine(state: MemoryState<Key, Instant>(), bound: bound, by: key) }
  }

  /// Passes on the first element of each key, and the next one after the key was not seen for `lifetime`.
  ///
  /// ```
  /// Observable.from([1, 1]).distinct(lifetime: .seconds(60), on: clock) { $0 }  // 1, |
  /// ```
  @inlinable
  public func distinct<Key: Hashable & Sendable>(
    bound: Int = 1_000_000, lifetime: Duration, on scheduler: any Scheduler,
    _ key: @escaping @Sendable (Element) throws -> Key
  ) -> Observable {
    run(on: scheduler) {
      DistinctMachine(state: MemoryState<Key, Instant>(), bound: bound, lifetime: lifetime, by: key)
    }
  }
}
