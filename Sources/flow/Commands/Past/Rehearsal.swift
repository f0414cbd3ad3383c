import Engine
import JSON
import Language
import Nodes
import Reactive
import System

/// A run of a pipeline over a recording, in virtual time, which notes what its sinks are given and puts nothing out.
struct Rehearsal {
  /// An event that a sink received.
  struct Output: Sendable {
    let sink: String
    /// When, in seconds since 1970.
    let at: Double
    let value: Value
  }

  let outputs: [Output]
  private let trace: EventTrace?

  /// The trace of such a run.
  static func trace(
    of plan: Plan, over recordings: Recordings, masking secrets: Secrets
  ) throws -> EventTrace {
    let rehearsal = try Rehearsal(of: plan, over: recordings, masking: secrets, isTraced: true)
    return rehearsal.trace ?? EventTrace(plan)
  }

  init(of plan: Plan, over recordings: Recordings, masking secrets: Secrets, isTraced: Bool = false) throws {
    try RunRecording.checkReplayed(plan, recordings, by: "--over")
    let noted = Locked<[Output]>([])
    let errors = Locked<[String]>([])
    let log = Log(level: .error) { entry in errors.withLock { $0.append("\(entry.node): \(entry.message)") } }
    let screen = Screen(isTerminal: false, hasColors: false, size: { (80, 24) }, write: { _ in })
    var options = RunOptions(world: .real, log: log, screen: screen)
    recordings.replay(in: &options) { secrets.masked($0) }
    options.isOnce = true
    let start = try options.firstPoll(of: plan)
    let run = VirtualRun(plan, options, start: start)
    // To the millisecond, as times are written: pipelines may begin at different times.
    let now = { @Sendable [elapsed = run.elapsed] in
      ((start + elapsed() / .seconds(1)) * 1000).rounded() / 1000
    }
    let trace = isTraced ? EventTrace(plan) : nil
    self.trace = trace
    _ = try run.run(options: { options in
      trace?.follow(&options, of: plan, at: now)
      options.sink = { sink, _ in
        NotedSink { event in
          noted.withLock { $0.append(Output(sink: sink.name, at: now(), value: event.value.detach())) }
        }
      }
    })
    outputs = noted.withLock { $0 }
    let messages = errors.withLock { $0 }
    guard let error = messages.first else { return }
    if outputs.isEmpty, trace?.isEmpty ?? true {
      throw Sentence("\(plan.name): \(error)")
    }
    let more = messages.count > 1 ? ", and \(PipelineFiles.count(messages.count - 1, "more message"))" : ""
    Terminal.complain("\(plan.name): \(printable(error))\(more)\n")
  }
}

private final class NotedSink: Sink {
  private let note: (Event) -> Void

  init(_ note: @escaping (Event) -> Void) { self.note = note }

  func take(_ event: Event) { note(event) }
}
