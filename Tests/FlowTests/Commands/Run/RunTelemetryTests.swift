import Expectations
import Foundation
import JSON
import Testing

@testable import flow

/// What a run sends by OpenTelemetry's protocol, to a collector on the loopback.
@Suite("Telemetry of a run", .timeLimit(.minutes(30)))
struct RunTelemetryTests {
  private func settings(_ variables: [String: String]) throws -> RunTelemetry.Settings? {
    try RunTelemetry.Settings { variables[$0] }
  }

  @Test("the standard variables: endpoints, headers, times, attributes, and what turns it off")
  func variables() throws {
    try expectNil(settings([:]))
    let base = ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318/"]
    let all = try #require(
      try settings(
        base.merging([
          "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://t.example/own", "OTEL_SERVICE_NAME": "watcher",
          "OTEL_RESOURCE_ATTRIBUTES": "service.name=x, deployment.environment=a%20b,broken",
          "OTEL_EXPORTER_OTLP_HEADERS": "api-key=a%3Db", "OTEL_METRIC_EXPORT_INTERVAL": "1500",
        ]) { $1 }))
    expect(all.metrics?.description, equals: "http://127.0.0.1:4318/v1/metrics")
    expect(all.traces?.description, equals: "https://t.example/own")
    #expect(all.headers.map(\.name) == ["api-key"] && all.headers.first?.value == "a=b")
    #expect(all.interval == 1.5 && all.delay == 5)
    expect(all.resource.first { $0.name == "service.name" }?.value, equals: "watcher")
    expect(all.resource.first { $0.name == "deployment.environment" }?.value, equals: "a b")
    try expectNil(settings(base.merging(["OTEL_SDK_DISABLED": "true"]) { $1 }))
    try expectNil(settings(base.merging(["OTEL_TRACES_EXPORTER": "none"]) { $1 })?.traces)
    for (name, value) in [
      ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"), ("OTEL_METRIC_EXPORT_INTERVAL", "soon"),
      ("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "nowhere"),
    ] {
      let error = #expect(throws: WrongUse.self) { try settings(base.merging([name: value]) { $1 }) }
      expect(error?.message.contains(name), equals: true)
    }
  }

  /// A collector, which reads bodies with OpenTelemetry's own definitions where they are installed.
  private static let collector = """
    import http.server, json, sys
    try:
        from google.protobuf import json_format
        from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
        kinds = {"/v1/metrics": ExportMetricsServiceRequest, "/v1/traces": ExportTraceServiceRequest}
    except ImportError:
        kinds = {}
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            status = 200
            try:
                if kinds:
                    value = json.loads(body)
                    # The ids are hexadecimal in OTLP, and base64 in the general form.
                    for group in value.get("resourceSpans", []):
                        for scope in group["scopeSpans"]:
                            for span in scope["spans"]:
                                assert len(bytes.fromhex(span.pop("traceId"))) == 16
                                assert len(bytes.fromhex(span.pop("spanId"))) == 8
                    json_format.Parse(json.dumps(value), kinds[self.path]())
            except Exception as error:
                status = 400
                print("wrong", error, file=open("requests", "a"))
            with open("requests", "a") as file:
                print(self.path, self.headers["Content-Type"], self.headers["api-key"], body.decode(), file=file)
            self.send_response(status)
            self.end_headers()
        def log_message(self, *_): pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, file=open("port.new", "w"), flush=True)
    import os; os.rename("port.new", "port")
    server.serve_forever()
    """

  @Test("metrics and a trace for each poll arrive at a collector, the last ones at the end of the run")
  func sent() throws {
    let place = try Workplace(
      """
      name: watch
      sources:
        numbers: { generate: '{ n: 1 }, { n: 2 }', every: 1h }
        broken: { exec: { command: ['false'] }, every: 1h }
      sinks: { log: { jsonl: log.jsonl } }
      """)
    try place.write("collector.py", Self.collector)
    let collector = try Running(
      ["python3", "collector.py"], of: "/usr/bin/env", in: place, input: .open)
    defer { collector.send(SIGKILL) }
    try collector.wait(for: "the collector") { place.has("port") }
    let port = place.text("port").trimmingCharacters(in: .whitespacesAndNewlines)
    let outcome = try place.flow(
      ["run", "--for", "1s", "p.yaml"],
      environment: [
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:\(port)",
        "OTEL_EXPORTER_OTLP_HEADERS": "api-key=secret-123",
        "OTEL_METRIC_EXPORT_INTERVAL": "200", "OTEL_BSP_SCHEDULE_DELAY": "100",
      ])
    expect(outcome.status, equals: 1, "\(outcome.errors)")
    let requests = place.lines("requests")
    #expect(!requests.contains { $0.hasPrefix("wrong") }, "\(requests)")
    let metrics = requests.filter { $0.hasPrefix("/v1/metrics application/json secret-123 {") }
    #expect(metrics.count >= 2)
    expect(metrics.last?.contains(#""name":"flow_node_events_out""#), equals: true)
    let traces = requests.filter { $0.hasPrefix("/v1/traces application/json secret-123 {") }.joined()
    #expect(traces.contains(#""name":"poll numbers""#) && traces.contains(#""name":"poll broken""#))
    #expect(traces.contains(#"{"key":"flow.poll.rows","value":{"intValue":"2"}}"#))
    #expect(traces.contains(#""status":{"code":2,"message":"#))
  }

  @Test("a collector that is missing is reported once, and does not hold up the run")
  func missing() throws {
    let place = try Workplace(
      "name: watch\nsources: { numbers: { generate: ., every: 1h } }\nsinks: { log: { jsonl: log.jsonl } }\n")
    let outcome = try place.flow(
      ["run", "--for", "1s", "p.yaml"],
      environment: [
        "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://127.0.0.1:9/v1/metrics",
        "OTEL_METRIC_EXPORT_INTERVAL": "100",
      ])
    expect(outcome.status, equals: 0)
    expect(
      outcome.errors.components(separatedBy: "metrics are not sent").count, equals: 2, "\(outcome.errors)")
    let wrong = try place.flow(
      ["run", "--once", "p.yaml"], environment: ["OTEL_EXPORTER_OTLP_ENDPOINT": "collector"])
    #expect(wrong.status == 2 && wrong.errors.contains("OTEL_EXPORTER_OTLP_ENDPOINT"))
  }
}
