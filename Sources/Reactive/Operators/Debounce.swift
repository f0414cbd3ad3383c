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
  public func debounce(
    for quiet: Duration, maxWait: Duration? = nil, on scheduler: any Scheduler
  ) -> Observable {
    debounce(for: quiet, maxWait: maxWait, on: scheduler, bound: 1) { _ in OneKey() }
  }
}

private struct OneKey: Hashable, Sendable {}

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
  public func debounce<Key: Hashable & Sendable>(
    for quiet: Duration, maxWait: Duration? = nil, on scheduler: any Scheduler, bound: Int = 65_536,
    by key: @escaping @Sendable (Element) throws -> Key
  ) -> Observable {
    Observable { downstream, subscription in
      let machine = DebounceMachine(
        state: MemoryState<Key, Pending<Element>>(), quiet: quiet, maxWait: maxWait, bound: bound)
      let alarm = Alarm(on: scheduler, in: subscription)
      attach(DebounceObserver(downstream, subscription, machine, alarm, key), in: subscription)
    }
  }
}

private final class DebounceObserver<Element: Sendable, Key: Hashable & Sendable>: HoldingStage, AlarmOwner {
  typealias Machine = DebounceMachine<MemoryState<Key, Pending<Element>>, Element>

  let downstream: any Observer<Element>
  let subscription: Subscription
  private let alarm: Alarm
  private let key: @Sendable (Element) throws -> Key
  let turn: Serializer<Machine>

  init(
    _ downstream: any Observer<Element>, _ subscription: Subscription, _ machine: Machine, _ alarm: Alarm,
    _ key: @escaping @Sendable (Element) throws -> Key
  ) {
    self.downstream = downstream
    self.subscription = subscription
    self.alarm = alarm
    self.key = key
    turn = Serializer(machine)
  }

  func close(_ termination: Termination) {
    let waiting = turn.state.flush()
    guard case .completed = termination else { return }
    for value in waiting where !subscription.isDisposed { downstream.next(value) }
  }

  func ring() {
    turn.pass { [self] in
      while !subscription.isDisposed, let value = turn.state.due(at: alarm.now) { downstream.next(value) }
      setAlarm()
    }
  }

  func accept(_ value: Element) {
    let key: Key
    do { key = try self.key(value) } catch { return downstream.fail(error) }
    if let squeezed = turn.state.accept(value, for: key, at: alarm.now) { downstream.next(squeezed) }
    setAlarm()
  }

  private func setAlarm() {
    if let deadline = turn.state.nextDeadline { alarm.set(at: deadline, for: self) }
  }
}
