extension Observable {
  /// The outputs of a machine that takes the elements of this stream.
  ///
  /// A subscription has a machine of its own, made by `make`. The time is that of the scheduler; without one it stands.
  /// Inlinable, as the operators that call it are, so that the machine is compiled for the types of its elements.
  @inlinable
  func run<M: Machine>(
    on scheduler: (any Scheduler)? = nil, _ make: @escaping @Sendable () -> M
  ) -> Observable<M.Output> where M.Input == Element {
    outputs(on: scheduler, MachineCalls.maker(of: make, on: scheduler))
  }

  @usableFromInline
  func outputs<Output: Sendable>(
    on scheduler: (any Scheduler)?, _ make: @escaping MachineCalls<Element>.Maker<Output>
  ) -> Observable<Output> {
    Observable<Output> { [self] downstream, subscription in
      let machine = make { if !subscription.isDisposed { downstream.next($0) } }
      let alarm = scheduler.map { Alarm(on: $0, in: subscription) }
      // The source's part of the subscription, which ends before what waits has gone.
      let upstream = machine.end() == nil ? nil : subscription.child()
      let host = MachineObserver(downstream, subscription, upstream, machine, alarm)
      host.start()
      attach(host, in: upstream ?? subscription)
    }
  }
}

/// The calls of a machine, compiled for its type, which the observer need not know.
@usableFromInline struct MachineCalls<Input: Sendable>: Sendable {
  @usableFromInline typealias Maker<Output> =
    @Sendable (_ emit: @escaping @Sendable (Output) -> Void) -> MachineCalls

  @usableFromInline let start: @Sendable () -> Void
  @usableFromInline let take: @Sendable (Input) throws -> Void
  @usableFromInline let wake: @Sendable () throws -> Void
  @usableFromInline let flush: @Sendable () -> Void
  @usableFromInline let nextDeadline: @Sendable () -> Instant?
  @usableFromInline let end: @Sendable () -> Instant?

  @inlinable init<M: Machine>(_ host: ProgramHost<M>) where M.Input == Input {
    start = { host.machine.value.start(host) }
    take = { try host.machine.value.take($0, host) }
    wake = { try host.machine.value.wake(host) }
    flush = { host.machine.value.flush(host) }
    nextDeadline = { host.machine.value.nextDeadline }
    end = { host.machine.value.end(at: host.now) }
  }

  @inlinable static func maker<M: Machine>(
    of make: @escaping @Sendable () -> M, on scheduler: (any Scheduler)?
  ) -> Maker<M.Output> where M.Input == Input {
    { emit in MachineCalls(ProgramHost(make(), scheduler, emit)) }
  }
}

/// A machine in a program, with the time and the way of its outputs.
///
/// The serializer of its observer guards it.
@usableFromInline final class ProgramHost<M: Machine>: MachineHost, Sendable {
  @usableFromInline typealias Output = M.Output

  @usableFromInline let machine: Unguarded<M>
  @usableFromInline let scheduler: (any Scheduler)?
  @usableFromInline let send: @Sendable (M.Output) -> Void

  @inlinable init(_ machine: M, _ scheduler: (any Scheduler)?, _ send: @escaping @Sendable (M.Output) -> Void)
  {
    self.machine = Unguarded(machine)
    self.scheduler = scheduler
    self.send = send
  }

  @inlinable var now: Instant { scheduler?.now ?? Instant() }
  @inlinable func emit(_ output: M.Output) { send(output) }
  @inlinable func note(_ excess: Excess, beyond bound: Int) {}
}

/// The host's observer: a stage with a serializer, and an alarm for the machine's deadline.
private final class MachineObserver<Element: Sendable, Output: Sendable>: DrainLoop, SerializedStage,
  AlarmOwner,
  @unchecked Sendable
{
  private struct State: Sendable {
    /// The time that the alarm is set to.
    var alarm: Instant?
    /// The time of the end, once that has come.
    var end: Instant?
  }

  let downstream: any Observer<Output>
  var serializer: MachineObserver { self }
  /// Only inside the serializer.
  @exclusivity(unchecked) private var state = State()
  private let subscription: Subscription
  private let upstream: Subscription?
  private let machine: MachineCalls<Element>
  private let alarm: Alarm?

  init(
    _ downstream: any Observer<Output>, _ subscription: Subscription, _ upstream: Subscription?,
    _ machine: MachineCalls<Element>, _ alarm: Alarm?
  ) {
    self.downstream = downstream
    self.subscription = subscription
    self.upstream = upstream
    self.machine = machine
    self.alarm = alarm
  }

  func start() {
    pass { [self] in
      machine.start()
      setAlarm()
    }
  }

  func accept(_ value: Element) {
    do { try machine.take(value) } catch { return downstream.fail(error) }
    setAlarm()
  }

  func ring() {
    pass { [self] in
      state.alarm = nil
      do { try machine.wake() } catch { return subscription.isDisposed ? () : downstream.fail(error) }
      setAlarm()
    }
  }

  func fail(_ error: any Error) {
    pass { [self] in
      if !subscription.isDisposed { downstream.fail(error) }
    }
  }

  func complete() {
    upstream?.dispose()
    pass { [self] in
      state.end = machine.end()
      if state.end == nil {
        machine.flush()
        if !subscription.isDisposed { downstream.complete() }
      } else {
        setAlarm()
      }
    }
  }

  /// Sets the alarm to the machine's deadline, and behind all deadlines to the end of the stream.
  private func setAlarm() {
    var next = machine.nextDeadline()
    // First, without a retain of the alarm.
    if next == state.alarm, state.end == nil { return }
    guard let alarm else { return }
    if next == nil, let end = state.end {
      if end <= alarm.now, !subscription.isDisposed { return downstream.complete() }
      next = end
    }
    if next == state.alarm || subscription.isDisposed { return }
    state.alarm = next
    if let next { alarm.set(at: next, for: self) } else { alarm.clear() }
  }
}
