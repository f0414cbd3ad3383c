import Engine
import Glibc
import Language
import Reactive
import System

/// The notices of a run to the service manager that started it: READY, RELOADING, STOPPING, STATUS and WATCHDOG.
///
/// The watchdog is kept quiet by the lanes alone. Every half of `WATCHDOG_USEC` each lane is asked for its status, and
/// the last one to answer sends WATCHDOG=1. Where a lane hangs, nothing is sent, and the manager restarts the service.
final class ServiceNotices: Sendable {
  private struct State {
    var isReloading = false
    var isStopping = false
    /// When the lanes are asked next.
    var check: Instant?
  }

  private let socket: NotifySocket
  /// How often the lanes are asked; nil without a watchdog.
  private let interval: Duration?
  private let state = Locked(State())

  /// Nil where no manager waits for notices.
  init?(_ environment: (String) -> String?, process: Int32 = getpid()) {
    guard let socket = environment("NOTIFY_SOCKET").flatMap({ NotifySocket($0) }) else { return nil }
    self.socket = socket
    let isOurs = environment("WATCHDOG_PID").map { $0 == "\(process)" } ?? true
    let limit = isOurs ? environment("WATCHDOG_USEC").flatMap { Int64($0) } : nil
    interval = limit.flatMap { $0 > 1 ? .microseconds($0 / 2) : nil }
  }

  /// The notices of this process; its commands do not inherit the manager's socket.
  static func take() -> ServiceNotices? {
    defer { for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] { unsetenv(name) } }
    return ServiceNotices { Terminal.environment($0) }
  }

  /// The run has started.
  func ready() { socket.send(["READY=1"]) }

  /// A reload begins.
  func reloading() {
    state.withLock { $0.isReloading = true }
    let time = MonotonicClock.now.nanoseconds / 1000
    socket.send(["RELOADING=1", "MONOTONIC_USEC=\(time)"])
  }

  /// The run ends; nothing is sent after that.
  func stopping() {
    let isFirst = state.withLock { state in
      defer { state.isStopping = true }
      return !state.isStopping
    }
    if isFirst { socket.send(["STOPPING=1", "STATUS=stopping"]) }
  }

  /// When `attend` is to be called next, at the latest.
  var next: Instant? { state.withLock { $0.check } }

  /// Sends what is due: the end of a reload, once no pipeline takes the place of another any more, and the watchdog's.
  func attend(_ roster: RunRoster, isSettled: Bool) {
    let isReloaded = state.withLock { state in
      defer { if isSettled { state.isReloading = false } }
      return state.isReloading && isSettled
    }
    if isReloaded { ready() }
    let isDue = state.withLock { $0.check.map { $0 <= MonotonicClock.now } ?? false }
    if isReloaded || isDue { check(roster) }
  }

  /// Asks all lanes for their status, and sends it from the last one that answers.
  func check(_ roster: RunRoster) {
    state.withLock { state in state.check = interval.map { MonotonicClock.now + $0 } }
    roster.collect { [self] pipelines in
      if state.withLock({ $0.isStopping }) { return }
      socket.send((interval == nil ? [] : ["WATCHDOG=1"]) + ["STATUS=\(Self.line(pipelines))"])
    }
  }

  /// The status in a line: “next poll of upcoming at 2026-11-23T14:05:00Z, 2 dead letters”.
  ///
  /// Times are absolute, so that the line stays true while nothing happens.
  static func line(_ pipelines: [PipelineStatus]) -> String {
    var parts: [String] = []
    for (phase, what) in [(PipelineStatus.Phase.failed, "failed"), (.waiting, "waiting for room")] {
      let count = pipelines.count { $0.phase == phase }
      if count > 0 { parts.append("\(count) of \(pipelines.count) pipelines \(what)") }
    }
    let sources = pipelines.filter { !$0.phase.isOver }.flatMap(\.sources)
    let failing = sources.filter { $0.failure != nil }
    switch failing.count {
    case 0: break
    case 1: parts.append("\(failing[0].name) is failing")
    default: parts.append("\(failing.count) sources are failing")
    }
    let polls = sources.compactMap { source in source.nextPoll.map { (at: $0, name: source.name) } }
    if let poll = polls.filter({ $0.at.isFinite }).min(by: { $0.at < $1.at }) {
      parts.append("next poll of \(poll.name) at \(timestamp(poll.at.rounded()))")
    }
    let letters = pipelines.flatMap(\.nodes).reduce(0) { $0 + ($1.deadLetters ?? 0) }
    if letters > 0 { parts.append("\(letters) dead letter\(letters == 1 ? "" : "s")") }
    if parts.isEmpty {
      let count = pipelines.count { !$0.phase.isOver }
      parts = ["\(count) pipeline\(count == 1 ? "" : "s") running"]
    }
    return printable(parts.joined(separator: ", "))
  }
}
