import Delivery
import Engine
import Language
import Page
import Reactive
import System

/// The last good answers of pipelines that only show rows, where a source fails before its first good poll.
///
/// They are shown, never observed: by a run of their own that reads the cache alone, writes to the screen and keeps
/// nothing. So an old answer is no poll of the pipeline, and nothing of it reaches its state.
final class OldAnswers: Sendable {
  /// The kinds of sinks that show or list rows, without an effect elsewhere; files are not written here.
  private static let showing: Set = ["console", "page", "count", "null", "download", "jsonl", "csv"]
  /// The steps with state that only join rows of one poll; others compare polls, so an old one would be news.
  private static let joining: Set = ["batch", "scan"]
  /// The longest time that a run of the cache may take.
  private static let limit = Duration.seconds(10)

  private struct State {
    /// Whether the first poll of each source was good, by pipeline, until its old answers are shown.
    var first: [String: [String: Bool]] = [:]
    var shown: Set<String> = []
    var running = 0
  }

  private let plans: [String: Plan]
  private let options: RunOptions
  private let web: WebAccess
  private let state = ConditionLock(State())
  private let thread = SerialScheduler(name: "flow-old")

  init(_ plans: [Plan], _ options: RunOptions, _ web: WebAccess) {
    let shown = options.isDryRun ? [] : plans.filter(Self.onlyShows)
    self.plans = Dictionary(shown.map { ($0.name, $0) }) { first, _ in first }
    (self.options, self.web) = (options, web)
  }

  /// Whether the pipeline shows the rows of whole polls, and draws no conclusions from them.
  private static func onlyShows(_ plan: Plan) -> Bool {
    plan.sinks.allSatisfy { showing.contains($0.spec.kind) }
      && plan.sources.contains { $0.spec.keepsAnswers && $0.schedule.onFailure == .fail }
      && plan.streams.flatMap(\.steps).allSatisfy {
        !$0.spec.hasDurableState || joining.contains($0.spec.kind)
      }
      // Of a list only some entries fail, and the page shows what the state has of them.
      && plan.sources.allSatisfy { !$0.options.isGiven(EachOptions.each) }
  }

  /// Notes a poll; the first of the last source to have one may show the old answers.
  func note(_ poll: PollTrace) {
    guard let plan = plans[poll.pipeline], poll.error != nil || poll.rows != nil else { return }
    let isComplete = state.change { state in
      if state.first[plan.name]?[poll.source] != nil { return false }
      state.first[plan.name, default: [:]][poll.source] = poll.error == nil
      return awaited(plan).allSatisfy { state.first[plan.name]?[$0] != nil }
    }
    if isComplete { showIfAny(plan) }
  }

  /// Shows what the end of the run has come before, and waits until all is shown.
  func finish() {
    for plan in plans.values where options.isOnce || awaited(plan).count == plan.sources.count {
      showIfAny(plan)
    }
    _ = state.wait(until: MonotonicClock.now + Self.limit) { $0.running == 0 ? true : nil }
  }

  /// The sources that are polled at the start.
  private func awaited(_ plan: Plan) -> [String] {
    plan.sources.filter { options.isOnce || $0.schedule.atStart }.map(\.name)
  }

  /// Shows the old answers where a source has failed, once.
  private func showIfAny(_ plan: Plan) {
    let failed: Set<String>? = state.change { state in
      let first = state.first[plan.name] ?? [:]
      guard first.values.contains(false), state.shown.insert(plan.name).inserted else { return nil }
      state.running += 1
      // Another source may have been cut short by the failure of the first.
      return Set(awaited(plan).filter { first[$0] != true })
    }
    guard let failed else { return }
    thread.perform { [self] in
      show(plan, failed)
      state.change { $0.running -= 1 }
    }
  }

  private func show(_ plan: Plan, _ failed: Set<String>) {
    var options = options
    let (log, wallClock) = (options.log, options.world.wallClock)
    (options.state, options.isOnce, options.polled, options.log) = (nil, true, nil, .silent)
    options.progress = { _, _, _ in }
    options.world[PageHub.self] = nil
    options.world[WebAccess.self] = web.onlyCached { source, age in
      guard failed.contains(source) else { return }
      let (time, now) = (DurationText.format(.seconds(age.rounded())), wallClock())
      NodeLog(log: log, pipeline: plan.name, node: source)
        .warning("shown: the answer of \(timestamp((now - age).rounded())), \(time) ago")
    }
    options.sink = { sink, _ in
      let isNews = sink.spec.kind == "console" && !plan.sources(of: sink).isDisjoint(with: failed)
      return isNews ? nil : Hidden()
    }
    let isOver = ConditionLock(false)
    guard let run = try? PipelineRun(plan, options, done: { _ in isOver.change { $0 = true } }) else {
      return
    }
    run.start()
    if isOver.wait(until: MonotonicClock.now + Self.limit, for: { $0 ? true : nil }) == nil { run.abort() }
  }
}

/// A sink that has shown already what the sources have that do not fail.
private final class Hidden: Sink {
  func take(_ event: Event) {}
}

extension Plan {
  /// The names of the sources whose events reach a sink.
  fileprivate func sources(of sink: SinkPlan) -> Set<String> {
    var found: Set<String> = []
    var left = sink.from
    while let name = left.popLast() {
      if !found.insert(name).inserted { continue }
      left += streams.first { $0.name == name }?.from ?? []
    }
    return found
  }
}
