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
      attach(BufferObserver(downstream, subscription, count, nil, nil), in: subscription)
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
      attach(BufferObserver(downstream, subscription, count, time, alarm), in: subscription)
    }
  }
}

private final class BufferObserver<Element: Sendable>: Stage, AlarmOwner {
  let downstream: any Observer<[Element]>
  private let subscription: Subscription
  private let count: Int
  private let time: Duration?
  private let alarm: Alarm?
  private let turn = Turnstile<[Element]>([])

  init(
    _ downstream: any Observer<[Element]>, _ subscription: Subscription, _ count: Int, _ time: Duration?,
    _ alarm: Alarm?
  ) {
    self.downstream = downstream
    self.subscription = subscription
    self.count = max(1, count)
    self.time = time
    self.alarm = alarm
  }

  func next(_ value: Element) {
    guard turn.enter() else { return turn.later { [self] in gather(value) } }
    gather(value)
    turn.leave()
  }

  func fail(_ error: any Error) {
    turn.pass { [self] in
      turn.state = []
      downstream.fail(error)
    }
  }

  func complete() {
    turn.pass { [self] in
      send()
      if !subscription.isDisposed { downstream.complete() }
    }
  }

  func ring() {
    turn.pass { [self] in send() }
  }

  private func gather(_ value: Element) {
    turn.state.append(value)
    if turn.state.count >= count {
      alarm?.clear()
      send()
    } else if turn.state.count == 1, let alarm, let time {
      alarm.set(at: alarm.now + time, for: self)
    }
  }

  private func send() {
    if turn.state.isEmpty { return }
    let list = turn.state
    turn.state = []
    downstream.next(list)
  }
}
