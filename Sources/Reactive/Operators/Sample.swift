extension Observable {
  /// Emits the latest element each time another stream emits, if there is a new one.
  ///
  ///     a-b---c-----|
  ///     ---x-x---x-
  ///     ---b-----c--|   sample(ticks)
  /// ```
  /// Observable.interval(.seconds(2), on: clock).sample(Observable.interval(.seconds(5), on: clock)).take(2)  // 1, 3, |
  /// ```
  public func sample<Other: Sendable>(_ trigger: Observable<Other>) -> Observable {
    Observable { [self] downstream, subscription in
      let sampler = Sampler(downstream)
      attach(sampler, in: subscription)
      if !subscription.isDisposed { trigger.feed(subscription) { SignalInput($0, sampler) } }
    }
  }
}

extension Observable {
  /// Emits the latest element at fixed intervals, if there is a new one.
  ///
  ///     a-b------c--|
  ///     -----b----c-|   sample(every: .seconds(5), on: clock)
  ///
  /// The element that waits when the stream completes is emitted then.
  /// ```
  /// Observable.from(1...3).sample(every: .seconds(5), on: clock)  // 3, |
  /// ```
  @inlinable
  public func sample(every interval: Duration, on scheduler: any Scheduler) -> Observable {
    sample(every: interval, on: scheduler, bound: 1) { _ in OneKey() }
  }

  /// Emits the latest element of each key at fixed intervals, if there is a new one.
  ///
  /// At most `bound` keys wait; beyond that, the one that has waited longest is emitted at once.
  /// ```
  /// Observable.from([1, 11, 2]).sample(every: .seconds(5), on: clock) { $0 / 10 }  // 11, 2, |
  /// ```
  @inlinable
  public func sample<Key: Hashable & Sendable>(
    every interval: Duration, on scheduler: any Scheduler, bound: Int = 65_536,
    by key: @escaping @Sendable (Element) throws -> Key
  ) -> Observable {
    run(on: scheduler) {
      SampleMachine(
        state: MemoryState<Key, Element>(), begin: NoStorage(), every: interval, bound: bound, by: key)
    }
  }
}

private final class Sampler<Element: Sendable>: SerializedOutput<Element>, Observer, SignalledOwner,
  @unchecked Sendable
{
  /// Only inside the serializer.
  private let latest = Unguarded<Element>()

  func next(_ value: Element) { turn(self, value) { $0.latest.fill($1) } }

  func signal() {
    turn(self, ()) { own, _ in
      if own.latest.isVacant { return }
      let value = own.latest.value
      own.latest.clear()
      own.send(value)
    }
  }

  func complete() {
    pass { [self] in end(.completed) }
  }
}
