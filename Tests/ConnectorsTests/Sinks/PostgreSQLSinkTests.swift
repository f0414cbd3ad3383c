import Expectations
@testable import Connectors
import Glibc
import JSON
import Reactive
import Store
import System
import TestSupport
import Testing
import Trials

@testable import Engine
@testable import Language

/// The sink `sql`, on a PostgreSQL server.
@Suite(
  .timeLimit(.minutes(30)),
  .enabled(if: PostgreSQLServer.isWanted, .init(rawValue: PostgreSQLServer.missing)))
struct PostgreSQLSinkTests {
  private let table: PostgreSQLTrial

  init() throws { table = try PostgreSQLTrial() }

  @Test("change events insert, update and delete rows of a table that is made for them")
  func changes() throws {
    let seen = try table.run(
      "key: .key, columns: { name: .after.name, more: .after.more, n: .after.n, yes: .after.yes }, create: true",
      lines: [
        #"{"type":"added","key":"a","after":{"name":"A","more":{"n":[1]},"n":9007199254740993,"yes":true}}"#,
        #"{"type":"added","key":"b","after":{"name":"B","n":0.10}}"#,
        #"{"type":"changed","key":"a","after":{"name":"A2","more":[true],"n":9007199254740993,"yes":false}}"#,
        #"{"type":"added","key":"c","after":{"name":"C"}}"#, #"{"type":"removed","key":"c","before":{}}"#,
      ])
    #expect(!seen.hasFailed, "\(seen.log)")
    try expect(table.lines(), equals: "a|A2|[true]|9007199254740993|f\nb|B||0.10|")
  }

