import Engine
import Language
import Reactive

/// The run as its pages show it: one snapshot for all readers, taken only while there are some.
///
/// A tab with live updates is a reader. While there are readers, a snapshot is taken each second, and the pipelines they
/// look at are traced. Without any there is no thread at work and no tap.
package final class PageRun: Sendable {
  private struct Reader: Sendable {
    let pipeline: String?
    let notify: @Sendable () -> Void
  }

  private struct State {
    var status: RunStatus?
    var taken = Instant()
    /// How long it took: longer where a lane hangs.
    var cost = Duration.zero
    /// The events per second that each node emits, or takes where it is a sink.
    var rates: [String: [String: Double]] = [:]
    var readers: [Int: Reader] = [:]
    var count = 0
    var traces: [String: PageTrace] = [:]
    var isTicking = false
  }

  private static let pace = Duration.seconds(1)
  /// A trace goes on for so long after the last look at it, for readers without script.
  private static let traceTimeout = Duration.seconds(60)

  package let monitor: any RunMonitor
  private let speed: Double
  private let scheduler: any Scheduler
  private let state = Locked(State())

  package init(_ monitor: any RunMonitor, speed: Double = 1, on scheduler: any Scheduler) {
    (self.monitor, self.speed, self.scheduler) = (monitor, speed, scheduler)
  }

  package convenience init(_ monitor: any RunMonitor, speed: Double) {
    self.init(monitor, speed: speed, on: SerialScheduler(name: "flow-page-status"))
  }

  // MARK: - Snapshots

  /// A snapshot that is a second old at most, or ten times as old as it takes to make one: a lane that hangs delays one
  /// request in ten seconds, not each.
  package var current: RunStatus {
    let now = scheduler.now
    let known = state.withLock { state in
      now - state.taken < max(Self.pace, state.cost * 10) ? state.status : nil
    }
    return known ?? take()
  }

  @discardableResult
  private func take() -> RunStatus {
    let start = scheduler.now
    let status = monitor.status()
    let end = scheduler.now
    state.withLock { state in
      if let before = state.status, start - state.taken >= .milliseconds(500) {
        state.rates = Self.rates(status, before, (end - state.taken).inSeconds)
      }
      (state.status, state.taken, state.cost) = (status, end, end - start)
    }
    return status
  }

  private static func rates(
    _ status: RunStatus, _ before: RunStatus, _ seconds: Double
  ) -> [String: [String: Double]] {
    var rates: [String: [String: Double]] = [:]
    for pipeline in status.pipelines {
      guard let former = before.pipelines.first(where: { $0.name == pipeline.name }) else { continue }
      let counts = Dictionary(former.nodes.map { ($0.name, $0.passed) }) { first, _ in first }
      for node in pipeline.nodes {
        // Counters begin again after a reload.
        guard let count = counts[node.name], node.passed >= count else { continue }
        rates[pipeline.name, default: [:]][node.name] = Double(node.passed - count) / seconds
      }
    }
    return rates
  }

  package func pipeline(_ name: String) -> PipelineStatus? { current.pipelines.first { $0.name == name } }

  /// Events per second of the nodes of a pipeline, where two snapshots are near each other.
  package func rates(of pipeline: String) -> [String: Double] { state.withLock { $0.rates[pipeline] ?? [:] } }

  // MARK: - Traces

  /// The events that pass the nodes of a pipeline, from the first look at it until a while after the last.
  package func trace(of pipeline: PipelineStatus) -> PageTrace {
    let names = pipeline.nodes.map(\.name)
    let now = scheduler.now
    let known = state.withLock { $0.traces[pipeline.name] }
    if let known, known.nodes == names {
      known.seen(at: now)
      return known
    }
    let trace = PageTrace(names, speed: speed, at: now)
    let (former, starts) = state.withLock { state in
      defer { state.isTicking = true }
      return (state.traces.updateValue(trace, forKey: pipeline.name), !state.isTicking)
    }
    if let former { monitor.detach(former.tap) }
    monitor.attach(trace.tap, to: pipeline.name, nil)
    if starts { schedule() }
    return trace
  }

  // MARK: - Readers

  /// Calls `notify` each second, from a thread of its own; returns the number to leave by.
  package func join(_ pipeline: String?, _ notify: @escaping @Sendable () -> Void) -> Int {
    let (number, starts) = state.withLock { state in
      state.count += 1
      state.readers[state.count] = Reader(pipeline: pipeline, notify: notify)
      defer { state.isTicking = true }
      return (state.count, !state.isTicking)
    }
    if starts { schedule() }
    return number
  }

  package func leave(_ number: Int) { state.withLock { $0.readers[number] = nil } }

  package var isAtWork: Bool { state.withLock { $0.isTicking } }

  private func schedule() {
    _ = scheduler.schedule(after: Self.pace) { [weak self] in self?.tick() }
  }

  private func tick() {
    if state.withLock({ !$0.readers.isEmpty }) { take() }
    let now = scheduler.now
    let (readers, traces, ended, goesOn) = state.withLock { state in
      let watched = Set(state.readers.values.compactMap(\.pipeline))
      var ended: [PageTrace] = []
      for (name, trace) in state.traces {
        if watched.contains(name) { trace.seen(at: now) }
        guard now - trace.lastSeen > Self.traceTimeout else { continue }
        state.traces[name] = nil
        ended.append(trace)
      }
      state.isTicking = !state.readers.isEmpty || !state.traces.isEmpty
      return (Array(state.readers.values), Array(state.traces.values), ended, state.isTicking)
    }
    for trace in ended { monitor.detach(trace.tap) }
    for trace in traces { trace.gather() }
    for reader in readers { reader.notify() }
    if goesOn { schedule() }
  }
}

extension NodeStatus {
  /// The events that have passed it: those it emits, or takes where it is a sink.
  package var passed: Int { (role == .sink ? eventsIn : eventsOut) ?? 0 }
}
