import Expectations
import AllNodes
@testable import Delivery
import TestSupport
import Fetch
import Glibc
import JSON
import Reactive
import Testing
import Trials

import System
@testable import Engine
@testable import Language

/// What every source must keep to; one that is not listed with a way to try it fails.
@Suite("Contract of sources", .timeLimit(.minutes(30)))
struct SourceContractTests {
  static let kinds = Catalog.all.sources.map(\.kind)
  /// Tested elsewhere: standard input belongs to the whole process, `nats`, `mqtt` and `redis` need a server, which their tests start,
  /// `listen` needs senders (ListenTests), and `errors` other nodes that fail (ErrorSourceTests).
  static let elsewhere: Set = ["stdin", "nats", "mqtt", "redis", "listen", "errors"]
  static let own = kinds.filter { !elsewhere.contains($0) }

  /// A source that gives 1, 2 and 3, and then waits if it can.
  static func trial(_ kind: String, _ folder: Folder) -> String? {
    switch kind {
    case "file":
      return "{ file: { path: \(folder.write("in", "1\n2\n3\n")), follow: true } }"
    case "exec": return #"{ exec: [printf, '1\n2\n3\n'], every: 1h }"#
    case "sql":
      let path = folder.write("in.db", "")
      return
        "{ sql: { url: 'sqlite:\(path)', query: 'values (1), (2), (3)', rows: '.[].column1' }, every: 1h }"
    case "generate": return "{ generate: range(1; 4), every: 1h }"
    case "replay":
      let path = folder.write("in", #"{"at": "2026-01-01", "rows": [1, 2, 3]}"# + "\n")
      return "{ replay: \(path) }"
    case "http": return "{ http: 'http://canned/items', every: 1h }"
    case "launch_library": return "{ launch_library: { url: 'http://canned' }, every: 1h }"
    case "spacex": return "{ spacex: { url: 'http://canned' }, every: 1h }"
    case "apod": return "{ apod: { url: 'http://canned', from: 2026-01-01, until: 2026-01-03 }, every: 1h }"
    default: return nil
    }
  }

  /// A source that cannot do what it is to do.
  static func failure(_ kind: String, _ folder: Folder) -> String? {
    switch kind {
    case "file", "replay": "{ \(kind): \(folder.path)/nowhere }"
    case "exec": "{ exec: ['false'] }"
    case "sql": "{ sql: { url: 'sqlite:\(folder.path)/nowhere', query: select 1 } }"
    case "generate": #"{ generate: 'error("no")' }"#
    case "http": "{ http: 'http://canned/nowhere' }"
    case "launch_library", "spacex": "{ \(kind): { url: 'http://canned/nowhere' } }"
    case "apod": "{ apod: { url: 'http://canned/nowhere', random: 3 } }"
    default: nil
    }
  }

  private func spec(_ kind: String) throws -> NodeSpec {
    try #require(Catalog.all.sources.first { $0.kind == kind })
  }

  @Test(
    "it is declared whole: a summary of one line, examples that are right, options that they show",
    arguments: kinds)
  func declaration(_ kind: String) throws { Contract.checkDeclaration(try spec(kind)) }

  @Test("told to stop while it waits, it ends soon; counters tell what it gave", arguments: own)
  func stopping(_ kind: String) throws {
    let folder = Folder()
    let source = try #require(
      Self.trial(kind, folder),
      "\(kind) has no trial in this contract: it needs a case in `trial`, or a place in `elsewhere`")
    let work = try Work("in: \(source)", isVirtual: kind == "replay")
    work.run.start()
    work.goOn()
    #expect(eventually { work.heard.entries.count == 3 })
    #expect(work.ends.entries.isEmpty || kind == "replay")
    let time = elapsed {
      work.run.stop()
      work.goOn()
      #expect(eventually { !work.ends.entries.isEmpty })
    }
    #expect(time < .seconds(5) && work.ends.entries == [false])
    expect(work.heard.entries, equals: ["1", "2", "3"])
    let counts = work.run.statistics.map { ($0.eventsOut ?? 0, $0.errors, $0.dropped) }
    #expect(counts[0] == (3, 0, 0))
    expect(work.run.statistics.last?.eventsIn, equals: 3)
  }

  @Test("one that fails makes the run a failed one; another source is read to its end", arguments: own)
  func failing(_ kind: String) throws {
    let folder = Folder()
    let bad = try #require(Self.failure(kind, folder), "\(kind) has no failure in this contract")
    let isVirtual = kind == "replay"
    let good =
      isVirtual ? try #require(Self.trial(kind, folder)) : "{ file: \(folder.write("in", "1\n2\n3\n")) }"
    let work = try Work("bad: \(bad), good: \(good)", isVirtual: isVirtual)
    work.run.start()
    work.goOn()
    #expect(eventually { !work.ends.entries.isEmpty })
    expect(work.ends.entries, equals: [true])
    expect(work.heard.entries, equals: ["1", "2", "3"])
    #expect(work.log.entries.count == 1 && work.log.entries.first?.hasPrefix("bad: ") == true)
    expect(work.run.statistics.first?.errors, equals: 1)
  }

  @Test("stopped before it has begun, it gives nothing and ends", arguments: own)
  func stoppedAtOnce(_ kind: String) throws {
    let folder = Folder()
    let work = try Work("in: \(try #require(Self.trial(kind, folder)))", isVirtual: kind == "replay")
    work.run.stop()
    work.run.start()
    work.goOn()
    #expect(eventually { !work.ends.entries.isEmpty })
    expect(work.ends.entries, equals: [false])
  }
}

/// A pipeline of nothing but sources and one sink that notes what it is given.
private struct Work {
  let run: PipelineRun
  let heard = Journal<String>()
  let log = Journal<String>()
  let ends = Journal<Bool>()
  private let clock: VirtualScheduler?

  init(_ sources: String, isVirtual: Bool) throws {
    let plan = try Trial.plan("name: p\nsources: { \(sources) }\nsteps: []\nsinks: { it: null }\n")
    clock = isVirtual ? VirtualScheduler() : nil
    var options = RunOptions(
      world: .real, log: Log { [log] in log.note("\($0.node): \($0.message)") }, screen: silentScreen)
    if let clock { options.world.wallClock = { 1_767_225_600 + Double(clock.now.nanoseconds) / 1e9 } }
    options.world[WebAccess.self] = Canned.access(Self.answer)
    options.sink = { [heard] _, _ in Hearing { value in heard.note("\(value.member("n") ?? value)") } }
    run = try PipelineRun(plan, options, clock: clock) { [ends] in ends.note($0) }
  }

  /// Three rows, as each service would have them.
  @Sendable private static func answer(_ order: TransferOrder) -> Canned.Reply {
    let rows = (1...3).map { ##"{"id":"\##($0)","date":"2026-01-0\##($0)","n":\##($0)}"## }.joined(
      separator: ",")
    if order.address.path.contains("nowhere") {
      return Canned.Reply(#"{"detail":"Not found."}"#, status: 404)
    }
    if order.address.path.contains("2.3.0") {
      return Canned.Reply(#"{"count":3,"next":null,"previous":null,"results":[\#(rows)]}"#)
    }
    return Canned.Reply("[\(rows)]")
  }

  /// Has virtual time pass, if that is the time.
  func goOn() { clock?.advance(by: .seconds(1)) }
}

private final class Hearing: Sink {
  private let note: (Value) -> Void

  init(_ note: @escaping (Value) -> Void) { self.note = note }

  func take(_ event: Event) { note(event.value) }
}
