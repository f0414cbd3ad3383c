import Engine
import JSON
import Language
import Reactive
import System

/// `metrics`: measures the data itself, for Prometheus.
package let metricsSink = NodeSpec(
  "metrics", "measure the events: gauges and counters for Prometheus, with labels",
  reference: .init(PackageResources.metrics_md),
  options: AnyOption.list(
    MetricsOptions.gauge, MetricsOptions.counter, MetricsOptions.value, MetricsOptions.labels,
    MetricsOptions.help, MetricsOptions.keep, MetricsOptions.bound),
  state: "one number for each set of labels, at most `bound`; events with more sets are errors",
  hasDurableState: true,
  check: { options, checker in
    let names = [MetricsOptions.gauge, MetricsOptions.counter].filter { options[$0] != nil }
    if names.count != 1 {
      checker.report(
        "exactly one of gauge and counter is required", at: options.place,
        hint: "for example metrics: { counter: slips_total }")
    }
    for option in names {
      guard let name = options[option] else { continue }
      if !isMetricName(name) {
        checker.report(
          "\(quoted(name)) is no name of a metric", at: options.place(of: option),
          hint: "it consists of letters, digits and _, as in station_level_meters")
      } else if name.hasPrefix("flow_") || name.hasPrefix("process_") {
        checker.report(
          "names that begin with flow_ or process_ are those of flow itself", at: options.place(of: option))
      }
    }
    if let name = options[MetricsOptions.counter], isMetricName(name), !name.hasSuffix("_total") {
      checker.report(
        "the name of a counter ends in _total", at: options.place(of: MetricsOptions.counter),
        hint: "call it \(name)_total")
    }
    if options[MetricsOptions.gauge] != nil, !options.isGiven(MetricsOptions.value) {
      checker.report("a gauge needs a value", at: options.place, hint: "add value: EXPRESSION")
    }
    for name in options[MetricsOptions.labels].map(\.name)
    where !isMetricName(name) || name.hasPrefix("__") || name == "pipeline" {
      checker.report(
        "\(quoted(name)) cannot be a label", at: options.place(of: MetricsOptions.labels),
        hint: "a label consists of letters, digits and _, and pipeline is added by flow")
    }
  },
  .sink { options, context in try Metrics(options, context) })

private func isMetricName(_ name: String) -> Bool {
  guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
  return name.utf8.allSatisfy { byte in
    byte == 0x5f || (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20)
  }
}

/// The values that a gauge keeps.
private enum Keep: String, CaseIterable, Sendable { case fresh, always }

private enum MetricsOptions {
  static let gauge = Option.optional(
    "gauge", .text, "the name of a metric that has the last value", example: "station_level_meters")
  static let counter = Option.optional(
    "counter", .text, "the name of a metric that adds up", example: "slips_total")
  static let value = Option(
    "value", .expression, default: "1", "the number to set or to add; of a gauge, null removes it",
    example: ".level")
  static let labels = Option(
    "labels", .mapping(of: .template), default: "{}", "the labels, by their names",
    example: #"{ station: '\(.id)' }"#)
  static let help = Option("help", .text, default: "''", "what the metric means", example: "The water level.")
  static let keep = Option(
    "keep", OptionType<Keep>.choice(), default: "fresh",
    "which values a gauge has: those of the last three periods of its source, or always the last")
  static let bound = Option(
    "bound", .integer(1...100_000), default: "1000", "how many sets of labels there may be")
}

private final class Metrics: MeasuringSink {
  private let name: String
  private let kind: Metric.Kind
  private let help: String
  private let value: Evaluation
  private let labels: [(name: String, text: Evaluation)]
  private let bound: Int
  private let context: SinkContext
  private let keep: Keep
  /// The polls that numbers came with in this run; those of an earlier one are as good as the start.
  private var polls: [[String]: Poll] = [:]
  private let start: Double
  /// The numbers by the texts of their labels.
  private var numbers: [[String]: Double] = [:]
  /// The same for the next run; nil without state.
  private var kept: NodeState<Value>?

  init(_ options: Options, _ context: SinkContext) throws {
    kind = options[MetricsOptions.counter] == nil ? .gauge : .counter
    name = options[MetricsOptions.counter] ?? options[MetricsOptions.gauge] ?? ""
    help = options[MetricsOptions.help]
    value = context.evaluation(options[MetricsOptions.value])
    labels = options[MetricsOptions.labels].map { ($0.name, context.evaluation($0.value)) }
    bound = options[MetricsOptions.bound]
    keep = kind == .gauge ? options[MetricsOptions.keep] : .always
    self.context = context
    start = context.lane.world.wallClock()
    // Numbers of another metric, or under other labels, mean something else.
    let names = ([kind.rawValue, name] + labels.map(\.name)).joined(separator: " ")
    kept = try context.outbox.map { try $0.state(part: names) }
    kept?.forEach { key, value in
      guard let texts = key.items?.compactMap(\.string), let number = value.double else { return }
      numbers[texts] = number
    }
  }

  func take(_ event: Event) throws {
    let texts = try labels.map { try event.text($0.text) }
    let key = Value.array(texts.map { .string($0) })
    guard let given = try value.first(event), given.kind != .null else {
      if kind == .counter { throw Sentence("the value of a counter is null") }
      numbers[texts] = nil
      polls[texts] = nil
      _ = kept?.remove(key)
      return
    }
    guard var number = given.double, number.isFinite else {
      throw Sentence("\(given.description.prefix(60)) is no number")
    }
    if kind == .counter {
      if number < 0 { throw Sentence("a counter cannot add \(given.description)") }
      number += numbers[texts] ?? 0
    }
    if numbers[texts] == nil, numbers.count >= bound {
      throw Sentence("there are more than \(bound) sets of labels; raise bound, or use fewer labels")
    }
    numbers[texts] = number
    if keep == .fresh, event.poll.number > 0, !event.poll.isStale { polls[texts] = event.poll }
    kept?.set(.number(number), for: key)
  }

  var metric: Metric {
    var metric = Metric(name, kind, help)
    let fresh = numbers.filter { isFresh($0.key) }
    for (texts, number) in fresh.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      metric.append(zip(labels, texts).map { Metric.Label($0.name, $1) }, number)
    }
    return metric
  }

  /// Whether the last good poll of its list, or the last one that had it, is not too old.
  private func isFresh(_ texts: [String]) -> Bool {
    guard keep == .fresh else { return true }
    let (lists, now) = (context.lane.lists, context.lane.world.wallClock())
    if let poll = polls[texts] {
      let seen = context.isGivenSnapshots ? poll.at : max(poll.at, lists.lastGood(poll.list) ?? 0)
      return context.expiry(of: seen, from: poll.source).map { now < $0 } ?? true
    }
    let sources = context.plan?.schedules.keys.map(\.self) ?? []
    let expiries = sources.map { context.expiry(of: lists.lastGood(of: $0) ?? start, from: $0) }
    return expiries.isEmpty || expiries.contains { $0.map { now < $0 } ?? true }
  }
}
