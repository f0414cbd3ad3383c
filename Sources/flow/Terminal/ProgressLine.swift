import Engine
import Fetch
import Language
import Reactive

/// The line at the end of a terminal that shows what a run does: the polls under way, and the status of the pipelines.
///
///     upcoming: 200 of 338 launches · pictures: waiting for the budget of api.nasa.gov, next call in 23 min
///     3 rows · polled 4 s ago · next in 6 s · 2 changes
final class ProgressLine: Sendable {
  /// The shortest interval between updates; polls that end sooner show nothing.
  static let pace = Duration.milliseconds(150)
  /// The interval at which times are updated.
  private static let beat = Duration.seconds(1)

  private struct State {
    var scheduler: (any Scheduler)?
    var polls: [(name: String, progress: PollProgress)] = []
    /// Takes the status of the pipelines; nil before they have started.
    var status: (@Sendable () -> [PipelineStatus])?
    var drawn = ""
    var timer: Subscription?
    var due = Instant.distantFuture
    var isOver = false
  }

  private let screen: Screen
  private let makeScheduler: @Sendable () -> any Scheduler
  private let wallClock: @Sendable () -> Double
  private let state = Locked(State())

  /// The scheduler is created when there is something to show: its thread must not exist before the signals of the
  /// process are blocked.
  init(
    on screen: Screen, _ scheduler: @escaping @Sendable () -> any Scheduler,
    wallClock: @escaping @Sendable () -> Double
  ) {
    self.screen = screen
    makeScheduler = scheduler
    self.wallClock = wallClock
  }

  /// Shows the status of pipelines, each second until the end.
  func follow(_ status: @escaping @Sendable () -> [PipelineStatus]) {
    state.withLock { state in
      if state.isOver { return }
      state.status = status
      wake(&state, after: Self.beat)
    }
  }

  /// Notes the progress of a poll; nil when it has ended.
  func show(_ name: String, _ progress: PollProgress?) {
    state.withLock { state in
      if state.isOver { return }
      let place = state.polls.firstIndex { $0.name == name }
      switch (progress, place) {
      case (let progress?, let place?): state.polls[place].progress = progress
      case (let progress?, nil): state.polls.append((name, progress))
      case (nil, let place?): state.polls.remove(at: place)
      case (nil, nil): return
      }
      if !state.polls.isEmpty {
        wake(&state, after: Self.pace)
      } else if !state.drawn.isEmpty {
        draw(&state)
      }
    }
  }

  /// Stops the process for Ctrl-Z, with nothing drawn meanwhile.
  func suspend() {
    let scheduler = state.withLock { state in self.scheduler(&state) }
    scheduler.perform { [screen] in screen.aside { SignalSet.suspend() } }
  }

  /// Removes the line for good.
  func end() {
    state.withLock { state in
      state.isOver = true
      state.polls = []
      state.status = nil
      draw(&state)
    }
  }

  private func wake(_ state: inout State, after time: Duration) {
    let scheduler = scheduler(&state)
    let due = scheduler.now + time
    if state.due <= due { return }
    state.timer?.dispose()
    state.due = due
    state.timer = scheduler.schedule(at: due) { [weak self] in self?.ring() }
  }

  private func scheduler(_ state: inout State) -> any Scheduler {
    let scheduler = state.scheduler ?? makeScheduler()
    state.scheduler = scheduler
    return scheduler
  }

  private func ring() {
    state.withLock { state in
      state.due = .distantFuture
      if state.isOver { return }
      draw(&state)
      let now = wallClock()
      if state.status != nil || state.polls.contains(where: { $0.progress.until > now }) {
        wake(&state, after: Self.beat)
      }
    }
  }

  private func draw(_ state: inout State) {
    let line = line(state)
    if line == state.drawn { return }
    state.drawn = line
    // A terminal that cannot be written to is reported by whatever writes next.
    try? screen.draw(line.isEmpty ? [] : [line], by: self, isLast: true)
  }

  private func line(_ state: State) -> String {
    let now = wallClock()
    let polls = state.polls.map { "\($0.name): \(Self.text($0.progress, at: now))" }
    guard let status = state.status else { return polls.map(printable).joined(separator: " · ") }
    return StatusLine(status(), at: now, busy: Set(state.polls.map(\.name)))
      .text(behind: polls, columns: screen.size().columns, Paint(isOn: screen.hasColors))
  }

  private static func text(_ progress: PollProgress, at now: Double) -> String {
    guard let wait = progress.wait, progress.until > now else { return progress.text }
    return "\(wait) in \(spoken(.seconds(progress.until - now)))"
  }
}

extension ProgressLine {
  /// The progress line of a run; nil without a terminal, and where the reader of a pipe may write to the same one.
  static func make(_ arguments: Arguments, in world: World, beside screen: Screen) -> ProgressLine? {
    guard !arguments.has(RunLog.quiet), arguments.text(RunLog.format) != "json",
      Terminal.environment("TERM") != "dumb", !Terminal.isPipe(1),
      let screen = Terminal.screenOfErrors(beside: screen)
    else { return nil }
    return ProgressLine(on: screen, { SerialScheduler(name: "flow-progress") }, wallClock: world.wallClock)
  }
}
