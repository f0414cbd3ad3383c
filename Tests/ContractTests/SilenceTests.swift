import Expectations
import AllNodes
import Engine
import JSON
import Language
import Testing
import Trials

/// What a step loses, forgets, drops, or sends before its time appears in a message and in a counter.
///
/// A new step without a row in each table fails.
@Suite("Silence")
struct SilenceTests {
  private static let kinds = StepContractTests.kinds

  /// What is counted when a step has more than it may hold.
  private enum Excess {
    case forgotten, early, dropped, lost
    case nothing
  }

  private static let atLimit: [String: Excess] = [
    "alarm": .forgotten, "batch": .early, "changes": .lost, "debounce": .early, "dedupe": .forgotten,
    "delay": .early,
    "distinct_until_changed": .forgotten, "enrich": .lost, "join": .forgotten, "rate_limit": .dropped,
    "remind": .forgotten, "sample": .early, "scan": .forgotten, "settle": .early, "sort": .early,
    "throttle": .forgotten, "timeout": .forgotten, "window": .dropped,
  ]

  @Test("a step at its limit reports that once, and counts what it does then", arguments: kinds)
  func limits(_ kind: String) throws {
    let spec = try #require(Catalog.all.named(kind).first)
    let examples = spec.examples.filter { $0.title.hasPrefix("at its limit") }
    let excess = Self.atLimit[kind] ?? .nothing
    expect(examples.isEmpty, equals: (excess == .nothing), "\(kind) needs a row in this table")
    for example in examples {
      let output = try StepContractTests.trial(example).run(example.input, other: example.other)
      let counts = try #require(output.counts)
      let counted = [
        (Excess.forgotten, counts.forgotten), (.early, counts.early), (.dropped, counts.dropped),
        (.lost, counts.lost),
      ]
      for (other, count) in counted where other == excess { #expect(count > 0, "\(kind)") }
      // That rows no longer fail is a notice.
      let warnings = output.outcome.messages.filter { $0.level <= .warning }
      expect(warnings.count, equals: 1, "\(kind): \(warnings)")
      expect(counts.errors, equals: counts.lost)
    }
  }

  /// An expression that fails for the event 2, and steps that evaluate it; the others have none that could fail.
  private static let bad = #"if . == 2 then error("no") else . end"#
  private static let failing: [String: String] = [
    "map": "map: \(bad)", "filter": "filter: (\(bad)) != 9", "log": #"log: '\(\#(bad))'"#,
    "dedupe": "dedupe: \(bad)", "changes": "changes: \(bad)", "sort": "sort: \(bad)",
    "distinct_until_changed": "distinct_until_changed: \(bad)",
    "debounce": "debounce: { for: 1s, key: '\(bad)' }", "throttle": "throttle: { for: 1s, key: '\(bad)' }",
    "sample": "sample: { every: 1s, key: '\(bad)' }",
    "scan": "scan: { key: '\(bad)', init: 0, update: . + 1 }",
    "window": "window: { tumbling: 1s, key: '\(bad)' }", "remind": "remind: { key: '\(bad)', at: 60 }",
    "join": "join: { with: other, key: '\(bad)', emit: . }",
    "enrich": #"enrich: { url: 'https://example.org/\(.)', with: '\#(bad)' }"#,
    "partition": "- partition: { by: '\(bad)' }\n- map: .",
    "alarm": "alarm: { when: '\(bad)' }",
    "settle": "settle: { for: 1s, key: '.after | \(bad)' }",
  ]
  private static let cannotFail: Set<String> = ["take", "skip", "batch", "delay", "rate_limit", "timeout"]

  @Test("an event that fails is lost, reported with its input, and counted", arguments: kinds)
  func failures(_ kind: String) throws {
    guard let yaml = Self.failing[kind] else {
      #expect(Self.cannotFail.contains(kind), "\(kind) needs a row in this table")
      return
    }
    let isJoin = kind == "join"
    let trial = try Trial(
      yaml, other: isJoin ? "other" : nil,
      web: (1...3).map { "https://example.org/\($0) 0" }.joined(separator: "\n"))
    let input = (1...3).map { number in
      let change =
        "{\"type\": \"added\", \"key\": 0, \"at\": \"T\", \"before\": null, \"after\": \(number), \"diff\": []}"
      return "0s \(kind == "settle" ? change : "\(number)")"
    }
    let output = try trial.run(
      (input + ["0s poll"]).joined(separator: "\n"), other: isJoin ? "0s 9" : "")
    let counts = try #require(output.counts)
    #expect(counts.errors == 1 && counts.lost == 1 && counts.forgotten == 0)
    let errors = output.outcome.messages.filter { $0.level == .error }
    #expect(errors.count == 1 && errors.first?.message.hasSuffix("no") == true, "\(output.outcome.messages)")
    expect(errors.first?.details.last?.hasPrefix("    in: "), equals: true)
    expect(errors.first?.details.last?.contains("2"), equals: true)
  }
}
