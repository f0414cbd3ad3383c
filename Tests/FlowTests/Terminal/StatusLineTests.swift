import Expectations
import Engine
import Language
import Testing

@testable import flow

/// The status of a run in one line.
@Suite struct StatusLineTests {
  private static func polled(_ name: String, rows: Int? = nil, at: Double = 0, next: Double? = nil)
    -> SourceStatus
  {
    var source = SourceStatus(name: name, kind: "http", isPolled: true)
    source.lastPoll = rows.map { SourceStatus.Poll(at: at, rows: $0, coverage: "complete", isStale: false) }
    source.nextPoll = next
    return source
  }

  private static func node(_ name: String, _ kind: String, _ role: NodeStatus.Role, out: Int) -> NodeStatus {
    var node = NodeStatus(name: name, kind: kind, role: role)
    node.eventsOut = out
    return node
  }

  private static func pipeline(_ name: String, _ sources: [SourceStatus], changes: Int? = nil)
    -> PipelineStatus
  {
    var pipeline = PipelineStatus(name: name, path: "p.yaml", phase: .running, started: 0)
    pipeline.sources = sources
    if let changes { pipeline.nodes.append(node("changes", "changes", .step, out: changes)) }
    pipeline.nodes.append(node("log", "jsonl", .sink, out: 7))
    return pipeline
  }

  private func line(
    _ pipelines: [PipelineStatus], at now: Double, busy: Set<String> = [], behind polls: [String] = [],
    columns: Int = 200
  ) -> String {
    StatusLine(pipelines, at: now, busy: busy).text(behind: polls, columns: columns, .off)
  }

  @Test("one source: what it watches, when it was polled and will be, and what came of it")
  func one() {
    let stations = Self.pipeline("stations", [Self.polled("st", rows: 3, at: 100, next: 110)], changes: 2)
    expect(line([stations], at: 104), equals: "3 rows · polled 4 s ago · next in 6 s · 2 changes")
    expect(line([stations], at: 100.2), equals: "3 rows · just polled · next in 10 s · 2 changes")
    // While it is polled, that is shown instead of the next time.
    expect(
      line([stations], at: 111, busy: ["st"], behind: ["st: asking a"]),
      equals: "st: asking a · 3 rows · polled 11 s ago · 2 changes")
    let new = Self.pipeline("new", [Self.polled("st", next: 3700)])
    expect(line([new], at: 100), equals: "first poll in 60 min · 7 outputs")
  }

