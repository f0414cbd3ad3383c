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
  public func throttle(
    for period: Duration, latest: Bool = true, on scheduler: any Scheduler
  ) -> Observable {
    Observable { downstream, subscription in
      let machine = ThrottleMachine<Element>(period: period, latest: latest)
      let alarm = Alarm(on: scheduler, in: subscription)
      attach(ThrottleObserver(downstream, subscription, machine, alarm), in: subscription)
    }
  }
}

private final class ThrottleObserver<Element: Sendable>: HoldingStage, AlarmOwner {
  let downstream: any Observer<Element>
  let subscription: Subscription
  private let alarm: Alarm
  let turn: Serializer<ThrottleMachine<Element>>

  init(
    _ downstream: any Observer<Element>, _ subscription: Subscription, _ machine: ThrottleMachine<Element>,
    _ alarm: Alarm
  ) {
    self.downstream = downstream
    self.subscription = subscription
    self.alarm = alarm
    turn = Serializer(machine)
  }

  func close(_ termination: Termination) {
    if let value = turn.state.flush(), case .completed = termination { downstream.next(value) }
  }

  func ring() {
    turn.pass { [self] in
      if let value = turn.state.due(at: alarm.now) { downstream.next(value) }
    }
  }

  func accept(_ value: Element) {
    // What is due goes first, though its alarm may be late.
    if let due = turn.state.due(at: alarm.now) { downstream.next(due) }
    if turn.state.accept(value, at: alarm.now) { return downstream.next(value) }
    if let deadline = turn.state.nextDeadline { alarm.set(at: deadline, for: self) }
  }
}
