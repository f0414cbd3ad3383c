import System
import Engine
import Language
import Reactive
import SimulatedDisk

/// One process of a pipeline, from its start to its end, of which there are several kinds.
final class Life: Sendable {
  enum End: String, CaseIterable, Sendable {
    case kill = "killed"
    case cut = "power cut"
    case stop = "stopped"
    /// Ended at once, by a second signal, in the middle of a turn.
    case abort = "aborted"
  }

  private struct State: Sendable {
    var random: SplitMix64
    var skew: Double
    var isOver = false
    var run: PipelineRun?
    var wasAborted = false
    var wasFull = false
    var pauses = 0
    var allPauses = 0
    var hasFailed: Bool?
  }

  let number: Int
  let process: SimulatedProcess
  let disk: SimulatedDisk
  let clock = VirtualScheduler()
  let witness: Witness
  let attempts: Attempts
  let end: End
  let duration: Duration
  /// Sources fall silent, and nothing goes wrong any more.
  let isLast: Bool
  /// The room on the disk after the first quarter, up to the stop; nil if it is not limited.
  private let roomAtStop: Int?
  private let start: Double
  private let state: Locked<State>

  init(
    number: Int, _ disk: SimulatedDisk, _ witness: Witness, _ attempts: Attempts, end: End, isLast: Bool,
    duration: Duration, start: Double, seed: UInt64, roomAtStop: Int? = nil
  ) {
    self.roomAtStop = roomAtStop
    (self.number, self.disk, self.witness, self.attempts) = (number, disk, witness, attempts)
    (self.end, self.isLast, self.duration, self.start) = (end, isLast, duration, start)
    process = disk.start()
    state = Locked(State(random: SplitMix64(seed: seed), skew: 0))
  }

  func below(_ bound: Int) -> Int { state.withLock { $0.random.below(bound) } }

  var isRunning: Bool { process.isRunning }
  var isOver: Bool { state.withLock { $0.isOver } || !isRunning }
  /// Whether it was aborted in the middle of a turn.
  var wasAborted: Bool { state.withLock { $0.wasAborted } }
  /// Whether it was stopped while it waited for room.
  var wasFull: Bool { state.withLock { $0.wasFull } }
  var hasFailed: Bool? { state.withLock { $0.hasFailed } }
  var pauses: Int { state.withLock { $0.allPauses } }

  /// How long it still has.
  var left: Duration { max(.zero, duration - (clock.now - Instant())) }

  /// Whether sources say nothing any more.
  var isQuiet: Bool { isLast && clock.now - Instant() > .seconds(60) }

  var wallClock: Double {
    start + Double(clock.now.nanoseconds) / 1e9 + state.withLock { $0.skew }
  }

  /// Sets the clock of the wall.
  func setClock(by seconds: Double) { state.withLock { $0.skew += seconds } }

  /// Has the disk stop at one of the next operations.
  func stopSoon() {
    if !isLast, end == .kill || end == .cut { disk.stop(atOperation: 1 + below(12)) }
  }

  var world: World {
    World(
      wallClock: { [self] in wallClock }, random: { [self] in Double(below(1 << 30)) / Double(1 << 30) },
      environment: { _ in nil }, disk: ProcessDisk(process: process),
      pause: { [self] seconds, stop in pause(seconds, stop) })
  }

  /// Waits for room on the disk, which comes by and by.
  private func pause(_ seconds: Double, _ stop: StopSign) -> Bool {
    let isEnough = state.withLock { state in
      state.skew += seconds
      state.pauses += 1
      state.allPauses += 1
      if state.pauses <= 2 + state.random.below(4) { return false }
      state.pauses = 0
      return true
    }
    if isEnough, roomAtStop != nil {
      stopWithoutRoom()
    } else if isEnough {
      disk.capacity = nil
      disk.removeFaults()
    }
    return stop.isSet || !isRunning
  }

  /// There is none until the life is over: it is stopped, and aborted at the end of its grace.
  private func stopWithoutRoom() {
    let (run, isAsked) = state.withLock { state in
      defer { (state.isOver, state.wasFull) = (true, true) }
      return (state.run, state.wasFull)
    }
    guard let run else { return }
    if !isAsked { return run.stop() }
    state.withLock { $0.run = nil }
    run.abort()
  }

  /// Called at each event, within a turn: one of the last ones may be that at which the life is aborted.
  func passEvent() {
    guard end == .abort, left < duration * 3 / 4, below(5) == 0 else { return }
    let run = state.withLock { state in
      defer { (state.isOver, state.run) = (true, nil) }
      return state.isOver ? nil : state.run
    }
    guard let run else { return }
    state.withLock { $0.wasAborted = true }
    run.stop()
    run.abort()
  }

  func begin(_ run: PipelineRun) {
    state.withLock { $0.run = run }
    guard let roomAtStop else { return }
    _ = clock.schedule(after: duration / 4) { [disk] in disk.capacity = disk.usedBytes + roomAtStop }
  }

  func done(_ hasFailed: Bool) { state.withLock { $0.hasFailed = hasFailed } }

  /// Ends it as it is to end, once.
  func finish() {
    let run = state.withLock { state in
      defer { (state.isOver, state.run) = (true, roomAtStop == nil ? nil : state.run) }
      return state.isOver ? nil : state.run
    }
    guard let run else { return }
    if end == .stop || end == .abort, isRunning { return run.stop() }
    witness.end()
    if end == .cut { disk.crash() } else { disk.kill() }
  }
}
