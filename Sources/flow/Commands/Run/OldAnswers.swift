import Delivery
import Engine
import JSON
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
  /// How long the failures of a list's entries are gathered, to be shown together.
  private static let gathering = Duration.seconds(2)
  /// So many entries are named one by one.
  private static let named = 20
  /// The longest time that a run of the cache may take.
  private static let limit = Duration.seconds(10)

  /// A source, or an entry of its list.
  private struct Polled: Hashable {
    let pipeline: String
    let source: String
    var entry: Value?
  }

  private struct State {
    /// Whether the first poll of each was good.
    var first: [Polled: Bool] = [:]
    /// How many of those awaited have had none yet, by pipeline.
    var left: [String: Int]
    /// The pipelines whose sources are shown.
    var shown: Set<String> = []
    /// The entries that have failed and are not shown yet, by pipeline.
    var waiting: [String: Set<Polled>] = [:]
    var running = 0
  }

  /// The sources and entries whose old answers are shown.
  private struct Failed {
    var sources: Set<String>
    /// The entries that are polled for it.
    var isPolled: @Sendable (_ source: String, _ entry: Value) -> Bool
  }

  private let plans: [String: Plan]
  /// The sources that are polled at the start, but for those over a list, by pipeline.
  private let awaited: [String: Set<Polled>]
  private let options: RunOptions
  private let web: WebAccess
  private let state: ConditionLock<State>
  private let thread = SerialScheduler(name: "flow-old")

  init(_ plans: [Plan], _ options: RunOptions, _ web: WebAccess) {
    let shown = options.isDryRun ? [] : plans.filter(Self.onlyShows)
    self.plans = Dictionary(shown.map { ($0.name, $0) }) { first, _ in first }
    awaited = self.plans.mapValues { plan in
      Set(
        plan.sources.filter { (options.isOnce || $0.schedule.atStart) && !Self.isOverList($0) }
          .map { Polled(pipeline: plan.name, source: $0.name) })
    }
    state = ConditionLock(State(left: awaited.mapValues(\.count)))
    (self.options, self.web) = (options, web)
  }

  /// Whether the pipeline shows the rows of whole polls, and draws no conclusions from them.
  private static func onlyShows(_ plan: Plan) -> Bool {
    plan.sinks.allSatisfy { showing.contains($0.spec.kind) }
      && plan.sources.contains { $0.spec.keepsAnswers && $0.schedule.onFailure == .fail }
      && plan.streams.flatMap(\.steps).allSatisfy {
        !$0.spec.hasDurableState || joining.contains($0.spec.kind)
      }
  }

  /// Notes a poll; the first of the last source to have one may show the old answers, and so may that of any entry.
  func note(_ poll: PollTrace) {
    guard let plan = plans[poll.pipeline], poll.error != nil || poll.rows != nil else { return }
    let polled = Polled(pipeline: plan.name, source: poll.source, entry: poll.entry)
    if poll.entry != nil { return noteEntry(polled, isGood: poll.error == nil) }
    let isComplete = state.change { state in
      if state.first[polled] != nil { return false }
      state.first[polled] = poll.error == nil
      guard let left = state.left[plan.name], awaited[plan.name]?.contains(polled) == true else {
        return false
      }
      state.left[plan.name] = left - 1
      return left == 1
    }
    if isComplete { showIfAny(plan) }
  }

  /// Notes a poll of an entry: those that fail at about one time are shown together.
  private func noteEntry(_ polled: Polled, isGood: Bool) {
    let isFirst = state.change { state in
      if isGood { state.waiting[polled.pipeline]?.remove(polled) }
      if state.first[polled] != nil { return false }
      state.first[polled] = isGood
      if isGood { return false }
      state.waiting[polled.pipeline, default: []].insert(polled)
      return state.waiting[polled.pipeline]?.count == 1
    }
    guard isFirst, !options.isOnce, let plan = plans[polled.pipeline] else { return }
    _ = thread.schedule(at: MonotonicClock.now + Self.gathering) { [self] in showEntries(plan) }
  }

  /// Shows what the end of the run has come before, and waits until all is shown.
  func finish() {
    for plan in plans.values where options.isOnce || awaited[plan.name]?.count == plan.sources.count {
      showIfAny(plan)
    }
    for plan in plans.values { showEntries(plan) }
    _ = state.wait(until: MonotonicClock.now + Self.limit) { $0.running == 0 ? true : nil }
  }

  private static func isOverList(_ source: SourcePlan) -> Bool { source.options.isGiven(EachOptions.each) }

  /// Shows the old answers where a source has failed, once.
  private func showIfAny(_ plan: Plan) {
    let failed = state.change { state -> Failed? in
      let (awaited, first) = (awaited[plan.name] ?? [], state.first)
      guard awaited.contains(where: { first[$0] == false }), state.shown.insert(plan.name).inserted else {
        return nil
      }
      state.running += 1
      // Another source may have been cut short by the failure of the first, and a list may be that of its rows.
      let lists = plan.sources.filter(Self.isOverList).map(\.name)
      return Failed(sources: Set(awaited.filter { first[$0] != true }.map(\.source) + lists)) { [self] in
        let polled = Polled(pipeline: plan.name, source: $0, entry: $1)
        return self.state.change { state in
          state.waiting[plan.name]?.remove(polled)
          return state.first[polled] != true
        }
      }
    }
    perform(plan, failed)
  }

  /// Shows the old answers of entries that have failed, each once.
  private func showEntries(_ plan: Plan) {
    let failed = state.change { state -> Failed? in
      guard let entries = state.waiting.removeValue(forKey: plan.name), !entries.isEmpty else { return nil }
      state.running += 1
      return Failed(sources: Set(entries.map(\.source))) { source, entry in
        entries.contains(Polled(pipeline: plan.name, source: source, entry: entry))
      }
    }
    perform(plan, failed)
  }

  private func perform(_ plan: Plan, _ failed: Failed?) {
    guard let failed else { return }
    thread.perform { [self] in
      show(plan, failed)
      state.change { $0.running -= 1 }
    }
  }

  private func show(_ plan: Plan, _ failed: Failed) {
    var options = options
    let (log, wallClock) = (options.log, options.world.wallClock)
    (options.state, options.isOnce, options.polled, options.log) = (nil, true, nil, .silent)
    (options.progress, options.isPolled) = ({ _, _, _ in }, failed.isPolled)
    let count = Locked(0)
    options.world[PageHub.self] = nil
    options.world[WebAccess.self] = web.onlyCached { source, entry, age in
      guard failed.sources.contains(source) else { return }
      let isNamed =
        entry == nil
        || count.withLock { count in
          count += 1
          return count <= Self.named
        }
      let (time, now) = (DurationText.format(.seconds(age.rounded())), wallClock())
      let node = NodeLog(log: log, pipeline: plan.name, node: source)
      let log = entry.map { node.of($0) } ?? node
      let message = "shown: the answer of \(timestamp((now - age).rounded())), \(time) ago"
      if isNamed { log.warning(message) } else { log.detail(message) }
    }
    options.sink = { sink, _ in
      let isNews = sink.spec.kind == "console" && !plan.sources(of: sink).isDisjoint(with: failed.sources)
      return isNews ? nil : Hidden()
    }
    let isOver = ConditionLock(false)
    guard let run = try? PipelineRun(plan, options, done: { _ in isOver.change { $0 = true } }) else {
      return
    }
    run.start()
    if isOver.wait(until: MonotonicClock.now + Self.limit, for: { $0 ? true : nil }) == nil { run.abort() }
    let unnamed = count.withLock { $0 } - Self.named
    if unnamed > 0 {
      NodeLog(log: log, pipeline: plan.name, node: failed.sources.sorted().joined(separator: ", "))
        .warning("shown: the old answers of \(unnamed) more entries")
    }
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
