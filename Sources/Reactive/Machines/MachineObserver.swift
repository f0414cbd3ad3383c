extension Observable {
  /// The outputs of a machine that takes the elements of this stream.
  ///
  /// A subscription has a machine of its own, made by `make`. The time is that of the scheduler; without one it stands.
  func run<M: Machine>(
    on scheduler: (any Scheduler)? = nil, _ make: @escaping @Sendable () -> M
  ) -> Observable<M.Output> where M.Input == Element {
    MachineObserver.outputs(of: make, over: self, on: scheduler)
  }
}

/// The host of a machine in a program: a stage that takes its turns, and has an alarm for its deadline.
private final class MachineObserver<M: Machine>: HoldingStage, AlarmOwner, MachineHost {
  typealias Element = M.Input
  typealias Output = M.Output

  let downstream: any Observer<M.Output>
  let subscription: Subscription
  let turn: Serializer<M>
  private let alarm: Alarm?
  /// The time that the alarm is set to; guarded by the turn.
  private let deadline = Unguarded<Instant?>(nil)

  init(
    _ downstream: any Observer<M.Output>, _ subscription: Subscription, _ machine: M, _ alarm: Alarm?
  ) {
    self.downstream = downstream
    self.subscription = subscription
    self.alarm = alarm
    turn = Serializer(machine)
  }

  /// Apart from `run`: the compiler (6.3.1) crashes on a closure under the constraint that `run` has.
  static func outputs(
    of make: @escaping @Sendable () -> M, over source: Observable<M.Input>, on scheduler: (any Scheduler)?
  ) -> Observable<M.Output> {
    Observable<M.Output> { downstream, subscription in
      let alarm = scheduler.map { Alarm(on: $0, in: subscription) }
      let host = MachineObserver(downstream, subscription, make(), alarm)
      host.start()
      source.attach(host, in: subscription)
    }
  }

  func start() {
    turn.pass { [self] in
      turn.state.start(self)
      setAlarm()
    }
  }

  func accept(_ value: M.Input) {
    do { try turn.state.take(value, self) } catch { return downstream.fail(error) }
    setAlarm()
  }

  func ring() {
    turn.pass { [self] in
      deadline.value = nil
      turn.state.wake(self)
      setAlarm()
    }
  }

  func close(_ termination: Termination) {
    if case .completed = termination { turn.state.flush(self) }
  }

  private func setAlarm() {
    guard let alarm, !subscription.isDisposed else { return }
    let next = turn.state.nextDeadline
    if next == deadline.value { return }
    deadline.value = next
    if let next { alarm.set(at: next, for: self) } else { alarm.clear() }
  }

  // MARK: The machine's host

  var now: Instant { alarm?.now ?? Instant() }

  func emit(_ output: M.Output) {
    if !subscription.isDisposed { downstream.next(output) }
  }

  func note(_ excess: Excess, beyond bound: Int) {}
}
