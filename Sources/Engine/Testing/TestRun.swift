import Language
import System
import JSON

/// The run of one of a pipeline's own tests, with the differences between expected and actual output.
public struct TestRun: Sendable {
  public let test: TestPlan
  /// The failures, each a sentence; empty if the test has passed.
  public private(set) var failures: [String] = []
  /// The diagram of all sources and steps.
  public private(set) var diagram: [String] = []
  public private(set) var messages: [Log.Entry] = []

  public init(_ test: TestPlan, of plan: Plan) throws {
    self.test = test
    let plan = test.variant.first ?? plan
    let outcome = try Self.run(test, plan)
    messages = outcome.messages
    for expected in test.expect { compare(expected, outcome.heard[expected.sink] ?? [], plan) }
    if !failures.isEmpty { diagram = StreamDiagram(plan, outcome).lines }
  }

  private static func run(_ test: TestPlan, _ plan: Plan, lanes: Int = 1) throws -> ScriptedRun.Outcome {
    var scriptedRun = ScriptedRun(plan, start: test.start)
    scriptedRun.listensToStreams = true
    scriptedRun.web = test.web
    for given in test.given {
      scriptedRun.scripts[given.source, default: []].append(given.scripted(from: test.start))
    }
    for (name, answers) in scriptedRun.scripts {
      scriptedRun.scripts[name] = answers.sorted { $0.at < $1.at }
    }
    scriptedRun.lanes = lanes
    return try scriptedRun.run()
  }

  /// Runs the test with several tasks below each partition, and with one: each sink must receive the same events at the
  /// same times, those of one instant in any order.
  public mutating func compare(tasks: Int, of plan: Plan) throws {
    let plan = test.variant.first ?? plan
    guard plan.hasPartition else { return }
    let one = try Self.run(test, plan.divided(into: 1))
    let many = try Self.run(test, plan.divided(into: tasks), lanes: tasks)
    for sink in plan.sinks.map(\.name) {
      let (expected, received) = (lines(one.heard[sink]), lines(many.heard[sink]))
      if expected == received { continue }
      var (missing, unexpected) = (expected, received)
      for line in received { missing.remove(line) }
      for line in expected { unexpected.remove(line) }
      for line in missing.prefix(3) {
        failures.append("\(sink): with one task, and not with \(tasks)\n  event    \(line.prefix(160))")
      }
      for line in unexpected.prefix(3) {
        failures.append("\(sink): with \(tasks) tasks, and not with one\n  event    \(line.prefix(160))")
      }
    }
  }

  /// The events with their times, sorted, since those of one instant may come in any order.
  private func lines(_ heard: [ScriptedRun.Heard]?) -> [String] {
    (heard ?? []).compactMap { heard in heard.value.map { "\(DurationText.format(heard.at)) \($0)" } }
      .sorted()
  }

  private mutating func compare(
    _ expected: TestPlan.Expected, _ heard: [ScriptedRun.Heard], _ plan: Plan
  ) {
    let events = heard.compactMap { heard -> (at: Duration, event: Event)? in
      heard.event.isEndOfPoll ? nil : (heard.at, heard.event)
    }
    for (index, entry) in expected.events.enumerated() {
      let place = "\(expected.sink), event \(index + 1)"
      guard index < events.count else {
        failures.append("\(place): no event; expected \(entry.text)")
        continue
      }
      let (at, event) = events[index]
      let came = "\(DurationText.format(at)) \(excerpt(of: event.value))"
      if let mismatch = entry.mismatch(at, event, plan.scope) {
        failures.append("\(place): \(mismatch)\n  expected \(entry.text)\n  came     \(came)")
      }
    }
    for (at, event) in events.dropFirst(expected.events.count) {
      failures.append(
        "\(expected.sink): unexpected event\n  came     \(DurationText.format(at)) "
          + excerpt(of: event.value))
    }
  }
}

extension [String] {
  /// Removes one of the elements that are equal to it.
  fileprivate mutating func remove(_ element: String) {
    if let place = firstIndex(of: element) { remove(at: place) }
  }
}

extension TestPlan.Given {
  /// The scripted answer of a test that starts at this time.
  func scripted(from start: Double) -> ScriptedAnswer {
    let at = start + at.inSeconds
    return switch answer {
    case .poll(let rows, let coverage): ScriptedAnswer(at: at, .poll(rows), notes: notes, coverage: coverage)
    case .events(let values): ScriptedAnswer(at: at, .events(values))
    case .error(let message): ScriptedAnswer(at: at, .failure(message), notes: notes)
    case .end: ScriptedAnswer(at: at, .end)
    }
  }
}

extension TestPlan.Expected.Entry {
  /// The expectation as the file has it.
  var text: String {
    var parts: [String] = []
    if let at { parts.append("at \(DurationText.format(at))") }
    if let condition { parts.append("where \(condition.text)") }
    if let equals { parts.append(excerpt(of: equals)) }
    return parts.isEmpty ? "an event" : parts.joined(separator: ", ")
  }

  /// The first mismatch; nil if there is none.
  func mismatch(_ came: Duration, _ event: Event, _ scope: ExpressionScope) -> String? {
    if let at, at != came {
      return "received at \(DurationText.format(came)), not at \(DurationText.format(at))"
    }
    if let equals, equals != event.value {
      let differences = Value.differences(from: equals, to: event.value).prefix(5)
      let places = differences.map { difference in
        let path = difference.path.description
        return path.isEmpty ? "the whole" : path
      }
      return "differs in \(places.joined(separator: ", "))"
    }
    guard let condition else { return nil }
    let world = World(wallClock: { event.poll.at }, random: { 0 }, environment: { _ in nil })
    do {
      return try Evaluation(condition, in: world, scope: scope).isTrue(event) ? nil : "the condition is false"
    } catch {
      return "the condition fails: \(error)"
    }
  }
}
