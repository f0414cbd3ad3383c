import Engine
import JSON
import Language

/// The way of an event through a pipeline, node by node, as lines and as JSON.
///
///     in      poll 5 at 2026-01-02T03:00:00Z, row 0: {"id":1,"n":2}
///     changes {"type":"changed", …}
///     filter  ends here
///             where .after.n > $vars.least → false: 2, 5
struct EventStory {
  /// An expression of a node, and what it and its parts were for the event.
  struct Reading {
    let option: String
    let text: String
    let outcome: Result<Value, any Error>
    let parts: [(text: String, value: Value)]
  }

  /// The part of one node in the story.
  struct Step {
    let node: TracedRun.Node
    /// The event that it sent, or received where it is a sink; nil where the way ends.
    let sent: TracedRun.Passage?
    let taken: TracedRun.Passage?
    /// The other events that it was made of.
    var others: [TracedRun.Passage] = []
    let readings: [Reading]
    /// Why the way ends, where that is known.
    var reason: String?
    /// The deliveries of a sink.
    var attempts: [OutputAttempt] = []

    /// How long it has held the event, in seconds.
    var held: Double? {
      guard let sent, let taken, sent.cause != .poll, sent.at - taken.at >= 0.0005 else { return nil }
      return sent.at - taken.at
    }
  }

  let steps: [Step]

  /// Whether the last node is known to have put nothing out.
  var isEnded: Bool {
    steps.last.map { $0.sent == nil && ($0.reason != nil || $0.node.isDirect || $0.isDecided) } ?? false
  }

  /// - Parameters:
  ///   - end: The node that sent nothing for the last passage of the way.
  ///   - reason: Why a node that compares polls has sent nothing.
  init(_ run: TracedRun, _ way: [Int], end: String? = nil, reason: String? = nil) {
    var steps: [Step] = []
    var taken: TracedRun.Passage?
    for index in way {
      let passage = run.passages[index]
      guard let node = run.nodes[passage.node] else { continue }
      steps.append(
        Step(
          node: node, sent: passage, taken: taken,
          others: passage.origins.dropLast().map { run.passages[$0] },
          readings: Self.readings(of: node, taking: taken),
          attempts: run.trace.output(of: index)?.attempts ?? []))
      taken = passage
    }
    if let node = end.flatMap({ run.nodes[$0] }) {
      steps.append(
        Step(
          node: node, sent: nil, taken: taken, readings: Self.readings(of: node, taking: taken),
          reason: reason))
    }
    self.steps = steps
  }

  private static func readings(of node: TracedRun.Node, taking passage: TracedRun.Passage?) -> [Reading] {
    guard let passage else { return [] }
    let world = World.now { [at = passage.at] in at }
    func value(_ expression: Expression) throws -> Value {
      try Evaluation(expression, in: world).first(passage.event) ?? .null
    }
    return node.expressions.map { name, expression in
      let parts = expression.reads.compactMap { part in (try? value(part)).map { (part.text, $0) } }
      let lines = expression.text.split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " } }
      return Reading(
        option: name, text: lines.joined(separator: " "), outcome: Result { try value(expression) },
        parts: parts)
    }
  }

  // MARK: - As lines

  /// Below a headline that shows the last event.
  func lines(width: Int?, hiding secrets: Secrets) -> [String] {
    let margin = (steps.map(\.node.name.columns).max() ?? 0) + 4
    let last = steps.last?.sent?.value
    return steps.flatMap { step in
      let texts = step.texts(besides: last, ShownValues(secrets: secrets))
      return texts.enumerated().map { index, text in
        let head = index == 0 ? "  " + printable(step.node.name) : ""
        let line = head.padded(to: margin) + printable(text)
        return width.map { line.clipped(to: $0) } ?? line
      }
    }
  }

  // MARK: - As JSON

  var json: Value {
    .array(
      steps.map { step in
        var members: [(String, Value)] = [
          ("node", .string(step.node.name)), ("kind", .string(step.node.kind)),
        ]
        if let sent = step.sent {
          members.append(("at", .string(timestamp(sent.at))))
          if sent.cause == .read {
            members += [("poll", .number(sent.poll.number)), ("row", sent.row.map { .number($0) } ?? .null)]
          } else {
            members.append(("by", .string(sent.cause.rawValue)))
          }
          if sent.origins.count > 1 { members.append(("events", .number(sent.origins.count))) }
          if let held = step.held { members.append(("held", .number(held))) }
          if !step.attempts.isEmpty { members.append(("attempts", .array(step.attempts.map(\.json)))) }
          members.append(("value", sent.value))
        } else {
          members.append(("ends", .bool(true)))
        }
        if let reason = step.reason { members.append(("reason", .string(reason))) }
        if !step.readings.isEmpty { members.append(("expressions", .array(step.readings.map(\.json)))) }
        return .record(members)
      })
  }
}

