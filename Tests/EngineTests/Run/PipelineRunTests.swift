import Expectations
import JSON
import Language
import Reactive
import Store
import TestSupport
import Testing
import Trials

@testable import Engine

@Suite("Lives of pipelines")
struct PipelineRunTests {
  @Test("a sink whose reader goes as its stream ends has ended once, and the others go on")
  func readerGoneAtTheEnd() throws {
    let bench = try LaneBench(
      """
      sources: { short: stdin, long: stdin }
      streams: { x: { from: short, steps: [batch: 100] } }
      sinks:
        gone: { null: , from: x }
        stays: { null: , from: long }
      """)
    let heard = try bench.run(
      [
        "short": [ScriptedAnswer(at: 0, .events([.number(1)]))],
        "long": [0, 1, 2].map { ScriptedAnswer(at: $0, .events([.number($0)])) },
      ], readersGone: ["gone"])
    expect(heard.events["stays"], equals: ["0", "1", "2"])
    expect(heard.ends, equals: [false])
  }

  @Test("nothing of a pipeline is left when it is over")
  func lettingGo() throws {
    let bench = try LaneBench("sources: { in: stdin }\nsteps: [batch: 2]\nsinks: { out: null }")
    let heard = try bench.run(["in": [ScriptedAnswer(at: 0, .events((1...3).map { .number($0) }))]])
    expect(heard.events["out"], equals: ["[1,2]", "[3]"])
    expect(heard.sinksLeft, equals: 0)
    expect(heard.scriptsLeft, equals: 0)
  }

  @Test(
    "nothing is left of a pipeline that cannot begin, and another attempt has its state",
    arguments: ["[dedupe: .]", "[{ partition: { by: ., into: 4 } }, { dedupe: . }]"],
    [
      "good: { null: }, bad: { jsonl: /dev/null/x.jsonl }",
      "bad: { jsonl: /dev/null/x.jsonl }, good: { null: }",
    ])
  func takenApart(steps: String, sinks: String) throws {
    let bench = try LaneBench("sources: { in: stdin }\nsteps: \(steps)\nsinks: { \(sinks) }\n")
    let folder = try TemporaryFolder()
    for _ in 1...2 {
      let heard = try bench.run([:], refused: "bad", state: "\(folder.path)/p.db")
      #expect(heard.error?.hasPrefix("/dev/null/x.jsonl: cannot ") == true, "\(heard.error ?? "")")
      #expect(heard.sinksLeft == 0 && heard.ends.isEmpty && heard.log.isEmpty)
      expect(heard.calls, equals: sinks.hasPrefix("good") ? ["abandon"] : [])
    }
    let heard = try bench.run(
      ["in": [ScriptedAnswer(at: 0, .events([.number(1)]))]], state: "\(folder.path)/p.db")
    expect(heard.error, equals: nil)
    expect(heard.events, equals: ["good": ["1"], "bad": ["1"]])
    expect(heard.calls, equals: ["finish", "finish"])
  }

  @Test("a sink that is called back while the pipeline is put together is woken once that has begun")
  func earlyRing() throws {
    let bench = try LaneBench("sources: { in: stdin }\nsinks: { out: null }")
    let heard = try bench.run(["in": [ScriptedAnswer(at: 0, .events([.number(1)]))]], ringsEarly: true)
    expect(heard.calls, equals: ["start", "wake", "finish"])
    expect(heard.events["out"], equals: ["1"])
  }

  @Test("the failures of a step that were not told one by one are told at the end")
  func failuresAtTheEnd() throws {
    let bench = try LaneBench("sources: { in: stdin }\nsteps: [map: .a]\nsinks: { out: null }")
    let heard = try bench.run(["in": [ScriptedAnswer(at: 0, .events((1...5).map { .number($0) }))]])
    expect(heard.log.count, equals: 4)
    expect(heard.log.last, equals: "map: 2 more events failed")
  }

