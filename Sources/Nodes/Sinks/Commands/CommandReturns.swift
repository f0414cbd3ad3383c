import System
import Engine
import Language
import Reactive

/// What comes back from the threads of a pool, until the lane takes it.
final class CommandReturns: Sendable {
  struct Returned: Sendable {
    var ends: [(id: CommandPool.Job.ID, end: ChildEnd, attempts: Int)] = []
    /// What was printed, and how many bytes more were not kept.
    var outputs: [(bytes: [UInt8], lost: Int)] = []
    /// How often jobs were tried that will be tried again, and after how long.
    var retries: [(id: CommandPool.Job.ID, attempts: Int, delay: Duration)] = []

    var isEmpty: Bool { ends.isEmpty && outputs.isEmpty && retries.isEmpty }
  }

  private struct State: Sendable {
    /// Jobs handed in that have not come back.
    var away = 0
    var returned = Returned()
  }

  private let state = Monitor(State())
  private let alarm: SinkAlarm

  init(_ alarm: SinkAlarm) { self.alarm = alarm }

  /// One more job is handed in.
  func expect() { state.change { $0.away += 1 } }

  /// The job was not taken in after all.
  func expectNoMore() { state.change { $0.away -= 1 } }

  func end(_ id: CommandPool.Job.ID, _ end: ChildEnd, _ attempts: Int) {
    add {
      $0.returned.ends.append((id, end, attempts))
      $0.away -= 1
    }
  }

  func output(_ bytes: [UInt8], lost: Int) {
    add { $0.returned.outputs.append((bytes, lost)) }
  }

  func retry(_ id: CommandPool.Job.ID, _ attempts: Int, _ delay: Duration) {
    add { $0.returned.retries.append((id, attempts, delay)) }
  }

  private func add(_ body: (inout State) -> Void) {
    let isFirst = state.change { state in
      defer { body(&state) }
      return state.returned.isEmpty
    }
    if isFirst { alarm.ring() }
  }

  /// Everything that has come back since the last time.
  func take() -> Returned {
    state.change { state in
      defer { state.returned = Returned() }
      return state.returned
    }
  }

  /// Waits until all jobs are back; whether they are.
  func waitForAll(until deadline: Instant) -> Bool {
    state.wait(until: deadline) { $0.away == 0 ? true : nil } ?? false
  }
}
