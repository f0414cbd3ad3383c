import Expectations
import Engine
import JSON
import Testing

@Suite("OpenTelemetry's JSON")
struct OTLPTests {
  @Test("metrics: counters are monotonic sums since the start, gauges are gauges, both with labels and units")
  func metrics() {
    var taken = Metric("flow_node_events_in_total", .counter, "Events.")
    taken.add([.init("node", "map")], 7.0)
    var time = Metric("process_cpu_seconds_total", .counter, "Time.")
    time.add([], 1.5)
    var memory = Metric("process_resident_memory_bytes", .gauge, "Memory.")
    memory.add([], 4096.0)
    let value = OTLP.metrics(
      [taken, time, memory], of: [("service.name", "a \"b\"")], version: "0.1", since: 1000.5, at: 2000)
    expect(
      value.description,
      equals: #"""
        {"resourceMetrics":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"a \"b\""}}]},"scopeMetrics":[{"scope":{"name":"flow","version":"0.1"},"metrics":[{"name":"flow_node_events_in","description":"Events.","unit":"1","sum":{"dataPoints":[{"attributes":[{"key":"node","value":{"stringValue":"map"}}],"startTimeUnixNano":"1000500000000","timeUnixNano":"2000000000000","asDouble":7}],"aggregationTemporality":2,"isMonotonic":true}},{"name":"process_cpu_seconds","description":"Time.","unit":"s","sum":{"dataPoints":[{"attributes":[],"startTimeUnixNano":"1000500000000","timeUnixNano":"2000000000000","asDouble":1.5}],"aggregationTemporality":2,"isMonotonic":true}},{"name":"process_resident_memory_bytes","description":"Memory.","unit":"By","gauge":{"dataPoints":[{"attributes":[],"startTimeUnixNano":"1000500000000","timeUnixNano":"2000000000000","asDouble":4096}]}}]}]}]}
        """#)
  }

  @Test("a poll is a trace of one span, with its rows, or with the reason why it failed")
  func traces() {
    var good = PollTrace(pipeline: "slips", source: "upcoming", number: 3, start: 10, end: 10.25)
    (good.rows, good.coverage) = (230, "complete")
    var bad = PollTrace(pipeline: "slips", source: "upcoming", number: 4, start: 20, end: 19)
    bad.error = "status 503"
    var bits: UInt64 = 0
    let value = OTLP.traces([good, bad], of: [], version: "0.1") {
      defer { bits += 1 }
      return bits
    }
    let spans = value.member("resourceSpans")?.items?.first?.member("scopeSpans")?.items?.first?.member(
      "spans")
    let first = spans?.items?.first
    expect(first?.member("traceId")?.string, equals: "00000000000000010000000000000001", "no id is zero")
    expect(first?.member("spanId")?.string, equals: "0000000000000002")
    expect(first?.member("name")?.string, equals: "poll upcoming")
    #expect(first?.member("endTimeUnixNano")?.string == "10250000000" && first?.member("status") == nil)
    expect(first?.description.contains(#"{"key":"flow.poll.rows","value":{"intValue":"230"}}"#), equals: true)
    let second = spans?.items?.last
    expect(second?.member("status")?.description, equals: #"{"code":2,"message":"status 503"}"#)
    // A clock that was set back makes no negative span.
    expect(second?.member("endTimeUnixNano"), equals: second?.member("startTimeUnixNano"))
  }
}
