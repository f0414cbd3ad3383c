import JSON
import System

/// A poll of a source as it went, for a trace.
public struct PollTrace: Sendable, Equatable {
  public var pipeline: String
  public var source: String
  /// The entry that it was of, where the source is polled over a list.
  public var entry: Value?
  public var number: Int
  /// In seconds since 1970.
  public var start: Double
  public var end: Double
  /// Nil where it failed, or had nothing to say.
  public var rows: Int?
  public var coverage: String?
  public var error: String?

  public init(pipeline: String, source: String, number: Int, start: Double, end: Double) {
    (self.pipeline, self.source, self.number, self.start, self.end) = (pipeline, source, number, start, end)
  }
}

/// Metrics and traces in the protocol of OpenTelemetry (OTLP 1.x), as the JSON bodies of requests.
///
///     let body = OTLP.metrics(monitor.status().metrics, of: resource, since: start, at: now)
public enum OTLP {
  public typealias Attribute = (name: String, value: String)

  /// Metrics, with the sums since `start`; both times in seconds since 1970.
  ///
  /// Names are those of Prometheus without `_total`, which exporters for Prometheus append.
  public static func metrics(
    _ metrics: [Metric], of resource: [Attribute], version: String, since start: Double, at time: Double
  ) -> Value {
    let all = metrics.map { metric -> Value in
      let points = Value.array(
        metric.series.map { series in
          .record([
            ("attributes", attributes(series.labels.map { ($0.name, $0.value) })),
            ("startTimeUnixNano", nanoseconds(start)), ("timeUnixNano", nanoseconds(time)),
            ("asDouble", .number(series.value)),
          ])
        })
      let data: (String, Value) =
        switch metric.kind {
        case .gauge: ("gauge", .record([("dataPoints", points)]))
        case .counter:
          (
            "sum",
            .record([
              ("dataPoints", points), ("aggregationTemporality", .number(2)), ("isMonotonic", .bool(true)),
            ])
          )
        }
      return .record([
        ("name", .string(metric.otlpName)), ("description", .string(metric.help)),
        ("unit", .string(metric.unit)), data,
      ])
    }
    return .record([
      (
        "resourceMetrics",
        scoped(resource, "scopeMetrics", version, ("metrics", .array(all)))
      )
    ])
  }

  /// A trace for each poll; `random` gives the bits of ids.
  public static func traces(
    _ polls: [PollTrace], of resource: [Attribute], version: String, random: () -> UInt64
  ) -> Value {
    let spans = polls.map { poll -> Value in
      var details: [(String, Value)] = [
        ("flow.pipeline", text(poll.pipeline)), ("flow.source", text(poll.source)),
        ("flow.poll.number", number(poll.number)),
      ]
      if let rows = poll.rows { details.append(("flow.poll.rows", number(rows))) }
      if let coverage = poll.coverage { details.append(("flow.poll.coverage", text(coverage))) }
      var members: [(String, Value)] = [
        ("traceId", .string(hex(random()) + hex(random()))), ("spanId", .string(hex(random()))),
        ("name", .string("poll \(poll.source)")),
        // An internal operation.
        ("kind", .number(1)), ("startTimeUnixNano", nanoseconds(poll.start)),
        ("endTimeUnixNano", nanoseconds(max(poll.start, poll.end))),
        ("attributes", .array(details.map { .record([("key", .string($0.0)), ("value", $0.1)]) })),
      ]
      if let error = poll.error {
        members.append(("status", .record([("code", .number(2)), ("message", .string(error))])))
      }
      return .record(members)
    }
    return .record([("resourceSpans", scoped(resource, "scopeSpans", version, ("spans", .array(spans))))])
  }

  private static func scoped(
    _ resource: [Attribute], _ name: String, _ version: String, _ content: (String, Value)
  ) -> Value {
    let scope = Value.record([("name", .string("flow")), ("version", .string(version))])
    return .array([
      .record([
        ("resource", .record([("attributes", attributes(resource))])),
        (name, .array([.record([("scope", scope), content])])),
      ])
    ])
  }

  private static func attributes(_ attributes: [Attribute]) -> Value {
    .array(attributes.map { .record([("key", .string($0.name)), ("value", text($0.value))]) })
  }

  private static func text(_ text: String) -> Value { .record([("stringValue", .string(text))]) }

  // 64-bit integers are text in this form.
  private static func number(_ number: Int) -> Value { .record([("intValue", .string("\(number)"))]) }

  private static func nanoseconds(_ seconds: Double) -> Value {
    .string("\(Int64((min(max(0, seconds), 9e9) * 1e6).rounded()) * 1000)")
  }

  private static func hex(_ bits: UInt64) -> String {
    // An id of zeros is invalid.
    hexDigits(of: max(1, bits))
  }
}

extension Metric {
  fileprivate var otlpName: String {
    kind == .counter && name.hasSuffix("_total") ? String(name.dropLast(6)) : name
  }

  /// In the notation of UCUM, from the name.
  fileprivate var unit: String {
    let name = otlpName
    return name.hasSuffix("_seconds") ? "s" : name.hasSuffix("_bytes") ? "By" : "1"
  }
}
