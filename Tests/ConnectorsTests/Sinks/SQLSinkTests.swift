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

  @Test("while another program holds the database rows wait, and it says so; nothing is lost")
  func locked() throws {
    try table.make("create table t (key primary key)")
    let other = try Database(foreign: table.path, to: .write, busyMilliseconds: 100)
    try other.execute("begin exclusive")
    let state = try TemporaryState()
    let release = LockedDatabase(other)
    var bench = SinkBench().with(state)
    bench.meanwhile = { run in
      _ = eventually(patience: 60) {
        run.outline().nodes.contains { $0.name == "it" && $0.wait?.reason.has("locked") == true }
      }
      release.commit()
    }
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

  func commit() { try? database.execute("commit") }
}
