import Fetch
import Engine
import Language
import Reactive

/// The line at the end of a terminal that shows the progress of current polls.
///
///     upcoming: 200 of 338 launches · pictures: waiting for the budget of api.nasa.gov, next call in 23 min
final class ProgressLine: Sendable {
  /// The shortest interval between updates; polls that end sooner show nothing.
  static let pace = Duration.milliseconds(150)
  /// The interval at which the remaining wait is updated.
  private static let beat = Duration.seconds(1)

  private struct State {
    var scheduler: (any Scheduler)?
    var polls: [(name: String, progress: PollProgress)] = []
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
      if state.polls.isEmpty { draw(&state) } else { wake(&state, after: Self.pace) }
    }
  }

  /// Removes the line for good.
  func end() {
    state.withLock { state in
      state.isOver = true
      state.polls = []
      draw(&state)
    }
  }

  private func wake(_ state: inout State, after time: Duration) {
    let scheduler = state.scheduler ?? makeScheduler()
    state.scheduler = scheduler
    let due = scheduler.now + time
    if state.due <= due { return }
    state.timer?.dispose()
    state.due = due
    state.timer = scheduler.schedule(at: due) { [weak self] in self?.ring() }
  }

  private func ring() {
    state.withLock { state in
      state.due = .distantFuture
      if state.isOver { return }
      draw(&state)
      let now = wallClock()
      if state.polls.contains(where: { $0.progress.until > now }) { wake(&state, after: Self.beat) }
    }
  }

  private func draw(_ state: inout State) {
    let now = wallClock()
    let line = state.polls.map { "\($0.name): \(Self.text($0.progress, at: now))" }.joined(separator: " · ")
    if line == state.drawn { return }
    state.drawn = line
    // A terminal that cannot be written to is reported by whatever writes next.
    try? screen.draw(line.isEmpty ? [] : [printable(line)], by: self)
  }

  private static func text(_ progress: PollProgress, at now: Double) -> String {
    guard let wait = progress.wait, progress.until > now else { return progress.text }
    return "\(wait) in \(spoken(.seconds(progress.until - now)))"
  }
}

extension ProgressLine {
  /// The progress line of a run; nil without a terminal.
  static func make(_ arguments: Arguments, in world: World, beside screen: Screen) -> ProgressLine? {
    guard !arguments.has(RunLog.quiet), arguments.text(RunLog.format) != "json",
      Terminal.environment("TERM") != "dumb", let screen = Terminal.screenOfErrors(beside: screen)
    else { return nil }
    return ProgressLine(on: screen, { SerialScheduler(name: "flow-progress") }, wallClock: world.wallClock)
  }
}
