import Expectations
import Engine
import JSON
import Testing

@Suite("Status of a run")
struct RunStatusTests {
  private static var whole: RunStatus {
    var source = SourceStatus(name: "upcoming", kind: "http", isPolled: true)
    (source.polls, source.failedPolls) = (7, 3)
    source.lastPoll = .init(at: 1000.5, rows: 230, coverage: "truncated", isStale: true)
    source.nextPoll = 5000
    source.failure = .init(since: 2000, polls: 2, reason: "no answer", kind: .timeout)
    source.wait = .init(reason: "waiting for the budget", until: 3000, isRetry: true)
    (source.lastGood, source.asking, source.tooOld) = (900, 2500, 900)
    source.error = "gone"
    source.hasEnded = true
    var sink = NodeStatus(name: "tell", kind: "exec", role: .sink)
    (sink.eventsIn, sink.eventsOut, sink.dropped, sink.errors, sink.givenUp) = (9, 8, 1, 2, 1)
    (sink.due, sink.lost) = (40, 1)
    (sink.seconds, sink.keys, sink.queue, sink.deadLetters) = (0.25, 0, 4, 2)
    var pipeline = PipelineStatus(name: "slips", path: "slips.yaml", phase: .failed, started: 10)
    (pipeline.ended, pipeline.error, pipeline.simulation) = (20, "no room", "a sky from seed 1")
    pipeline.isResponsive = false
    pipeline.standstill = .init(node: "tell", reason: "its queue of 4 is full", since: 2900)
    pipeline.sources = [source, SourceStatus(name: "in", kind: "file", isPolled: false)]
    var step = NodeStatus(name: "once", kind: "dedupe", role: .step)
    step.forgotten = 5
    pipeline.nodes = [NodeStatus(name: "in", kind: "file", role: .source), sink, step]
    var status = RunStatus(process: 4711, version: "0.1.0", at: 30, pipelines: [pipeline])
    status.budgets = [BudgetStatus(host: "api.nasa.gov", limit: 30, period: 3600, remaining: 0, next: 99)]
    return status
  }

  @Test("its JSON form is read back as it was, with all members and with the fewest")
  func roundTrip() throws {
    let bare = RunStatus(
      process: 1, version: "x", at: 0,
      pipelines: [PipelineStatus(name: "p", path: "p.yaml", phase: .running, started: 0)])
    var lookups = Self.whole
    var step = NodeStatus(name: "enrich", kind: "enrich", role: .step)
    (step.stale, step.givenUp, step.deadLetters) = (3, 1, 0)
    step.wait = .init(
      events: 12, request: "GET https://a/1", reason: "answered 503", since: 50, until: 70, isFailing: true)
    var failing = NodeStatus.Failing(since: 40, polls: 9, reason: "row 1: no amount")
    (failing.number, failing.total, failing.isOfEntries) = (1, 12, true)
    (failing.entries, failing.isLoss) = (["fjord"], true)
    step.failing = failing
    lookups.pipelines[0].nodes = [step]
    expect(lookups.pipelines[0].losses, equals: ["1 lookup of enrich given up"])
    for status in [Self.whole, bare, lookups] {
      expect(RunStatus(jsonValue: try Value.parse(status.jsonValue.json)), equals: status)
    }
    #expect(
      RunStatus(jsonValue: .null) == nil
        && PipelineStatus(jsonValue: .record([("name", .string("p"))])) == nil)
  }

  @Test("whatever is wrong is a problem, and nothing is wrong with a pipeline that works")
  func problems() {
    var pipeline = Self.whole.pipelines[0]
    expect(
      pipeline.problems,
      equals: [
        "it failed: no room", "tell waits, since 1970-01-01T00:48:20Z: its queue of 4 is full",
        "upcoming fails since 1970-01-01T00:33:20Z (no answer), shown: the answer of 1970-01-01T00:15:00Z",
        "upcoming is too old: no good answer since 1970-01-01T00:15:00Z",
        "tell has 2 dead letters: flow state dead ls slips",
      ])
    (pipeline.phase, pipeline.isResponsive, pipeline.standstill) = (.running, true, nil)
    (pipeline.sources[0].failure, pipeline.sources[0].tooOld) = (nil, nil)
    pipeline.sources[1].tooOld = 600
    pipeline.nodes[1].deadLetters = 0
    expect(
      pipeline.problems(.relative(to: 3000)),
      equals: [
        "upcoming has had no answer for 8m 20s (waiting for the budget), shown: the answer of 35m ago",
        "upcoming ended: gone", "in is too old: no event for 40m",
      ])
    pipeline.sources[0].asking = nil
    pipeline.sources[1].entries = .init(total: 8)
    pipeline.sources[1].entries?.tooOld = 2
    expect(
      pipeline.problems,
      equals: [
        "upcoming is stale: the service failed, and its last good response is used", "upcoming ended: gone",
        "in: 2 of 8 entries too old",
      ])
    pipeline.sources = []
    #expect(pipeline.problems.isEmpty)
    pipeline.phase = .waiting
    expect(pipeline.problems, equals: ["it waits for room for its state"])
  }

  @Test("a pipeline that stands still: where, why and since when, in one line")
  func standstill() {
    var pipeline = PipelineStatus(name: "p", path: "", phase: .running, started: 0)
    pipeline.isResponsive = false
    func problems(_ standstill: PipelineStatus.Standstill?) -> [String] {
      pipeline.standstill = standstill
      return pipeline.problems(.relative(to: 72))
    }
    expect(
      problems(.init(reason: "the state cannot be written: disk is full", since: 60)),
      equals: [
        "it waits, for 12s: the state cannot be written: disk is full"
      ])
    expect(problems(.init(node: "out", since: 60)), equals: ["out is busy, for 12s: it is slow, or hangs"])
    expect(problems(.init(since: 60)), equals: ["a step is busy, for 12s: it is slow, or hangs"])
    expect(problems(nil), equals: ["it has not answered in time"])
    var sink = NodeStatus(name: "log", kind: "jsonl", role: .sink)
    sink.wait = .init(
      events: 0, request: "its file", reason: "f.jsonl: cannot write: No space left on device", since: 52,
      until: nil,
      isFailing: true)
    pipeline.nodes = [sink]
    expect(
      problems(.init(node: "log", since: 60)),
      equals: [
        "log: waits for its file, for 20s: f.jsonl: cannot write: No space left on device"
      ])
  }

  @Test("a run loses where every poll or an event failed, or a delivery was given up")
  func losses() {
    var pipeline = Self.whole.pipelines[0]
    expect(pipeline.losses, equals: ["1 delivery of tell given up"])
    (pipeline.nodes[1].givenUp, pipeline.nodes[1].lost) = (0, 0)
    #expect(pipeline.losses.isEmpty)
    pipeline.nodes[1].errors = 9
    #expect(pipeline.losses.isEmpty, "they may be in a file of dead letters")
    pipeline.nodes[1].lost = 3
    expect(pipeline.losses, equals: ["3 events of tell failed"])
    pipeline.nodes[0].lost = 1
    expect(pipeline.losses, equals: ["1 event of in failed", "3 events of tell failed"])
    pipeline.nodes[0].lost = 0
    pipeline.nodes[1].eventsOut = 0
    pipeline.sources[0].failedPolls = 7
    expect(pipeline.losses, equals: ["all 7 polls of upcoming failed", "all 9 events of tell failed"])
  }
}