  @Test(
    "values have the types of the table: bytes are base64, lists arrays, objects JSON, texts in any schema")
  func types() throws {
    try table.make(
      """
      create schema shop; create type mood as enum ('good', 'bad');
      create table shop.t ("K y" bytea primary key, at timestamptz, list int[], data json, mood mood, c "char", v varchar(3))
      """)
    let yaml = """
      it: { sql: { url: '\(table.address)', table: shop.t, key: { 'K y': .k },
        columns: { at: .at, list: .list, data: .data, mood: .mood, v: .v } } }
      """
    let seen = try SinkBench().run(
      yaml,
      lines: [
        #"{"k":"AP8=","at":"2026-01-01T10:00:00+02:00","list":[1,null],"data":{"a":"\u0001"},"mood":"good","v":"abc"}"#,
        #"{"k":"AQ==","at":null,"mood":"bad"}"#, #"{"k":"AQ==","type":"removed"}"#,
        #"{"k":"AA==","mood":"odd"}"#, #"{"k":"Ag==","v":"four"}"#, #"{"k":"Aw==","v":"\u0000"}"#,
        #"{"k":"%"}"#,
      ])
    let rows = try table.lines("set timezone = 'UTC'; select * from shop.t")
    expect(rows, equals: #"\x00ff|2026-01-01 08:00:00+00|{1,NULL}|{"a":"\u0001"}|good||abc"#)
    for reason in [
      #"invalid input value for enum mood: "odd""#, "value too long for type character varying(3)",
      "unsupported Unicode escape sequence",
    ] {
      #expect(seen.log.contains { $0.has(reason) }, "\(reason): \(seen.log)")
    }
  }

  @Test("of a poll a key that is no value of its column is refused alone")
  func keys() throws {
    try table.make("create table t (key int primary key); insert into t values (1), (2)")
    let seen = try table.run("key: .id", polls: [[#"{"id":"?"}"#, #"{"id":2}"#]])
    try expect(table.lines(), equals: "2")
    #expect(seen.log.contains { $0.has(#"invalid input syntax for type integer: "?""#) }, "\(seen.log)")
  }

  private func batch(_ numbers: [Int], _ place: OutputPlace? = nil) -> SQLBatch {
    var batch = SQLBatch(columns: ["n"], keys: 0)
    batch.set = numbers.map { .array([.number($0)]) }
    batch.output = place.map { SQLPlace(sink: "p/it", stateID: "a", $0) }
    return batch
  }

  private func write(_ batches: [SQLBatch], _ connection: any SQLConnection) throws -> [SQLRefusal] {
    try connection.write(batches, refused: [], to: SQLTable(name: "t", isMade: false), stop: StopSign())
  }

  @Test("ten thousand rows of which half is refused take few requests; each is known, and known again")
  func backlog() throws {
    try table.make("create table t (n int check (n % 2 = 0))")
    let rows = batch(Array(1...10_000), OutputPlace(epoch: 1, index: 0))
    let start = ContinuousClock.now
    for _ in 0..<2 {
      let refusals = try write([rows], try table.connection)
      expect(refusals.map(\.row), equals: (0..<10_000).filter { $0 % 2 == 0 })
    }
    #expect(ContinuousClock.now - start < .seconds(10))
    try expect(table.lines("select count(*), sum(n) from t"), equals: "5000|25005000")
  }

  @Test("a commit that is not answered is not applied again, with a place and without one")
  func unanswered() throws {
    try table.make(
      """
      create table t (n int); create function cut() returns trigger language plpgsql as
        'begin perform pg_sleep(0.5); return null; end';
      """)
    for place in [OutputPlace(epoch: 1, index: 0), nil] {
      for isLate in [false, true] {
        try table.make("truncate t; drop table if exists flow_positions")
        let connection = try table.connection
        _ = try write([batch([1])], connection)
        if isLate {
          try table.make(
            "create constraint trigger c after insert on t deferrable initially deferred for each row execute function cut()"
          )
        }
        // The server ends the connection with the commit, whose answer is lost.
        let proxy = try #require(connection as? PostgreSQL)
        proxy.loseNextAnswer()
        let error = #expect(throws: SQLFailure.self) { try write([batch([2], place)], connection) }
        expect(error?.mayPass, equals: true)
        var isWritten = false
        while !isWritten {
          do {
            _ = try write([batch([2], place)], connection)
            isWritten = true
          } catch let error as SQLFailure { try #require(error.mayPass, "\(error)") }
        }
        try expect(table.lines(), equals: "1\n2")
        try table.make("drop trigger if exists c on t")
      }
    }
  }

  @Test("a server that has stopped answering is given up, and what was written once more is written once")
  func frozen() throws {
    let server = try PostgreSQLServer()
    let own = try PostgreSQLTrial(server)
    try own.make("create table t (n int)")
    for place in [OutputPlace(epoch: 1, index: 0), nil] {
      try own.make("truncate t; drop table if exists flow_positions")
      let connection = try #require(try own.connection as? PostgreSQL)
      _ = try write([batch([1])], connection)
      let query = "select pid from pg_stat_activity where application_name = 'flow'"
      let backend = try #require(pid_t(try own.lines(query)))
      kill(backend, SIGSTOP)
      defer { kill(backend, SIGCONT) }
      connection.patience = .milliseconds(300)
      let error = #expect(throws: SQLFailure.self) { try write([batch([2], place)], connection) }
      #expect(error?.mayPass == true && error?.description.has("the server does not answer") == true)
      connection.patience = .seconds(60)
      // On another connection; the first one may hold a lock until it notices.
      _ = try write([batch([2], place)], connection)
      kill(backend, SIGCONT)
      #expect(eventually { (try? own.lines(query)) != "\(backend)" && (try? own.lines()) == "1\n2" })
    }
  }

  @Test("while a lock is held rows wait, and it says so")
  func locks() throws {
    try table.make("create table t (key int primary key)")
    let trial = table
    #expect(
      startThread(named: "locker") {
        _ = try? trial.server.sql("begin; lock table t; select pg_sleep(12); commit", in: trial.database)
      })
    #expect(
      eventually {
        (try? trial.lines("select count(*) from pg_locks where mode = 'AccessExclusiveLock'")) == "1"
      })
    let seen = try SinkBench().run(table.sink("key: ., create: true"), lines: ["1", "2"], isReal: true)
    try expect(table.lines(), equals: "1\n2")
    #expect(seen.log.contains { $0.has("canceling statement due to lock timeout; rows wait until") })
  }

  @Test("while the server is away rows wait, and it says so; nothing is lost")
  func waits() throws {
    let server = try PostgreSQLServer()
    let own = try PostgreSQLTrial(server)
    try own.make("create table t (key int primary key)")
    let state = try TemporaryState()
    try server.kill()
    var bench = SinkBench()
    bench.state = state
    bench.meanwhile = { _ in
      StopSign().wait(seconds: 2)
      try? server.start()
    }
    let seen = try bench.run(own.sink("key: ."), lines: ["1", "2"], isReal: true)
    try expect(own.lines(), equals: "1\n2")
    #expect(seen.log.contains { $0.has("; rows wait until it can be written to") })
    #expect(seen.log.contains { $0.has("can be written to again") })
  }

  @Test(
    "while its disk is full rows wait, and it says so; nothing is lost or doubled",
    .enabled(if: SmallDisk.isPossible, .init(rawValue: SmallDisk.missing)))
  func fullDisk() throws {
    let server = try PostgreSQLServer()
    let (own, disk) = (try PostgreSQLTrial(server), try SmallDisk(bytes: 2 << 20))
    PostgreSQLServer.give(disk.path)
    try own.server.sql("create tablespace small location '\(disk.path)'")
    try own.make("create table t (key int primary key, pad text) tablespace small")
    disk.fill()
    var bench = SinkBench()
    bench.state = try TemporaryState()
    bench.meanwhile = { _ in
      StopSign().wait(seconds: 2)
      disk.empty()
    }
    let pad = String(repeating: "x", count: 200)
    let seen = try bench.run(
      own.sink("key: .n, columns: { pad: .pad }"), lines: (1...2000).map { #"{"n":\#($0),"pad":"\#(pad)"}"# },
      isReal: true)
    try expect(own.lines("select count(*), sum(key) from t"), equals: "2000|2001000")
    let waits = "No space left on device"
    #expect(seen.log.contains { $0.has(waits) && $0.has("; rows wait until it can be written to") })
    #expect(seen.log.contains { $0.has("can be written to again") })
    #expect(!seen.hasFailed && seen.letters.isEmpty)
  }

  @Test("without its table, columns or key, or with a wrong password, a run does not start")
  func starts() throws {
    func problem(_ options: String) throws -> String {
      let error = #expect(throws: (any Error).self) { try table.run(options, lines: [#"{"k":1}"#]) }
      return error.map { "\($0)" } ?? ""
    }
    #expect(try problem("key: .k").hasSuffix("there is no table t"))
    try table.make("create table t (key int, id int primary key)")
    #expect(try problem("key: { no: .k }").hasSuffix("the table t has no column no"))
    #expect(try problem("key: .k, create: true").has("no unique or exclusion constraint"))
    try table.server.sql(
      "do $$ begin create role stranger login; exception when others then null; end $$", in: table.database)
    for (login, reason) in [("stranger", "permission denied for table t"), ("guarded2", "does not exist")] {
      let url = table.server.address(table.database, login: login)
      let error = #expect(throws: (any Error).self) {
        try SinkBench().run("it: { sql: { url: '\(url)', table: t, key: { id: .k } } }", lines: [#"{"k":1}"#])
      }
      #expect("\(try #require(error))".hasSuffix(reason))
    }
  }

  @Test("with a state from a backup, what comes is written; a database that has lost rows is reported")
  func older() throws {
    let state = try TemporaryState()
    let options = "key: .k, columns: { n: .n }, create: true"
    func run(_ numbers: ClosedRange<Int>, _ state: TemporaryState) throws -> [String] {
      try table.run(options, lines: numbers.map { #"{"k":\#($0),"n":\#($0)}"# }, state: state).log
    }
    #expect(try run(1...2, state).isEmpty)
    let backup = try state.copy()
    for number in 3...6 { #expect(try run(number...number, state).isEmpty) }
    #expect(try run(7...7, backup).contains { $0.has("the state is older than postgres://postgres@/") })
    try expect(table.lines("select count(*), max(key) from t"), equals: "7|7")
    try table.make("truncate flow_positions")
    #expect(try run(8...8, backup).contains { $0.has("has lost rows that were written") })
  }
}
