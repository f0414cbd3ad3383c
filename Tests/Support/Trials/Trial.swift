import AllNodes
import JSON
import Engine
import Language
import Testing

/// A step tried in virtual time: lines of times and values in, lines of times and values out.
///
///     let trial = try Trial("debounce: 2s")
///     let output = try trial.run("0s 1\n1s 2")
///     output.lines  // ["3s 2"]
///
/// `5s poll` ends a poll with the events since the poll before; `5s poll partial` and `5s poll truncated .net` have seen
/// a part of the list, `5s poll truncated .net moves` one in which rows change their position, `5s poll stale` repeats an
/// older answer. `9s end` ends the source.
/// Other events come one by one, each at the time of its line.
package struct Trial {
  package let plan: Plan

  package struct Wrong: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
  }

  /// The output of a run.
  ///
  /// A test that does not look at `outcome` or `counts` expects a run without log messages, errors, dead letters, and
  /// events that were forgotten, sent early or read stale: it fails where there are some.
  package final class Output {
    package let lines: [String]
    private let found: ScriptedRun.Outcome
    private let place: SourceLocation
    private var isExamined = false

    init(_ lines: [String], _ outcome: ScriptedRun.Outcome, _ place: SourceLocation) {
      (self.lines, found, self.place) = (lines, outcome, place)
    }

    package var outcome: ScriptedRun.Outcome {
      isExamined = true
      return found
    }

    /// The lines, where the run is meant to have such trouble.
    package var linesDespiteTrouble: [String] {
      isExamined = true
      return lines
    }

    /// The counters of the step itself.
    package var counts: NodeStatus? { outcome.statistics.first { $0.eventsIn != nil } }

    private var surprises: [String] {
      found.messages.map { "the log: \($0.message)" }
        + found.statistics.flatMap { node in
          [
            ("errors", node.errors), ("lost", node.lost), ("forgotten", node.forgotten),
            ("early", node.early), ("stale", node.stale), ("given up", node.givenUp),
          ].compactMap { $0.1 == 0 ? nil : "\(node.name): \($0.1) \($0.0)" }
        }
    }

    deinit {
      if isExamined { return }
      for surprise in surprises {
        Issue.record("not expected by the test: \(surprise)", sourceLocation: place)
      }
    }
  }

  /// Takes a step (or several, each on a line with “- ”) as a pipeline has it.
  package init(_ step: String, head: String = "", other: String? = nil, web: String = "", now: Double = 0)
    throws
  {
    let steps =
      step.hasPrefix("- ")
      ? indented(step, by: 2)
      : "  - " + indented(step, by: 4).dropFirst(4)
    let second = other.map { "\n  \($0): stdin" } ?? ""
    let from = other == nil ? "" : "\n    from: input"
    let yaml =
      other == nil
      ? "\(head)\nsources:\n  input: stdin\nsteps:\n\(steps)\nsinks:\n  heard: null\n"
      : """
      \(head)
      sources:
        input: stdin\(second)
      streams:
        tried:\(from)
          steps:
      \(indented(steps, by: 4))
      sinks:
        heard: { null: {}, from: tried }
      """
    plan = try Trial.plan(yaml)
    self.now = now
    self.web = try Trial.web(web)
  }

  /// What the network answers, by address.
  package let web: [String: Value]

  private let now: Double

  package static func plan(_ yaml: String) throws -> Plan {
    var reader = PipelineReader(catalog: .all)
    reader.read(path: "trial.yaml", Array(yaml.utf8))
    guard let plan = reader.plans.first else { throw Wrong(description: "\(reader.problems)") }
    return plan
  }

  package func run(
    _ input: String, other: String = "", showsPolls: Bool = false,
    at place: SourceLocation = #_sourceLocation
  ) throws -> Output {
    var scriptedRun = ScriptedRun(plan, start: now)
    scriptedRun.scripts["input"] = try Trial.script(input, now)
    for source in plan.sources where source.name != "input" {
      scriptedRun.scripts[source.name] = try Trial.script(other, now)
    }
    scriptedRun.web = web
    let outcome = try scriptedRun.run()
    let lines = (outcome.heard["heard"] ?? []).compactMap { heard -> String? in
      let time = DurationText.format(heard.at)
      if let value = heard.value { return "\(time) \(value)" }
      return showsPolls ? "\(time) poll" : nil
    }
    return Output(lines, outcome, place)
  }

  /// Lines of an address and a value.
  package static func web(_ text: String) throws -> [String: Value] {
    var answers: [String: Value] = [:]
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 1)
      guard parts.count == 2 else { throw Wrong(description: "no address or no value: \(line)") }
      answers[String(parts[0])] = try Value.parse(String(parts[1]))
    }
    return answers
  }

  /// The coverage of a poll, as its line has it; the horizon is the last of its rows.
  private static func coverage(_ poll: String, _ rows: [Value]) throws -> Coverage {
    let words = poll.split(separator: " ").dropFirst().map(String.init)
    switch words.first {
    case nil, "stale": return .complete
    case "partial": return .partial
    case "truncated":
      guard let text = words.dropFirst().first else { return .truncated(nil) }
      guard let order = RowOrder(text) else { throw Wrong(description: "no order: \(text)") }
      let last = rows.last.flatMap { order.position(of: $0) } ?? .null
      return .truncated(Horizon(order: order, last: last, moves: words.last == "moves"))
    default: throw Wrong(description: "no coverage: \(poll)")
    }
  }

  package static func script(_ text: String, _ now: Double) throws -> [ScriptedAnswer] {
    var answers: [ScriptedAnswer] = []
    var open: [(at: Double, value: Value)] = []
    func flush() {
      answers += open.map { ScriptedAnswer(at: $0.at, .events([$0.value])) }
      open = []
    }
    let isPolled = text.contains(" poll")
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 1)
      guard parts.count == 2 else { throw Wrong(description: "no time or no value: \(line)") }
      let duration = try DurationText.parse(String(parts[0])).components
      let at = now + Double(duration.seconds) + Double(duration.attoseconds) / 1e18
      switch parts[1] {
      case let poll where poll.hasPrefix("poll"):
        let rows = open.map(\.value)
        let notes = Value.record(poll.hasSuffix("stale") ? [("stale", .bool(true))] : [])
        answers.append(
          ScriptedAnswer(at: at, .poll(rows), notes: notes, coverage: try coverage(String(poll), rows)))
        open = []
      case "failure":
        flush()
        answers.append(ScriptedAnswer(at: at, .failure("it failed")))
      case "end":
        flush()
        answers.append(ScriptedAnswer(at: at, .end))
      case let json:
        if !isPolled { flush() }
        open.append((at, try Value.parse(String(json))))
      }
    }
    flush()
    return answers
  }
}

private func indented(_ text: String, by width: Int) -> String {
  text.split(separator: "\n", omittingEmptySubsequences: false)
    .map { String(repeating: " ", count: width) + $0 }.joined(separator: "\n")
}
