extension Observable {
  /// Emits the last element of a key when nothing has come for that key for a while.
  ///
  ///     a-b-c----------|
  ///     -------b-c-----|   debounce(for: .seconds(5), on: clock) { $0.key }, where a and c have one key
  ///
  /// At most `bound` keys wait; one more sends out the element of the key that has been quiet longest. With `maxWait`,
  /// a key that is never quiet is heard that long after the first element of its row. What waits when the stream
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

private final class DebounceObserver<Element: Sendable, Key: Hashable & Sendable>: Stage, AlarmOwner {
  typealias Machine = DebounceMachine<MemoryState<Key, Pending<Element>>, Element>

  let downstream: any Observer<Element>
  private let subscription: Subscription
  private let alarm: Alarm
  private let key: @Sendable (Element) throws -> Key
  private let turn: Turnstile<Machine>

  init(
    _ downstream: any Observer<Element>, _ subscription: Subscription, _ machine: Machine, _ alarm: Alarm,
    _ key: @escaping @Sendable (Element) throws -> Key
  ) {
    self.downstream = downstream
    self.subscription = subscription
    self.alarm = alarm
    self.key = key
    turn = Turnstile(machine)
  }

  func next(_ value: Element) {
    guard turn.enter() else { return turn.later { [self] in accept(value) } }
    accept(value)
    turn.leave()
  }

  func fail(_ error: any Error) {
    turn.pass { [self] in
      _ = turn.state.flush()
      downstream.fail(error)
    }
  }

  func complete() {
    turn.pass { [self] in
      for value in turn.state.flush() where !subscription.isDisposed { downstream.next(value) }
      if !subscription.isDisposed { downstream.complete() }
    }
  }

  func ring() {
    turn.pass { [self] in
      while !subscription.isDisposed, let value = turn.state.due(at: alarm.now) { downstream.next(value) }
      setAlarm()
    }
  }

  private func accept(_ value: Element) {
    let key: Key
    do { key = try self.key(value) } catch { return downstream.fail(error) }
    if let squeezed = turn.state.accept(value, for: key, at: alarm.now) { downstream.next(squeezed) }
    setAlarm()
  }

  private func setAlarm() {
    if let deadline = turn.state.nextDeadline { alarm.set(at: deadline, for: self) }
  }
}
