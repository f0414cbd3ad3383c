import Reactive

/// The host of a machine in a test: sets the time, and returns what the machine emits.
final class TestHost<M: Machine>: MachineHost {
  typealias Output = M.Output

  var machine: M
  private(set) var now = Instant()
  private(set) var notes: [Excess] = []
  private var outputs: [M.Output] = []

  init(_ machine: M, from start: Int = 0) {
    now = Instant() + .seconds(start)
    self.machine = machine
    self.machine.start(self)
  }

  func emit(_ output: M.Output) { outputs.append(output) }
  func note(_ excess: Excess, beyond bound: Int) { notes.append(excess) }

  func take(_ element: M.Input, at seconds: Int = 0) throws -> [M.Output] {
    try perform(at: seconds) { try $0.take(element, self) }
  }

  func wake(at seconds: Int) throws -> [M.Output] { try perform(at: seconds) { try $0.wake(self) } }

  func flush() throws -> [M.Output] { try perform(at: nil) { $0.flush(self) } }

  /// The next deadline, in seconds.
  var deadline: Double? { machine.nextDeadline.map { ($0 - Instant()) / .seconds(1) } }

  private func perform(at seconds: Int?, _ body: (inout M) throws -> Void) throws -> [M.Output] {
    if let seconds { now = Instant() + .seconds(seconds) }
    outputs = []
    try body(&machine)
    return outputs
  }
}
