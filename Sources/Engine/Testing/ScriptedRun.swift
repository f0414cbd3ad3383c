import JSON
import Language
import Reactive
import System

/// A run in virtual time, with scripts in place of sources, and sinks that only record what they receive.
///
///     var scriptedRun = ScriptedRun(plan, start: 0)
///     scriptedRun.scripts["input"] = [ScriptedAnswer(at: 0, .events([.number(1)]))]
///     let heard = try scriptedRun.run().heard["log"]
public struct ScriptedRun {
  /// An event that a sink or stream received, with its time since the start.
  public struct Heard: Sendable {
    public let at: Duration
    /// An event, or the end of a poll.
    public let event: Event

    /// The event's value; nil for the end of a poll.
    public var value: Value? { event.isEndOfPoll ? nil : event.value }
  }

  public struct Outcome: Sendable {
    /// The events that each sink received, after its `when`.
    public var heard: [String: [Heard]] = [:]
    /// The events that came out of each source and step.
    public var streams: [String: [Heard]] = [:]
    /// The log, errors of events included.
    public var messages: [Log.Entry] = []
    public var isDone = false
    public var statistics: [NodeStatus] = []
  }

  public let plan: Plan
  public let start: Double
  /// The scripts by source name; a source without one emits nothing.
  public var scripts: [String: [ScriptedAnswer]] = [:]
  /// The answers of the network, by address.
  public var web: [String: Value] = [:]
  /// Whether the sources end with their scripts, so that steps flush; otherwise time runs until nothing more is due.
  public var endsWithScripts = false
  /// The number of lanes that tasks of a partition are run for; all of them run on the calling thread.
  public var lanes = 1
  /// Whether the output of each step is recorded too.
  public var listensToStreams = false

  public init(_ plan: Plan, start: Double) {
    self.plan = plan
    self.start = start
  }

  public func run() throws -> Outcome {
    let outcome = Locked(Outcome())
    let silent = Screen(isTerminal: false, hasColors: false, size: { (80, 24) }, write: { _ in })
    let log = Log(level: .notice) { entry in outcome.withLock { $0.messages.append(entry) } }
    var world = World(wallClock: { 0 }, random: { 0 }, environment: { _ in nil })
    world[CannedAnswers.self] = CannedAnswers(web)
    let virtual = VirtualRun(plan, RunOptions(world: world, log: log, screen: silent), start: start)
    let elapsed = virtual.elapsed
    let isDone = try virtual.run(options: { options in
      options.lanes = lanes
      options.source = { [scripts, endsWithScripts] source in
        if source.readsErrors, scripts[source.name] == nil { return nil }
        let answers = scripts[source.name] ?? []
        return .script(endsWithScript: endsWithScripts) { _ in AnswerList(answers) }
      }
      options.sink = { plan, _ in
        NotingSink { event in
          let heard = Heard(at: elapsed(), event: event)
          outcome.withLock { $0.heard[plan.name, default: []].append(heard) }
        }
      }
      if listensToStreams {
        options.tap = { name, event in
          let heard = Heard(at: elapsed(), event: event)
          outcome.withLock { $0.streams[name, default: []].append(heard) }
        }
      }
    }) { run in
      let statistics = run.statistics
      outcome.withLock { $0.statistics = statistics }
    }
    return outcome.withLock { outcome in
      outcome.isDone = isDone
      return outcome
    }
  }
}

private final class AnswerList: ScriptSource {
  private var rest: ArraySlice<ScriptedAnswer>

  init(_ answers: [ScriptedAnswer]) { rest = answers[...] }

  func next() -> ScriptedAnswer? { rest.popFirst() }
}

private final class NotingSink: Sink {
  private let note: (Event) -> Void

  init(_ note: @escaping (Event) -> Void) { self.note = note }

  func take(_ event: Event) { note(event) }
  func endPoll(_ poll: Poll) { note(.end(of: poll)) }
}

/// The network of a scripted run: answers by address, null for all others.
public struct CannedAnswers: Sendable {
  public var answers: [String: Value]

  public init(_ answers: [String: Value] = [:]) { self.answers = answers }
}
