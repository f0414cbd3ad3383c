import Engine
import JSON
import Language
import Reactive

/// The step that runs a machine, as `debounce` does: its host in a pipeline.
///
/// The machine is behind closures, not a parameter of the class: those are compiled for its type where it is made, the
/// methods of a generic class are not, and took half as long again.
final class MachineStep: Step {
  /// The effect of the end of a poll.
  enum PollEnds {
    case passOn
    /// It ends what the machine gathers.
    case flush
    /// It has its place among the events.
    case inLine
    /// The machine takes it, and it goes on.
    case takeToo
  }

  /// The clock of a machine.
  enum Clock {
    /// The lane's, which only goes forward.
    case ofLane
    /// The time of day.
    case ofDay
  }

  private enum Call {
    case start(Downstream)
    case wake, flush, leave
  }

  private let accept: (Event) throws -> Void
  private let perform: (Call) throws -> Void
  private let nextDeadline: () -> Instant?
  private let waiting: () -> Int
  private let context: StepContext
  private let pollEnds: PollEnds
  private let passes: Bool
  private let clock: Clock
  private let wakesOnReconnection: Bool
  /// The time that the alarm is set to.
  private var deadline: Instant?

  /// `keeps` if the machine keeps events, which are copied out of the document they were read from; `passes` if they go
  /// on as well, behind what the machine makes of them; `wakesOnReconnection` if it waits while a source is down.
  init<M: Machine>(
    _ machine: M, _ context: StepContext, keeps: Bool, pollEnds: PollEnds = .passOn, passes: Bool = false,
    clock: Clock = .ofLane, wakesOnReconnection: Bool = false, send: @escaping (M.Output, Downstream) -> Void
  ) where M.Input == Event {
    let host = StepHost(machine, context, clock, send)
    accept = keeps ? { try host.machine.take($0.detached, host) } : { try host.machine.take($0, host) }
    perform = { call in
      switch call {
      case .start(let out):
        host.out = out
        host.machine.start(host)
      case .wake: try host.machine.wake(host)
      case .flush: host.machine.flush(host)
      case .leave: host.machine.leave(at: host.now)
      }
    }
    nextDeadline = { host.machine.nextDeadline }
    waiting = { host.machine.waiting }
    self.context = context
    self.pollEnds = pollEnds
    self.passes = passes
    self.clock = clock
    self.wakesOnReconnection = wakesOnReconnection
  }

  convenience init<M: Machine>(
    _ machine: M, _ context: StepContext, keeps: Bool, pollEnds: PollEnds = .passOn
  ) where M.Input == Event, M.Output == Event {
    self.init(machine, context, keeps: keeps, pollEnds: pollEnds) { $1.pass($0) }
  }

  func start(_ out: Downstream) throws {
    if wakesOnReconnection { context.onReconnection(out.bell) }
    try perform(.start(out))
    setAlarm(out)
  }

  func take(_ event: Event, _ out: Downstream) throws {
    defer { setAlarm(out) }
    try accept(event)
    if passes { out.send(event) }
  }

  func endPoll(_ poll: Poll, _ out: Downstream) throws {
    switch pollEnds {
    case .passOn: return out.send(endOf: poll)
    case .flush:
      try perform(.flush)
      out.send(endOf: poll)
    case .inLine: try accept(.end(of: poll))
    case .takeToo:
      try accept(.end(of: poll))
      out.send(endOf: poll)
    }
    setAlarm(out)
  }

  func wake(_ out: Downstream) throws {
    deadline = nil
    try perform(.wake)
    setAlarm(out)
  }

  func finish(_ ending: Ending, _ out: Downstream) throws {
    switch ending {
    case .flush: try perform(.flush)
    case .keep: context.noteWaiting(waiting())
    }
    try perform(.leave)
  }

  private func setAlarm(_ out: Downstream) {
    let next = nextDeadline()
    if next == deadline { return }
    deadline = next
    switch clock {
    case .ofLane: out.setAlarm(atNext: next)
    case .ofDay: out.setAlarm(atMoment: next)
    }
  }
}

/// A machine and what it is given by its step: the time, and where its outputs go.
private final class StepHost<M: Machine>: MachineHost {
  typealias Output = M.Output

  var machine: M
  var out: Downstream?
  private let context: StepContext
  private let clock: MachineStep.Clock
  private let send: (M.Output, Downstream) -> Void

  init(
    _ machine: M, _ context: StepContext, _ clock: MachineStep.Clock,
    _ send: @escaping (M.Output, Downstream) -> Void
  ) {
    (self.machine, self.context, self.clock, self.send) = (machine, context, clock, send)
  }

  var now: Instant { (clock == .ofLane ? out?.now : out?.moment) ?? Instant() }

  func emit(_ output: M.Output) {
    if let out { send(output, out) }
  }

  func note(_ excess: Excess, beyond bound: Int) { context.bound.note(excess, beyond: bound) }
}

extension StepBound {
  func note(_ excess: Excess, beyond bound: Int) {
    switch excess {
    case .forgotten: noteForgotten(beyond: bound)
    case .early: noteEarly(beyond: bound)
    case .droppedOldest: noteDropped("oldest", beyond: bound)
    case .droppedNewest: noteDropped("newest", beyond: bound)
    }
  }
}

extension StepContext {
  /// The key of an event; null where the expression has no output, so that no event is dropped for lack of a key.
  ///
  /// It may be part of a document: a machine that keeps it is given `keptKey`. Rows of two entries of a list have
  /// different keys, unless keys are listed by themselves.
  func key(_ expression: Expression, isListed: Bool = false) -> @Sendable (Event) throws -> Value {
    let key = LaneLocal(evaluation(expression))
    if isListed { return { try key.value.first($0) ?? .null } }
    return { $0.keyed(try key.value.first($0) ?? .null) }
  }

  /// Whether an event meets a condition.
  func condition(_ expression: Expression) -> @Sendable (Event) throws -> Bool {
    let condition = LaneLocal(evaluation(expression))
    return { try condition.value.isTrue($0) }
  }

  /// The key of an event that is kept, copied out of the document it was read from.
  func keptKey(_ expression: Expression, isListed: Bool = false) -> @Sendable (Event) throws -> Value {
    let key = key(expression, isListed: isListed)
    return { try key($0).detach() }
  }

  /// The key for a machine that keeps keys in its state, which copies them, and elsewhere only if `hasDeadlines`, or as
  /// it goes on with the state of another run.
  func key(_ expression: Expression, hasDeadlines: Bool) -> @Sendable (Event) throws -> Value {
    hasDurableState || hasDeadlines ? keptKey(expression) : key(expression)
  }
}
