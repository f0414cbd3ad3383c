import Expectations
import Foundation
@testable import Connectors
import JSON
import Store
import System
import TestSupport
import Testing
import Trials

@testable import Engine
@testable import Language

/// The sink `sql`, on SQLite files.
@Suite(.timeLimit(.minutes(30))) struct SQLSinkTests {
  private let table = SQLTrial()

  @Test("change events insert, update and delete rows; lists and objects are JSON, big numbers exact")
  func changes() throws {
    let seen = try SinkBench().run(
      table.sink("key: .key, columns: { name: .after.name, more: .after.more }, create: true"),
      lines: [
        #"{"type":"added","key":"a","after":{"name":"A","more":{"n":[1]}}}"#,
        #"{"type":"added","key":"b","after":{"name":9007199254740993}}"#,
        #"{"type":"changed","key":"a","after":{"name":"A2","more":[true]}}"#,
        #"{"type":"added","key":"c","after":{"name":true}}"#, #"{"type":"removed","key":"c","before":{}}"#,
      ])
    #expect(!seen.hasFailed, "\(seen.log)")
    try expect(
      table.rows(),
      equals: #"[{"key":"a","name":"A2","more":[true]},{"key":"b","name":9007199254740993,"more":null}]"#)
  }

  @Test("a whole poll is the list: rows that it lacks are deleted, equal ones are not written again")
  func polls() throws {
    try table.make(
      """
      create table t (shop, id integer, n, primary key (shop, id)); create table written (id);
      create trigger u after update on t begin insert into written values (new.id); end;
      insert into t values ('x', 1, 1), ('x', 2, 2), ('y', 1, 3)
      """)
    let seen = try SinkBench().run(
      table.sink("key: { shop: .shop, id: .id }, columns: { n: .n }"),
      polls: [
        [#"{"shop":"x","id":"1","n":1}"#, #"{"shop":"y","id":1,"n":4}"#, #"{"shop":"y","id":5,"n":5}"#], [],
      ])
    try expect(
      table.rows(),
      equals: #"[{"shop":"x","id":1,"n":1},{"shop":"y","id":1,"n":4},{"shop":"y","id":5,"n":5}]"#)
    try expect(table.rows("select * from written"), equals: #"[{"id":1}]"#)
    #expect(seen.log.contains { $0.has("a poll without rows deletes nothing") })
    _ = try SinkBench().run(
      table.sink("key: { shop: .shop, id: .id }, allow_empty: true"), polls: [[]])
    try expect(table.rows(), equals: "[]")
  }

  @Test("history appends, also what was removed")
  func history() throws {
    _ = try SinkBench().run(
      table.sink("columns: { type: .type, key: .key }, history: true, create: true"),
      lines: [#"{"type":"added","key":1}"#, #"{"type":"removed","key":1}"#, #"{"type":"added","key":1}"#])
    try expect(
      table.rows("select * from t"),
      equals: #"[{"type":"added","key":1},{"type":"removed","key":1},{"type":"added","key":1}]"#)
  }

  @Test(
    "a row that the database refuses is a dead letter with its reason, can be retried, and is written once")
  func letters() throws {
    try table.make("create table t (key integer primary key, n integer check (n < 10))")
    let state = try TemporaryState()
    let yaml = table.sink("key: .k, columns: { n: .n }")
    let seen = try SinkBench().with(state).run(
      yaml, lines: [#"{"k":1,"n":1}"#, #"{"k":2,"n":20}"#, #"{"k":3,"n":30}"#, #"{"k":"x","n":4}"#])
    try expect(table.rows(), equals: #"[{"key":1,"n":1}]"#)
    #expect(seen.log.contains { $0.has("it: [2,20]: cannot write: CHECK constraint failed: n < 10") })
    #expect(seen.hasFailed && seen.statistics.last?.givenUp == 3)
    let letters = try StateFile(path: state.path).deadLetters()
    expect(letters.map(\.reason).last, equals: "cannot write: datatype mismatch")
    expect(Set(letters.map(\.entry.place)).count, equals: 3)
    // Refused again, it is a dead letter again; else it is written, once.
    _ = try state.retryDeadLetter()
    _ = try SinkBench().with(state).run(yaml, lines: [#"{"k":5,"n":5}"#])
    try expect(table.rows(), equals: #"[{"key":1,"n":1},{"key":5,"n":5}]"#)
    try expect(StateFile(path: state.path).deadLetters().count, equals: 3)
    try table.make("drop table t; create table t (key primary key, n)")
    _ = try state.retryDeadLetter()
    _ = try SinkBench().with(state).run(yaml, lines: [#"{"k":6,"n":6}"#])
    try expect(StateFile(path: state.path).deadLetters().count, equals: 2)
    try expect(table.rows("select count(*) as n from t"), equals: #"[{"n":2}]"#)
  }

  @Test("an entry that was applied before a kill is not applied again, and its dead letters are still there")
  func places() throws {
    try table.make("create table t (n integer check (n < 10))")
    var batch = SQLBatch(columns: ["n"], keys: 0)
    batch.set = [[1], [20], [2]].map { .array($0.map { .number($0) }) }
    let target = SQLTable(name: "t", isMade: false)
    func write(_ stateID: String, _ epoch: Int64, _ index: Int64 = 0) throws -> [Int] {
      var batch = batch
      batch.output = SQLPlace(sink: "p/it", stateID: stateID, OutputPlace(epoch: epoch, index: index))
      return try SQLite(table.path).write([batch], refused: [], to: target, stop: StopSign()).compactMap(
        \.row)
    }
    for _ in 0..<2 { try expect(write("a", 7), equals: [1]) }
    try expect(table.rows("select count(*) as n from t"), equals: #"[{"n":2}]"#)
    try expect(write("a", 6), equals: [])
    #expect(try write("a", 7, 1) == [1] && write("b", 1) == [1])
    try expect(table.rows("select count(*) as n from t"), equals: #"[{"n":6}]"#)
    #expect(
      try table.rows("select sink, life, epoch, position from flow_positions order by life").has(
        #""life":"b","epoch":1"#))
  }

  @Test("what was refused alone is known to the next run, though a later entry has the last place")
  func carried() throws {
    try table.make("create table t (n integer check (n < 10))")
    let target = SQLTable(name: "t", isMade: false)
    var batches = [1, 20, 3].map { number in
      var batch = SQLBatch(columns: ["n"], keys: 0)
      batch.set = [.array([.number(number)])]
      return batch
    }
    for index in 0..<3 {
      batches[index].output = SQLPlace(sink: "p/it", stateID: "a", OutputPlace(epoch: 1, index: Int64(index)))
    }
    func write(_ batches: [SQLBatch], _ refused: [Value] = []) throws -> [SQLRefusal] {
      try SQLite(table.path).write(batches, refused: refused, to: target, stop: StopSign())
    }
    let first = try #require(batches[0].output)
    let whole = SQLRefusal(batch: 0, row: nil, reason: "all of it").stored(of: first)
    let second = try #require(try write([batches[1]], [whole]).first)
    _ = try write([batches[2]], [whole, second.stored(of: try #require(batches[1].output))])
    let known = try write(batches)
    #expect(known.map(\.batch) == [0, 1] && known.map(\.row) == [nil, 0])
    expect(known.map(\.reason), equals: ["all of it", "cannot write: CHECK constraint failed: n < 10"])
    try expect(table.rows(), equals: #"[{"n":3}]"#)
  }

  @Test("while another program holds the database rows wait, and it says so; nothing is lost")
  func locked() throws {
    try table.make("create table t (key primary key)")
    let other = try Database(foreign: table.path, to: .write, busyMilliseconds: 100)
    try other.execute("begin exclusive")
    let state = try TemporaryState()
    let release = LockedDatabase(other)
    var bench = SinkBench().with(state)
    bench.meanwhile = { _ in release.commit(after: 6) }
    let seen = try bench.run(table.sink("key: ."), lines: ["1", "2"], isReal: true)
    try expect(table.rows(), equals: #"[{"key":1},{"key":2}]"#)
    #expect(seen.log.contains { $0.has("database is locked; rows wait until it can be written to") })
    #expect(seen.log.contains { $0.has("can be written to again") })
  }

  @Test("a database that is locked holds up neither the pipeline nor its other sinks")
  func goesOn() throws {
    try table.make("create table t (key primary key)")
    let other = try Database(foreign: table.path, to: .write, busyMilliseconds: 100)
    let folder = try TemporaryFolder()
    try folder.write("in.jsonl", "")
    let trial = try StreamTrial(
      "file: { path: '\(folder["in.jsonl"])', follow: true }", map: ".",
      sink:
        "sql: { url: 'sqlite:\(table.path)', table: t, key: . } }, log: { jsonl: '\(folder["log.jsonl"])'",
      try TemporaryState())
    defer { trial.stop() }
    func write(_ number: Int) throws {
      let file = try FileHandle(forWritingTo: URL(fileURLWithPath: folder["in.jsonl"]))
      try file.seekToEnd()
      try file.write(contentsOf: Data("\(number)\n".utf8))
    }
    try write(1)
    #expect(eventually { (try? table.rows()) == #"[{"key":1}]"# })
    try other.execute("begin exclusive")
    for number in 2...4 {
      try write(number)
      #expect(eventually { (try? folder.text("log.jsonl"))?.hasSuffix("\(number)\n") == true })
    }
    #expect(
      eventually(patience: 60) {
        trial.run.outline().nodes.contains { $0.name == "it" && $0.wait?.reason.has("locked") == true }
      }, "\(trial.log.entries)")
    try other.execute("commit")
    #expect(
      eventually(patience: 60) { (try? table.rows()) == #"[{"key":1},{"key":2},{"key":3},{"key":4}]"# })
    #expect(eventually { trial.run.outline().nodes.allSatisfy { $0.wait == nil } })
  }

  @Test(
    "without its table or columns a run does not start; a dry run shows rows and a simulated one writes none")
  func starts() throws {
    try table.make("create table other (id)")
    let error = #expect(throws: (any Error).self) { try SinkBench().run(table.sink("key: ."), lines: ["1"]) }
    #expect("\(try #require(error))".hasSuffix("cannot use the statement: no such table: t"))
    try table.make("create table t (key primary key)")
    for options in ["key: { id: .k }", "key: { id: .k }, create: true", "key: .k, columns: { x: .x }"] {
      #expect(throws: (any Error).self) { try SinkBench().run(table.sink(options), lines: [#"{"k":1}"#]) }
    }
    var simulated = SinkBench()
    simulated.outputs = OutputPolicy(
      below: table.path + ".out", of: .simulation, isLive: false, reason: "under --sky")
    let suppressed = try simulated.run(table.sink("key: .k"), lines: [#"{"k":1}"#])
    try expect(table.rows(), equals: "[]")
    expect(suppressed.log.last, equals: "it: 1 row was not written")
    try table.make("drop table t")
    var bench = SinkBench()
    bench.isDryRun = true
    let seen = try bench.run(
      table.sink("key: .k, columns: { n: .n }"), lines: [#"{"k":1,"n":2}"#, #"{"k":1,"type":"removed"}"#])
    expect(seen.text, equals: "set in t: [1,2]\nremove from t: [1]\n")
  }

  @Test("options that do not go together are reported")
  func checks() {
    #expect(SinkBench.problems(table.sink("columns: { a: .a }")).has("sql needs the key of a row"))
    #expect(
      SinkBench.problems(table.sink("key: .k, columns: { key: .a }")).has(
        "the column key is that of the key too"))
    #expect(
      SinkBench.problems(table.sink("removed: .x, history: true")).has("removed has no effect with history"))
  }
}

extension SinkBench {
  fileprivate func with(_ state: TemporaryState) -> SinkBench {
    var bench = self
    bench.state = state
    return bench
  }
}

/// A database that is locked for a while, then let go.
private final class LockedDatabase: @unchecked Sendable {
  private let database: Database

  init(_ database: Database) { self.database = database }

  func commit(after seconds: Double) {
    StopSign().wait(seconds: seconds)
    try? database.execute("commit")
  }
}
