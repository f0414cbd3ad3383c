import Expectations
@testable import Connectors
import System
import JSON
import Store
import TestSupport
import Testing
import Trials

@testable import Engine
@testable import Language

/// The source `sql`, on SQLite files that another connection changes.
@Suite(.timeLimit(.minutes(30))) struct SQLTests {
  private let folder = Folder()
  private let other: Database

  init() throws {
    other = try Database(path: "\(folder.path)/shop.db")
  }

  private func trial(_ options: String, position: Value? = nil) throws -> WebTrial {
    try WebTrial("sql: { url: 'sqlite:\(other.path)', \(options) }", position: position) { _ in .init("") }
  }

  private func rows(_ query: String, _ more: String = "") throws -> String {
    try trial("query: \(Value.string(query))\(more)").rows()
  }

  private func failure(_ query: String, _ more: String = "") throws -> String {
    let trial = try trial("query: \(Value.string(query))\(more)")
    let error = #expect(throws: (any Error).self) { try trial.poll() }
    return (error.map { "\($0)" } ?? "").replacing("\(folder.path)/", by: "")
  }

  @Test("rows have the database's types: numbers are exact, times ISO 8601, bytes base64, JSON values")
  func types() throws {
    try other.execute(
      """
      create table t (i integer, r real, s text, b blob, n text, yes boolean, j json, at datetime, day date, odd timestamp);
      insert into t values (9007199254740993, 0.1, 'a "b" ä', x'00ff', null, 1, '{"a":[1]}',
        '2026-01-01 10:00:00.5', '2026-01-01', 'soon');
      insert into t values (-9223372036854775808, 1e999, '', x'', 7, 2, 'not', 5, 6, 7);
      """)
    try expect(
      rows("select * from t"),
      equals: #"[{"i":9007199254740993,"r":0.1,"s":"a \"b\" ä","b":"AP8=","n":null,"yes":true,"j":{"a":[1]},"#
        + #""at":"2026-01-01T10:00:00.5Z","day":"2026-01-01","odd":"soon"},"#
        + #"{"i":-9223372036854775808,"r":"Infinity","s":"","b":"","n":"7","yes":2,"j":"not","at":5,"day":6,"odd":7}]"#
    )
  }

  @Test("data goes in by parameters, of any type, and is never SQL; names in quotes and comments are none")
  func parameters() throws {
    try expect(
      rows(
        "select :a as a, typeof(:b) as b, :c + 1 as c, ':a' as d, :e as e -- :f\n ; ",
        #", params: { a: "x' or 1=1", b: null, c: 9007199254740993, e: { k: [1] } }"#),
      equals: #"[{"a":"x' or 1=1","b":"null","c":9007199254740994,"d":":a","e":"{\"k\":[1]}"}]"#)
    try expect(rows("values (1), (2)", ", rows: '.[].column1'"), equals: "[1,2]")
    // What SQLite's numbers cannot have is text.
    try expect(
      rows(
        "select :a as a, :b as b, :c as c, :d as d, :e as e",
        ", params: { a: 0.1234567890123456789, b: 100000000000000000001, c: 0.12345678901234566, d: 1e17, e: 1e999 }"
      ),
      equals: #"[{"a":"0.1234567890123456789","b":"100000000000000000001","c":0.12345678901234566,"#
        + #""d":100000000000000000,"e":"1E+999"}]"#)
    try expect(
      failure("select ? as a"),
      equals: "shop.db: the query has a parameter without a name: write :name, and name it in params")
  }

  @Test("what another connection changes is seen by the next poll; each poll is one state of the table")
  func changes() throws {
    try other.prepareToWrite()
    try other.execute(
      "create table items (id integer primary key, price real); insert into items values (1, 2.5)")
    let trial = try trial("query: select * from items")
    try expect(trial.rows(), equals: #"[{"id":1,"price":2.5}]"#)
    try other.execute("update items set price = 3; insert into items values (2, 1)")
    try expect(trial.rows(), equals: #"[{"id":1,"price":3},{"id":2,"price":1}]"#)
    try other.execute("begin; delete from items")
    try expect(trial.rows(), equals: #"[{"id":1,"price":3},{"id":2,"price":1}]"#)
    try other.execute("commit")
    try expect(trial.rows(), equals: "[]")
  }

  @Test(
    "a query that changes data, several statements, and none are refused with a reason, and change nothing")
  func refusals() throws {
    try other.execute("create table items (id integer); insert into items values (1)")
    let changing = "the query changes data: a source only reads"
    try expect(failure("delete from items returning id"), equals: "shop.db: \(changing)")
    try expect(failure("insert into items values (2)"), equals: "shop.db: \(changing)")
    try expect(failure("pragma user_version = 3"), equals: "shop.db: \(changing)")
    try expect(failure("attach 'x.db' as x"), equals: "shop.db: the query gives no rows")
    try expect(
      failure("select 1; select 2"), equals: "shop.db: cannot use the statement: there is more than one")
    try expect(failure("-- nothing"), equals: "shop.db: cannot use the statement: there is none")
    try expect(
      failure("select * from nowhere"), equals: "shop.db: cannot use the statement: no such table: nowhere")
    try expect(
      failure("select 1 as a, 2 as a"), equals: "shop.db: two columns are named “a”: name one of them with AS"
    )
    try expect(rows("select count(*) as n from items"), equals: #"[{"n":1}]"#)
  }

  @Test("a text that is not UTF-8 is refused with its column, as PostgreSQL does, and its bytes can be read")
  func encodings() throws {
    try other.execute("create table t (n, t text); insert into t values (1, cast(x'4dfc6c6c6572' as text))")
    try expect(
      failure("select * from t"),
      equals: #"shop.db: the column “t” has a text that is not UTF-8; select CAST("t" AS BLOB) for its bytes"#
    )
    try expect(rows("select cast(t as blob) as t from t"), equals: #"[{"t":"TfxsbGVy"}]"#)
  }

  @Test("a query that takes too long, rows that are too large, and a lock are failures of the poll")
  func limits() throws {
    let endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) as m from n"
    try expect(failure(endless, ", timeout: 50ms"), equals: "shop.db: took longer than the timeout, 50ms")
    try expect(
      failure("select zeroblob(1000) as b", ", max_size: 1000"),
      equals: "shop.db: the rows are larger than max_size, 1000 bytes: select fewer of them, or raise it")
    try other.execute("pragma locking_mode = exclusive; create table t (i); begin exclusive")
    #expect(try failure("select * from t", ", timeout: 50ms").has("database is locked"))
    // A stop ends the wait for a lock.
    let stop = StopSign()
    stop.set()
    let start = ContinuousClock.now
    let query = SQLQuery(text: SQLText("select * from t"), timeout: .seconds(60), limit: 1 << 20)
    let error = #expect(throws: SQLFailure.self) { try SQLite(other.path).read(query, stop: stop) }
    #expect(error?.mayPass == true && ContinuousClock.now - start < .seconds(3))
  }

  // MARK: - after

  private func ids(_ answer: PollAnswer) -> [Int] {
    answer.rows.compactMap { $0.member("id")?.double.map { Int($0) } }
  }

  @Test("with after a poll has what is behind the last row, and the next run goes on there")
  func after() throws {
    try other.execute(
      "create table log (id integer primary key, text); insert into log values (1, 'a'), (2, 'b')")
    let trial = try trial("query: select * from log;, after: id")
    expect(ids(try trial.poll()), equals: [1, 2])
    expect(ids(try trial.poll()), equals: [])
    try other.execute("insert into log values (3, 'c'), (null, null)")
    let answer = try trial.poll()
    #expect(ids(answer) == [3, 4] && answer.coverage == .partial)
    try other.execute("insert into log values (5, 'e')")
    let memory = try Value.parse(try #require(answer.memory).description)
    let next = try self.trial(
      "query: select * from log, after: id", position: .record([("memory", memory)]))
    expect(ids(try next.poll()), equals: [5])
    // So it has a state, whatever else the pipeline has.
    let plan = try Trial.plan(
      """
      sources: { in: { sql: { url: sqlite:shop.db, query: select * from log, after: id }, every: 1h } }
      steps: []
      sinks: { out: { console: {} } }
      """)
    #expect(plan.hasState)
  }

  @Test("after must be a column of the query, as it is spelled there")
  func columns() throws {
    try other.execute("create table log (id integer primary key)")
    for name in ["ID", "idd"] {
      try expect(
        failure("select id, 1 as one from log", ", after: \(name)"),
        equals: "shop.db: the query has no column “\(name)”, which after names: it has id, one")
    }
    #expect(
      try failure("delete from log returning id", ", after: id").hasSuffix(
        "the query changes data: a source only reads"))
  }

  @Test("rows with the time of the last one, and one that was committed late, are sent once")
  func ties() throws {
    try other.execute(
      "create table log (id integer, at text); insert into log values (1, '10:00'), (2, '10:01'), (3, '10:01')"
    )
    let trial = try trial("query: select * from log, after: at, overlap: 2")
    expect(ids(try trial.poll()), equals: [1, 2, 3])
    // Two more at that time; the last two rows are 2 and 3, so that all at 10:01 and later is read again.
    try other.execute("insert into log values (4, '10:01'), (5, '10:01')")
    expect(ids(try trial.poll()), equals: [4, 5])
    try other.execute("insert into log values (6, '10:03'), (7, '10:05')")
    expect(ids(try trial.poll()), equals: [6, 7])
    // Late, but not behind the window; and one that is.
    try other.execute("insert into log values (8, '10:04'), (9, '10:02')")
    expect(ids(try trial.poll()), equals: [8])
    // A row of the window that has changed since comes again.
    try other.execute("update log set id = 70 where id = 7; insert into log values (10, null)")
    expect(ids(try trial.poll()), equals: [70])
    try other.execute("delete from log")
    for _ in 0..<2 { expect(ids(try trial.poll()), equals: []) }
    expect(trial.told.entries.count, equals: 1)
    expect(
      trial.told.entries.first?.has(#"the rows from at "10:04" on, which were read, are gone"#), equals: true)
    try other.execute("insert into log values (11, '10:06')")
    expect(ids(try trial.poll()), equals: [11])
  }

  @Test("rows beyond max_size come with the next polls; where none fits, the poll fails")
  func cut() throws {
    try other.execute(
      "create table log (id integer); insert into log with recursive n(i) as (select 1 union all select i + 1 from n where i < 10) select i from n"
    )
    let trial = try trial("query: select * from log, after: id, overlap: 1, max_size: 90")
    var found: [[Int]] = []
    for _ in 0..<4 { found.append(ids(try trial.poll())) }
    expect(found, equals: [[1, 2, 3, 4, 5], [6, 7, 8, 9], [10], []])
    expect(
      trial.told.entries.first, equals: "max_size is reached after 5 rows; the others come with the next poll"
    )
    let narrow = try self.trial("query: select 1 as id from log, after: id, max_size: 90")
    try expect(narrow.poll().rows.count, equals: 5)
    let error = #expect(throws: SQLFailure.self) { try narrow.poll() }
    expect(
      error?.description.hasSuffix("larger than max_size: raise it, or set a smaller overlap"), equals: true)
  }

  @Test("options that do not go together are reported")
  func checks() {
    func problem(_ options: String) -> String {
      let found = #expect(throws: Trial.Wrong.self) {
        try Trial.plan("sources: { in: { sql: { \(options) } } }\nsteps: []\nsinks: { it: null }\n")
      }
      return found?.description ?? ""
    }
    #expect(problem("url: shop.db, query: select 1").has("this is not the address of a database"))
    for url in [
      "postgres://", "mysql://a/b", "sqlite:", "sqlite::memory:", "sqlite:file:x?mode=memory",
      "sqlite:///shop.db",
    ] {
      #expect(problem("url: '\(url)', query: select 1").has("this is not the address of a database"))
    }
    #expect(problem("url: sqlite:a, query: select 1, listen: a").has("listen is for a PostgreSQL server"))
    #expect(
      problem("url: 'postgres://a/b', query: select 1, listen: a, each: [1]").has("does not go with each"))
    #expect(problem("url: sqlite:a, query: 'select :a'").has("params does not name :a"))
    #expect(problem("url: sqlite:a, query: select 1, params: { a: 1 }").has("the query has no :a"))
    #expect(problem("url: sqlite:a, query: select 1, overlap: 2").has("overlap has no effect without after"))
    #expect(problem(#"url: sqlite:a, query: 'select \(.)'"#).has("a query is no template"))
  }
}
