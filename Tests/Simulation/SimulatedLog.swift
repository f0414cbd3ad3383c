import Cluster
import Reactive
import SimulatedDisk
import SimulatedJournal
import Store

/// The log of a cluster that the lives of a pipeline commit to, each on one of three machines, with lost, late and stale
/// answers.
///
/// The machines have a disk each for their state; what sinks write is on one that all of them see.
final class SimulatedLog: Sendable {
  private final class Weather: Sendable {
    struct State: Sendable {
      var dice: SplitMix64
      /// Of a hundred calls so many go wrong.
      var rate = 0
    }

    let state: Locked<State>
    init(seed: UInt64) { state = Locked(State(dice: SplitMix64(seed: seed))) }
  }

  private let weather: Weather
  private let journal: MemoryJournal

  init(seed: UInt64) {
    let weather = Weather(seed: seed ^ 0x10c)
    self.weather = weather
    journal = MemoryJournal(now: { 0 }) { isRead in
      weather.state.withLock { state in
        guard state.dice.below(100) < state.rate else { return nil }
        if isRead { return state.dice.below(2) == 0 ? .stale : .unavailable }
        return [.unavailable, .full, .lostAnswer, .late][state.dice.below(4)]
      }
    }
  }

  var counts: MemoryJournal.Counts { journal.counts }

  /// Takes the pipeline over for a life, and brings the state of its machine to the end of the log.
  func open(_ life: Life) throws -> sending StateFile {
    let (machine, options) = weather.state.withLock { state -> (Int, CommitLog.Options) in
      state.rate = life.isLast ? 0 : [0, 5, 25][state.dice.below(3)]
      var options = CommitLog.Options(pause: { _ in false })
      options.attempts = 1 + state.dice.below(5)
      options.recordBytes = [300, 5000, 900_000][state.dice.below(3)]
      options.imageBytes = [2000, 20_000, 1_000_000][state.dice.below(3)]
      return (state.dice.below(3), options)
    }
    // What was under way arrives at last, before or after the takeover.
    if weather.state.withLock({ $0.dice.below(2) }) == 0 { journal.arrive() }
    let takeover = LogTakeover(journal, of: "p", options)
    let outcome = try takeover.take(writer: "worker\(life.number)", digest: "d", newLog: "log")
    guard case .taken(let log) = outcome else { throw StoreError("p", .full, "not taken over") }
    journal.arrive()
    var file = StateFile.Options(disk: ProcessDisk(process: life.process))
    file.database.sync = .never
    file.tableCacheBytes = 2000
    return try takeover.open(log, path: "/var/machine\(machine).db", file)
  }
}
