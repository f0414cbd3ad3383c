extension Observable {
  /// Gathers elements into lists of `count`; the rest comes when the stream completes.
  ///
  ///     a--b--c--|
  ///     ---x-----(y|)   buffer(2)   x = [a, b], y = [c]
  /// ```
  /// Observable.from(1...5).buffer(2)  // [1, 2], [3, 4], [5], |
  /// ```
  public func buffer(_ count: Int) -> Observable<[Element]> {
    Observable<[Element]> { downstream, subscription in
      attach(BufferObserver(downstream, subscription, BatchMachine(limit: count), nil), in: subscription)
    }
  }

  /// Gathers elements into lists: each goes out when it holds `count`, or `time` after its first element.
  ///
  ///     a--b--------c-|
  ///     -----x--------(y|)   buffer(9, or: .seconds(5), on: clock)   x = [a, b], y = [c]
  /// ```
  /// Observable.from(1...3).buffer(2, or: .seconds(1), on: clock)  // [1, 2], [3], |
  /// ```
  public func buffer(_ count: Int, or time: Duration, on scheduler: any Scheduler) -> Observable<[Element]> {
    Observable<[Element]> { downstream, subscription in
      let alarm = Alarm(on: scheduler, in: subscription)
      attach(
        BufferObserver(downstream, subscription, BatchMachine(limit: count, time: time), alarm),
        in: subscription)
    }
  }
}

private final class BufferObserver<Element: Sendable>: HoldingStage, AlarmOwner {
  let downstream: any Observer<[Element]>
  let subscription: Subscription
  private let alarm: Alarm?
  let turn: Serializer<BatchMachine<Element>>

  init(
    _ downstream: any Observer<[Element]>, _ subscription: Subscription, _ machine: BatchMachine<Element>,
    _ alarm: Alarm?
  ) {
    self.downstream = downstream
    self.subscription = subscription
    self.alarm = alarm
    turn = Serializer(machine)
  }

  func close(_ termination: Termination) {
    if let list = turn.state.flush(), case .completed = termination { downstream.next(list) }
  }

  func ring() {
    turn.pass { [self] in
      if let alarm, let list = turn.state.due(at: alarm.now) { downstream.next(list) }
    }
  }

  func accept(_ value: Element) {
    if let list = turn.state.accept(value, at: alarm?.now ?? Instant()) {
      alarm?.clear()
      downstream.next(list)
    } else if let alarm, turn.state.elements.count == 1, let deadline = turn.state.nextDeadline {
      alarm.set(at: deadline, for: self)
    }
  }
}