/// Values as text without secrets, cut to what fits into a line.
private struct ShownValues {
  let secrets: Secrets

  // A part of a secret would not be known any more.
  func excerpt(of value: Value) -> String { Engine.excerpt(of: secrets.masked(value.description)) }
}

extension EventStory.Step {
  /// The node's part, line by line; an event that is shown elsewhere is not repeated.
  fileprivate func texts(besides shown: Value?, _ values: ShownValues) -> [String] {
    guard let sent else { return ends(values) }
    var texts: [String] = []
    if sent.cause == .read {
      let poll = sent.poll.number > 0 ? "poll \(sent.poll.number) at" : "read at"
      let row = sent.row.map { ", row \($0)" } ?? ""
      return ["\(poll) \(timestamp(sent.poll.at))\(row): \(values.excerpt(of: sent.value))"]
    }
    if let held {
      let time = DurationText.format(.milliseconds(Int((held * 1000).rounded())))
      texts.append("held for \(time), until \(timestamp(sent.at))")
    } else if sent.cause == .poll, sent.poll.number > 0 {
      texts.append("at the end of the poll of \(timestamp(sent.poll.at))")
    }
    if sent.origins.isEmpty { texts.append("made of events before, which are not known") }
    for other in others.suffix(3) {
      texts.append(
        "with what \(other.node) sent at \(timestamp(other.at)): \(values.excerpt(of: other.value))")
    }
    if others.count > 3 { texts.append("and with \(others.count - 3) events before") }
    // One of the outputs of a shape is what it sent.
    texts += readings.filter { $0.option != node.shape && ($0.value != sent.value || node.isFilter) }
      .map { $0.line(values) }
    if sent.value != taken?.value, sent.value != shown { texts.append("→ \(values.excerpt(of: sent.value))") }
    if texts.isEmpty {
      texts = ["\(node.readers.isEmpty ? "given at" : "passed on at") \(timestamp(sent.at))"]
    }
    return texts + attempts.enumerated().map { "attempt \($0 + 1) \($1.line(values))" }
  }

  private func ends(_ values: ShownValues) -> [String] {
    var reason = reason
    if reason == nil, !isDecided {
      reason =
        node.whyDropped
        ?? "nothing \(node.isDirect ? "came" : "is known to have come") of it (\(node.summary))"
    }
    return ["ends here" + (reason.map { ": \($0)" } ?? "")] + readings.map { $0.line(values) }
  }

  /// Whether the readings say why it ends here.
  fileprivate var isDecided: Bool {
    readings.contains { $0.value == nil } || (node.isFilter || node.readers.isEmpty) && !readings.isEmpty
  }
}

extension OutputAttempt {
  fileprivate func line(_ values: ShownValues) -> String {
    guard let failure else { return "at \(timestamp(at)): delivered" }
    let end = next.map { "next try at \(timestamp($0))" } ?? "given up, a dead letter now"
    return "at \(timestamp(at)): \(values.secrets.masked(failure)); \(end)"
  }

  fileprivate var json: Value {
    var members: [(String, Value)] = [("at", .string(timestamp(at)))]
    if let failure { members.append(("failure", .string(failure))) }
    if let next { members.append(("next", .string(timestamp(next)))) }
    return .record(members)
  }
}

extension EventStory.Reading {
  fileprivate var value: Value? { try? outcome.get() }

  /// The expression with its values, as in `where .provider == $vars.provider → false: "ULA", "SpaceX"`.
  fileprivate func line(_ values: ShownValues) -> String {
    let result: String
    switch outcome {
    case .success(let value): result = values.excerpt(of: value)
    case .failure(let error): result = "error: \(values.secrets.masked("\(error)"))"
    }
    let parts = parts.map { values.excerpt(of: $0.value) }.joined(separator: ", ")
    return "\(option) \(text.clipped(to: 100)) → \(result)\(parts.isEmpty ? "" : ": \(parts)")"
  }

  fileprivate var json: Value {
    var members: [(String, Value)] = [("option", .string(option)), ("text", .string(text))]
    switch outcome {
    case .success(let value): members.append(("value", value))
    case .failure(let error): members.append(("error", .string("\(error)")))
    }
    let reads = parts.map { Value.record([("text", .string($0.text)), ("value", $0.value)]) }
    return .record(members + [("reads", .array(reads))])
  }
}