  @Test("a failing source: since when, when it tries again, and why, cut where there is no room")
  func failing() {
    var source = Self.polled("st", rows: 3, at: 100, next: 140)
    source.failure = SourceStatus.Failure(since: 110, polls: 2, reason: "GET http://a/x: answered 503")
    var one = Self.pipeline("stations", [source], changes: 0)
    expect(
      line([one], at: 132),
      equals: "failing for 22 s · next try in 8 s · 3 rows · polled 32 s ago · 0 changes · answered 503")
    // A reason has a right to some of the line, and is cut by the terminal.
    let reason = "cannot connect: connection refused, and more of it than there is room for"
    one.sources[0].failure?.reason = "POST https://a:80/x: \(reason)"
    #expect(
      line([one], at: 132, columns: 90).hasPrefix(
        "failing for 22 s · next try in 8 s · 0 changes · cannot connect: "))
    expect(line([one], at: 132, columns: 36), equals: "failing for 22 s · next try in 8 s")
    let two = Self.pipeline("p", [source, Self.polled("b", rows: 4, at: 120, next: 160)], changes: 1)
    expect(
      line([two], at: 132),
      equals:
        "2 sources · st is failing for 22 s · next try in 8 s · 7 rows · next poll of b in 28 s · 1 change · answered 503"
    )
  }

  @Test("what a poll waits for is shown once: by the poll, or for an entry by the status")
  func waiting() {
    var source = Self.polled("st", rows: 3, at: 100, next: 110)
    source.wait = SourceStatus.Wait(reason: "answered 429, next try", until: 150)
    let one = Self.pipeline("p", [source])
    #expect(line([one], at: 120).hasPrefix("st: answered 429, next try in 30 s · 3 rows"))
    expect(
      line([one], at: 120, busy: ["st"], behind: ["st: answered 429, next try in 30 s"]),
      equals: "st: answered 429, next try in 30 s · 3 rows · polled 20 s ago · 7 outputs")
    var lookup = Self.pipeline("p", [Self.polled("st", rows: 3, at: 100, next: 110)])
    lookup.nodes[0].wait = NodeStatus.Wait(
      events: 12, request: "GET http://a", reason: "answered 503", until: 130, isFailing: true)
    expect(
      line([lookup], at: 104),
      equals:
        "log: 12 events wait, next try in 26 s · 3 rows · polled 4 s ago · next in 6 s · 7 outputs · answered 503"
    )
  }

  @Test("sources that are not polled: what they have received, when last, and what they refused")
  func streams() {
    var source = SourceStatus(name: "in", kind: "listen", isPolled: false)
    var pipeline = Self.pipeline("hooks", [source])
    pipeline.nodes.insert(Self.node("in", "listen", .source, out: 0), at: 0)
    expect(line([pipeline], at: 10), equals: "no events yet · 7 outputs")
    (source.lastEvent, source.refused) = (60, 2)
    pipeline.sources = [source]
    pipeline.nodes[0].eventsOut = 12
    expect(line([pipeline], at: 70), equals: "12 events · the last 10 s ago · 2 refused · 7 outputs")
  }

  @Test("several pipelines are summed up; those that have ended are gone, or have failed")
  func several() {
    let first = Self.pipeline("a", [Self.polled("x", rows: 3, at: 90, next: 130)], changes: 2)
    let second = Self.pipeline("b", [Self.polled("y", rows: 4, at: 95, next: 110)], changes: 3)
    var third = Self.pipeline("c", [Self.polled("z", rows: 5, at: 95, next: 101)], changes: 5)
    third.phase = .completed
    expect(
      line([first, second, third], at: 100),
      equals: "2 pipelines · 2 sources · 7 rows · next poll of b/y in 10 s · 5 changes")
    third.phase = .failed
    expect(
      line([third, first], at: 100),
      equals: "c has failed · 3 rows · polled 10 s ago · next in 30 s · 2 changes")
    var stopping = first
    stopping.phase = .stopping
    expect(line([stopping], at: 100), equals: "stopping")
    var simulated = first
    simulated.simulation = "the sky of seed 1"
    #expect(line([simulated], at: 100).hasPrefix("1970-01-01 00:01 · 3 rows"))
  }

  @Test("a source over a list: how many of its entries are up to date")
  func entries() {
    var source = Self.polled("shops", rows: 40, at: 95, next: 130)
    var entries = SourceStatus.Entries(total: 200)
    entries.failing = [.init(id: "shop 7", since: 90, reason: "answered 503")]
    source.entries = entries
    source.failure = SourceStatus.Failure(since: 90, polls: 1, reason: entries.summary)
    expect(
      line([Self.pipeline("p", [source])], at: 100),
      equals: "199 of 200 entries up to date, 1 fails · polled 5 s ago · next in 30 s · 7 outputs")
  }

  @Test("phrases that do not fit go by their importance, and the line is never wider than the terminal")
  func width() {
    var pipeline = Self.pipeline("p", [Self.polled("st", rows: 3, at: 100, next: 110)], changes: 2)
    pipeline.nodes[0].errors = 1
    expect(line([pipeline], at: 104, columns: 50), equals: "3 rows · next in 6 s · 2 changes · 1 error")
    expect(line([pipeline], at: 104, columns: 35), equals: "next in 6 s · 2 changes · 1 error")
    expect(line([pipeline], at: 104, columns: 20), equals: "2 changes · 1 error")
    expect(line([pipeline], at: 104, columns: 10), equals: "1 error")
    pipeline.sources[0].name = "ü\u{1B}[2J"
    pipeline.sources[0].wait = SourceStatus.Wait(reason: "waits", until: 120)
    #expect(!line([pipeline], at: 104).contains("\u{1B}"))
  }
}
