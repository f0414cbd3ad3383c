import Expectations
import Foundation
import Testing

/// `flow sky`, as it is started and stopped.
@Suite(.timeLimit(.minutes(30))) struct SkyCommandTests {
  @Test(
    "its address is on standard output, that it is simulated on standard error, and signals end it",
    arguments: [(SIGINT, 130), (SIGTERM, 0)] as [(Int32, Int32)])
  func running(_ signal: Int32, _ status: Int32) throws {
    let place = try Workplace()
    let running = try Running(
      ["sky", "--seed", "7", "--speed", "10", "--faults", "drip,apod"], in: place, input: .open)
    try running.waitForErrors("now and then")
    let url = try #require(running.shown.split(separator: "\n").first)
    expect(running.shown, equals: "\(url)\n")
    #expect(running.errors.contains("simulated, from seed 7"))
    #expect(url.hasPrefix("http://127.0.0.1:"))
    try expect(running.end(by: signal).outcome.status, equals: status)
  }

  @Test("a pipeline reads from it")
  func pipeline() throws {
    let place = try Workplace()
    let running = try Running(["sky", "--seed", "7", "--speed", "0"], in: place, input: .open)
    try running.waitForErrors("simulated")
    let url = try #require(running.shown.split(separator: "\n").first)
    try place.write(
      "p.yaml",
      """
      sources:
        launches: { launch_library: { limit: 120, provider: SpaceX, url: '\(url)' } }
        index: { http: { url: '\(url)/' } }
      steps: [{ map: '{ seed, provider: .launch_service_provider.name }' }]
      sinks: { log: { jsonl: log.jsonl } }
      """)
    let outcome = try place.flow("run", "--once", "p.yaml")
    expect(outcome.status, equals: 0, "\(outcome.errors)")
    expect(
      Set(place.lines("log.jsonl")),
      equals: [
        #"{"seed":null,"provider":"SpaceX"}"#, #"{"seed":7,"provider":null}"#,
      ])
    expect(place.lines("log.jsonl").count, equals: 121)
    _ = try running.end(by: SIGINT)
  }

  @Test("a recording is served as the API it came from, at its own time")
  func recorded() throws {
    let place = try Workplace()
    try place.record(
      #"{"at":"2026-01-01T00:00:00Z","rows":[{"id":1},{"id":2},{"id":3}]}"#,
      #"{"at":"2026-01-01T01:00:00Z","error":"no answer"}"#,
      #"{"at":"2026-01-01T02:00:00Z","rows":[{"id":4}]}"#)
    for (start, log, status) in [
      ([], ["1", "2", "3"], 0), (["--start", "2026-01-01T01:30:00Z"], [], 1),
      (["--start", "2027-01-01"], ["4"], 0),
    ] {
      let running = try Running(
        ["sky", "--from", "rec", "--speed", "0"] + start, in: place, input: .open)
      try running.waitForErrors("recorded in rec up to 2026-01-01T02:00:00Z")
      let url = try #require(running.shown.split(separator: "\n").first)
      try place.write(
        "p.yaml",
        """
        sources: { in: { http: { url: '\(url)/in?limit=2' } } }
        steps: [{ map: .id }]
        sinks: { log: { jsonl: log.jsonl } }
        """)
      let outcome = try place.flow("run", "--once", "--no-state", "p.yaml")
      expect(outcome.status, equals: Int32(status), "\(outcome.errors)")
      expect((place.has("log.jsonl") ? place.lines("log.jsonl") : []), equals: log)
      if status == 1 { #expect(outcome.errors.contains("503"), "\(outcome.errors)") }
      if place.has("log.jsonl") { try place.remove("log.jsonl") }
      _ = try running.end(by: SIGINT)
    }
    let faults = try place.flow("sky", "--from", "rec", "--faults", "drip,empty")
    #expect(
      faults.status == 2 && faults.errors.contains("“empty” is of simulated services alone"), "\(faults)")
    let running = try Running(["sky", "--from", "rec", "--faults", "all=0"], in: place, input: .open)
    try running.waitForErrors("recorded in rec")
    _ = try running.end(by: SIGINT)
    for (at, reason) in [("1e300", "which is no time"), ("\"soon\"", "has no time")] {
      try place.record(#"{"at":\#(at),"rows":[{"id":1}]}"#)
      let damaged = try place.flow("sky", "--from", "rec")
      #expect(damaged.status == 1 && damaged.errors.contains(reason), "\(damaged)")
    }
    let none = try place.flow("sky", "--from", "nowhere")
    #expect(none.status == 2 && none.errors.contains("there is no recording in nowhere"), "\(none)")
  }

  @Test(
    "what makes no sense is refused before anything is served",
    arguments: [
      (["--speed", "fast"], "--speed takes a number"), (["--start", "soon"], "--start takes a date"),
      (["--faults", "htm"], "did you mean “html”?"),
      (["--faults", "429=2"], "a rate is a number from 0 to 1"),
      (["--port", "70000"], "--port takes a number from 0 to 65535"), (["x"], "unexpected argument “x”"),
    ])
  func wrongUse(_ arguments: [String], _ complaint: String) throws {
    let place = try Workplace()
    let outcome = try Running(["sky"] + arguments, in: place, input: .open).end()
    expect(outcome.status, equals: 2)
    #expect(outcome.errors.contains(complaint), "\(outcome.errors)")
    #expect(outcome.output.isEmpty)
  }

  @Test("a port in use is reported")
  func taken() throws {
    let place = try Workplace()
    let first = try Running(["sky"], in: place, input: .open)
    try first.waitForErrors("simulated")
    let port = try #require(first.shown.dropLast().split(separator: ":").last).description
    let second = try Running(["sky", "--port", port], in: place, input: .open).end()
    expect(second.status, equals: 1)
    expect(second.errors, equals: "flow sky: port \(port) is taken; --port 0 takes one that is free\n")
    _ = try first.end(by: SIGTERM)
  }
}
