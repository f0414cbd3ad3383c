import JSON
import Engine
import Language
import Reactive

/// The step that runs a machine, as `debounce` does: its host in a pipeline.
final class MachineStep<M: Machine>: Step, MachineHost where M.Input == Event {
  typealias Output = M.Output

  private var machine: M
  private let context: StepContext
  /// Whether the machine keeps events, which are copied out of the document they were read from.
  private let keeps: Bool
  /// Whether the end of a poll ends what the machine gathers.
  private let flushesPolls: Bool
  private let send: (M.Output, Downstream) -> Void
  private var out: Downstream?
  /// The time that the alarm is set to.
  private var deadline: Instant?

  init(
    _ machine: M, _ context: StepContext, keeps: Bool, flushesPolls: Bool = false,
    send: @escaping (M.Output, Downstream) -> Void
  ) {
    self.machine = machine
    self.context = context
    self.keeps = keeps
    self.flushesPolls = flushesPolls
    self.send = send
  }

  func start(_ out: Downstream) {
    self.out = out
    machine.start(self)
    setAlarm(out)
  }

  func take(_ event: Event, _ out: Downstream) throws {
    defer { setAlarm(out) }
    try machine.take(keeps ? event.detached : event, self)
  }

  func endPoll(_ poll: Poll, _ out: Downstream) {
    if flushesPolls {
      machine.flush(self)
      setAlarm(out)
    }
    out.send(endOf: poll)
  }

  func wake(_ out: Downstream) {
    deadline = nil
    machine.wake(self)
    setAlarm(out)
  }

  func finish(_ ending: Ending, _ out: Downstream) {
    switch ending {
    case .flush: machine.flush(self)
    case .keep: context.noteWaiting(machine.waiting)
    }
  }

  private func setAlarm(_ out: Downstream) {
    let next = machine.nextDeadline
    if next == deadline { return }
    deadline = next
    out.setAlarm(atNext: next)
  }

  // MARK: The machine's host

  var now: Instant { out?.now ?? Instant() }

  func emit(_ output: M.Output) {
    if let out { send(output, out) }
  }

  func note(_ excess: Excess, beyond bound: Int) { context.bound.note(excess, beyond: bound) }
}

extension MachineStep where M.Output == Event {
  convenience init(_ machine: M, _ context: StepContext, keeps: Bool) {
    self.init(machine, context, keeps: keeps) { $1.send($0) }
  }
}

extension StepBound {
  func note(_ excess: Excess, beyond bound: Int) {
    switch excess {
    case .forgotten: noteForgotten(beyond: bound)
    case .early: noteEarly(beyond: bound)
    }
  }
}

extension StepContext {
  /// The key of an event; null where the expression has no output, so that no event is dropped for lack of a key.
  ///
  /// It may be part of a document: a machine that keeps it is given `keptKey`.
  func key(_ expression: Expression) -> @Sendable (Event) throws -> Value {
    let key = LaneLocal(evaluation(expression))
    return { try key.value.first($0) ?? .null }
  }

  /// The key of an event that is kept, copied out of the document it was read from.
  func keptKey(_ expression: Expression) -> @Sendable (Event) throws -> Value {
    let key = key(expression)
    return { try key($0).detach() }
  }
}