  @Test("rows that fail in poll after poll are reported at first, at growing distances, and at the end")
  func failingRows() throws {
    let bench = try LaneBench(
      "sources: { in: { generate: ., every: 10s, key: .id } }\nsteps: [map: .n.a]\nsinks: { out: null }")
    let polls = (0..<20).map { poll in
      let rows = ["x", "y"].map { id in
        let n: Value = id == "y" && poll < 18 ? .number(7) : .emptyObject
        return Value.record([("id", .string(id)), ("n", n)])
      }
      return ScriptedAnswer(at: Double(poll * 10), .poll(rows), notes: .record([("each", "shop")]))
    }
    let heard = try bench.run(["in": polls])
    let reason = "row 2 (y): Cannot index number with string (\"a\")"
    expect(
      heard.log,
      equals: [
        "map[shop]: trial.yaml:2:14: \(reason)",
        "map: fails on 1 of 1 entry, for 7 polls: shop: \(reason)",
        "map[shop]: no row fails any more, after 18 polls since 1970-01-01T00:00:00Z",
      ])
  }
}

/// A pipeline in virtual time, with scripts for sources and sinks that only note what they are given.
struct LaneBench {
  private let plan: Plan

  struct Heard {
    var events: [String: [String]] = [:]
    var log: [String] = []
    /// Whether it had failed, each time it ended.
    var ends: [Bool] = []
    /// Why it could not begin.
    var error: String?
    /// How the sinks were ended.
    var calls: [String] = []
    /// What was made for the pipeline and is still there when that is not.
    var sinksLeft = 0
    var scriptsLeft = 0
  }

  init(_ yaml: String) throws { plan = try Trial.plan(yaml) }

  /// Runs it; the sink `refused` is made as the pipeline has it.
  func run(
    _ scripts: [String: [ScriptedAnswer]], readersGone: Set<String> = [], refused: String? = nil,
    state: String? = nil, ringsEarly: Bool = false
  ) throws -> Heard {
    let heard = Locked(Heard())
    let sinks = Registry()
    let sources = Registry()
    do {
      let clock = VirtualScheduler()
      var world = World.real
      world.wallClock = { Double(clock.now.nanoseconds) / 1e9 }
      var options = RunOptions(
        world: world,
        log: Log { entry in heard.withLock { $0.log.append("\(entry.node): \(entry.message)") } },
        screen: Screen(isTerminal: false, hasColors: false, size: { (80, 24) }, write: { _ in }))
      options.source = { source in
        .script(endsWithScript: true) { _ in sources.keep(ListedScript(scripts[source.name] ?? [])) }
      }
      options.sink = { plan, context in
        if ringsEarly {
          context.lane.onStart { heard.withLock { $0.calls.append("start") } }
          context.alarm.ring()
        }
        if plan.name == refused { return nil }
        let isGone = readersGone.contains(plan.name)
        return sinks.keep(
          HearingSink(isGone: isGone) { value in
            heard.withLock { $0.events[plan.name, default: []].append("\(value)") }
          } called: { call in
            heard.withLock { $0.calls.append(call) }
          })
      }
      if let state { options.state = { _ in try StateFile(path: state) } }
      do {
        let run = try PipelineRun(plan, options, clock: clock) { hasFailed in
          heard.withLock { $0.ends.append(hasFailed) }
        }
        run.start()
        clock.run()
        run.stop()
        clock.run()
      } catch {
        heard.withLock { $0.error = "\(error)" }
      }
    }
    return heard.withLock { heard in
      heard.sinksLeft = sinks.left
      heard.scriptsLeft = sources.left
      return heard
    }
  }
}

/// Knows which objects are still there.
private final class Registry: Sendable {
  private struct Entry: @unchecked Sendable { weak var object: AnyObject? }
  private let entries = Locked<[Entry]>([])

  func keep<Kept: AnyObject>(_ object: Kept) -> Kept {
    let entry = Entry(object: object)
    entries.withLock { $0.append(entry) }
    return object
  }

  var left: Int { entries.withLock { $0.count { $0.object != nil } } }
}

private final class ListedScript: ScriptSource {
  private var rest: ArraySlice<ScriptedAnswer>
  init(_ answers: [ScriptedAnswer]) { rest = answers[...] }
  func next() -> ScriptedAnswer? { rest.popFirst() }
}

private final class HearingSink: Sink {
  private let isGone: Bool
  private let hear: (Value) -> Void
  private let called: (String) -> Void

  init(isGone: Bool, _ hear: @escaping (Value) -> Void, called: @escaping (String) -> Void) {
    (self.isGone, self.hear, self.called) = (isGone, hear, called)
  }

  func take(_ event: Event) { hear(event.value) }
  func endTurn() throws { if isGone { throw ReaderGone() } }
  func wake() { called("wake") }
  func finish(by deadline: Instant) { called("finish") }
  func abandon() { called("abandon") }
}
