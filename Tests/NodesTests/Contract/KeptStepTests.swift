import TestSupport
import Foundation
import JSON
import Nodes
import Engine
import Language
import Reactive
import Store
import Testing

/// Every step that remembers, tried with its own examples: killed behind any of its events, it goes on in another run
/// as if nothing had been.
@Suite("Contract of steps that are kept")
struct KeptStepTests {
  /// The time when nobody listens is no silence, so `timeout` counts anew.
  static let kinds = Catalog.all.steps.filter(\.isKept).map(\.kind).filter { $0 != "timeout" }

  @Test("a run that is killed behind any event is gone on with by the next one", arguments: kinds)
  func killed(_ kind: String) throws {
    let spec = try #require(Catalog.all.named(kind).first)
    for example in spec.examples {
      let trial = try KeptTrial(StepContractTests.trial(example).plan, example)
      let whole = try trial.run(killedBehind: [])
      for cut in trial.times.indices {
        #expect(
          try trial.run(killedBehind: [cut]) == whole, "\(kind): \(example.title), killed behind \(cut)")
      }
      #expect(try trial.run(killedBehind: Array(trial.times.indices)) == whole, "\(kind): \(example.title)")
    }
  }

  @Test("a run that is stopped in good order is gone on with too", arguments: kinds)
  func stopped(_ kind: String) throws {
    let spec = try #require(Catalog.all.named(kind).first)
    for example in spec.examples {
      let trial = try KeptTrial(StepContractTests.trial(example).plan, example)
      let whole = try trial.run(killedBehind: [])
      for cut in trial.times.indices {
        let output = try trial.run(killedBehind: [cut], inGoodOrder: true)
        #expect(output == whole, "\(kind): \(example.title), stopped behind \(cut)")
      }
    }
  }
}

/// A plan whose sources answer by a script, over as many runs as it is killed, in virtual time that goes on.
private struct KeptTrial {
  let scripts: [String: [ScriptedAnswer]]
  /// When something comes.
  let times: [Double]
  private let plan: Plan
  private let web: [String: Value]

  init(_ plan: Plan, _ example: NodeSpec.Example) throws {
    web = try Trial.web(example.web)
    var plan = plan
    plan.epochs.events = 1
    self.plan = plan
    scripts = ["input": try Trial.script(example.input, 0), "other": try Trial.script(example.other, 0)]
    times = Set(scripts.values.joined().map(\.at)).sorted()
  }

  /// What the sink was given, with the times, by all runs together.
  func run(killedBehind cuts: [Int], inGoodOrder: Bool = false) throws -> [String] {
    var state = try TemporaryState()
    var heard: [String] = []
    var start = 0.0
    var isFirst = true
    for cut in cuts {
      heard += try run(from: start, isFirst: isFirst, until: times[cut], state, inGoodOrder: inGoodOrder)
      (start, isFirst) = (times[cut], false)
      state = try state.copy()
    }
    return try heard + run(from: start, isFirst: isFirst, until: nil, state, inGoodOrder: false)
  }

  private func run(
    from start: Double, isFirst: Bool, until end: Double?, _ state: TemporaryState, inGoodOrder: Bool
  ) throws -> [String] {
    let clock = VirtualScheduler()
    let heard = Journal<String>()
    var options = RunOptions(world: .real, log: .silent, screen: silentScreen)
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
    // What a killed run would do next is done to files that nobody looks at any more.
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
  func take(_ event: Engine.Event) { note(event.value) }
}
