import Expectations
import AllNodes
import JSON
import Engine
import Language
import Testing
import Trials

/// What every step must keep to, tried with its own examples; a step that lacks them fails.
@Suite("Contract of steps")
struct StepContractTests {
  static let kinds = Catalog.all.steps.map(\.kind)

  private func spec(_ kind: String) throws -> NodeSpec { try #require(Catalog.all.named(kind).first) }

  @Test("every example gives what it says it gives", arguments: kinds)
  func examples(_ kind: String) throws {
    let spec = try spec(kind)
    #expect(!spec.examples.isEmpty, "\(kind) has no example")
    for example in spec.examples {
      #expect(!example.input.isEmpty, "the example “\(example.title)” of \(kind) has no input")
      let output = try Self.trial(example).run(
        example.input, other: example.other, showsPolls: example.output.contains(" poll"))
      let expected = example.output.split(separator: "\n").map(String.init)
      expect(output.lines, equals: expected, "\(kind): \(example.title)")
      // Examples show limits and failures too, which are logged and counted.
      _ = output.outcome
    }
  }

  static func trial(_ example: NodeSpec.Example) throws -> Trial {
    try Trial(example.yaml, other: example.other.isEmpty ? nil : "other", web: example.web)
  }

  @Test("every option is documented and used in an example", arguments: kinds)
  func options(_ kind: String) throws {
    let spec = try spec(kind)
    #expect(!spec.summary.isEmpty && !spec.summary.hasSuffix("."))
    for option in spec.options {
      #expect(option.doc.count > 4, "\(kind): \(option.name) has no description")
      let isShown = spec.examples.contains { example in
        example.yaml.contains("\(option.name):")
          || (option.name == spec.shorthand && !example.yaml.contains("{"))
          || (option.name == spec.shorthand && spec.takesMapping)
      }
      #expect(isShown, "no example of \(kind) shows the option \(option.name)")
    }
  }

  @Test("the end of every poll is passed on, behind its events", arguments: kinds)
  func endsOfPolls(_ kind: String) throws {
    let spec = try spec(kind)
    let example = try #require(spec.examples.first)
    let values = example.input.split(separator: "\n").filter { !Self.isMark($0) }.compactMap { line in
      line.split(separator: " ", maxSplits: 1).last.map(String.init)
    }
    let input = values.map { "0s \($0)" } + ["0s poll"] + values.map { "1h \($0)" } + ["1h poll"]
    let output = try Self.trial(example).run(
      input.joined(separator: "\n"), other: example.other, showsPolls: true)
    let ends = (output.outcome.heard["heard"] ?? []).compactMap { heard -> Int? in
      heard.event.isEndOfPoll ? heard.event.poll.number : nil
    }
    // Not when: a step that makes events wait has the ends of polls wait behind them.
    expect(ends, equals: [1, 2], "\(kind)")
  }

  /// Whether a line of an example has no event.
  private static func isMark(_ line: Substring) -> Bool {
    ["poll", "end", "failure"].contains { line.hasSuffix(" \($0)") } || line.contains(" poll ")
  }

  @Test("counters tell what went in and what came out", arguments: kinds)
  func counters(_ kind: String) throws {
    let spec = try spec(kind)
    for example in spec.examples {
      let output = try Self.trial(example).run(example.input, other: example.other)
      let counts = try #require(output.counts)
      let fed = (example.input + "\n" + example.other).split(separator: "\n").count { line in
        !Self.isMark(line)
      }
      // A step that has ended its stream is given no more.
      let hasEnded = kind == "take"
      let taken = counts.eventsIn ?? 0
      #expect(hasEnded ? taken <= fed : taken == fed, "\(kind): \(example.title)")
      expect(counts.eventsOut, equals: output.lines.count, "\(kind): \(example.title)")
    }
  }

  @Test("a step by key sends events with the key that its declaration says they have", arguments: kinds)
  func sentKeys(_ kind: String) throws {
    guard case .byKey(let option, _, _, _) = try spec(kind).partitioning else { return }
    for example in try spec(kind).examples {
      let trial = try Self.trial(example)
      let step = try #require(trial.plan.streams.flatMap(\.steps).first { $0.spec.kind == kind })
      let key = step.options[option].text
      let sends = step.spec.sentKey(step.options)
      if sends == "" { continue }
      let given = try keys(key, of: example.input.split(separator: "\n").filter { !Self.isMark($0) })
      let output = try trial.run(example.input, other: example.other)
      _ = output.outcome
      let sent = try keys(sends ?? key, of: output.lines.map { $0[...] })
      #expect(
        sent.isSubset(of: given),
        "\(kind), \(example.title): set sends: in its partitioning, to the key of what it sends, or to nothing"
      )
    }
  }

  /// The keys of the events of lines of times and values.
  private func keys(_ key: String, of lines: [Substring]) throws -> Set<String> {
    let output = try Trial("map: \(Value.string(key))").run(lines.joined(separator: "\n"))
    let failed = output.counts?.errors ?? 0
    return Set(output.lines.compactMap { $0.split(separator: " ", maxSplits: 1).last.map(String.init) })
      .union(failed > 0 ? ["no key"] : [])
  }

  @Test("what is kept has a limit, and an example shows what happens there", arguments: kinds)
  func limits(_ kind: String) throws {
    let spec = try spec(kind)
    guard spec.state != nil else { return }
    #expect(
      spec.examples.contains { $0.title == "at its limit" },
      "\(kind) keeps state, and has no example with the title “at its limit”")
  }
}
