import TestSupport
import JSON
import Engine
import Language
import Reactive
import Store

/// A plan whose sources answer by a script, over as many runs as it is killed, in virtual time that advances.
package struct KeptTrial {
  package let scripts: [String: [ScriptedAnswer]]
  /// When something comes.
  package let times: [Double]
  /// How many lanes run the tasks of a partition.
  package var lanes = 1
  /// The numbers of tasks in a partition, one life after the other; as the plan has it where there are none.
  package var tasks: [Int] = []
  private let plan: Plan
  private let web: [String: Value]

  package init(_ plan: Plan, input: String, other: String = "", web: [String: Value] = [:]) throws {
    self.web = web
    var plan = plan
    plan.epochs.events = 1
    self.plan = plan
    scripts = ["input": try Trial.script(input, 0), "other": try Trial.script(other, 0)]
    times = Set(scripts.values.joined().map(\.at)).sorted()
  }

  /// The events that the sink took, with their times, of all runs together.
  package func run(killedBehind cuts: [Int], inGoodOrder: Bool = false) throws -> [String] {
    var state = try TemporaryState()
    var heard: [String] = []
    var start = 0.0
    var isFirst = true
    var life = 0
    for cut in cuts {
      heard += try run(
        plan(in: life), from: start, isFirst: isFirst, until: times[cut], state, inGoodOrder: inGoodOrder)
      life += 1
      (start, isFirst) = (times[cut], false)
      state = try state.copy()
    }
    return try heard
      + run(plan(in: life), from: start, isFirst: isFirst, until: nil, state, inGoodOrder: false)
  }

  private func plan(in life: Int) -> Plan {
    tasks.isEmpty ? plan : plan.divided(into: tasks[life % tasks.count])
  }

  private func run(
    _ plan: Plan, from start: Double, isFirst: Bool, until end: Double?, _ state: TemporaryState,
    inGoodOrder: Bool
  ) throws -> [String] {
    let clock = VirtualScheduler()
    let heard = Journal<String>()
    var options = RunOptions(world: .real, log: .silent, screen: silentScreen)
    options.lanes = lanes
    options.world.wallClock = { start + Double(clock.now.nanoseconds) / 1e9 }
    options.world[CannedAnswers.self] = CannedAnswers(web)
    options.state = { _ in try StateFile(path: state.path, .init(database: .init(sync: .never))) }
    options.source = { [scripts] source in
      let rest = (scripts[source.name] ?? []).filter { isFirst || $0.at > start }
      return .script(endsWithScript: false) { _ in Answers(rest) }
    }
    options.sink = { _, context in
      Listener { heard.note("\(DurationText.format(.nanoseconds(Int64(context.lane.now * 1e9)))) \($0)") }
    }
    let run = try PipelineRun(plan, options, clock: clock) { _ in }
    run.start()
    guard let end else {
      clock.run(limit: 100_000)
      run.abort()
      clock.run(limit: 100_000)
      return heard.entries
    }
    clock.advance(by: .nanoseconds(Int64(((end - start) * 1e9).rounded())))
    let before = heard.entries
    // A killed run may continue on its own files: the next one reads a copy.
    if !inGoodOrder { try state.leave() }
    if inGoodOrder { run.stop() } else { run.abort() }
    clock.advance(by: .zero)
    return inGoodOrder ? heard.entries : before
  }
}

private final class Answers: ScriptSource {
  private var rest: ArraySlice<ScriptedAnswer>
  init(_ answers: [ScriptedAnswer]) { rest = answers[...] }
  func next() -> ScriptedAnswer? { rest.popFirst() }
}

private final class Listener: Sink {
  private let note: (Value) -> Void
  init(_ note: @escaping (Value) -> Void) { self.note = note }
  func take(_ event: Event) { note(event.value) }
}

/// The screen of a run that has none.
package let silentScreen = Screen(isTerminal: false, hasColors: false, size: { (80, 24) }, write: { _ in })
