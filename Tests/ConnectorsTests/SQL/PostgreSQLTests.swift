import Expectations
@testable import Connectors
import Trials
import JSON
import System
import TestSupport
import Testing

@testable import Engine
@testable import Language

/// The source `sql`, on a PostgreSQL server that another connection changes.
@Suite(
  .timeLimit(.minutes(30)),
  .enabled(if: PostgreSQLServer.isWanted, .init(rawValue: PostgreSQLServer.missing)))
struct PostgreSQLTests {
  private let other: PostgreSQLTrial

  init() throws { other = try PostgreSQLTrial() }

  private func trial(_ options: String, position: Value? = nil) throws -> WebTrial {
    try WebTrial("sql: { url: '\(other.address)', \(options) }", position: position) { _ in .init("") }
  }

  private func rows(_ query: String, _ more: String = "") throws -> String {
    try trial("query: \(Value.string(query))\(more)").rows()
  }

  private func failure(_ query: String, _ more: String = "") throws -> String {
    let trial = try trial("query: \(Value.string(query))\(more)")
    let error = #expect(throws: (any Error).self) { try trial.poll() }
    return (error.map { "\($0)" } ?? "").replacing("postgres://postgres@/\(other.database): ", by: "")
  }

  @Test(
    "rows have the database's types: numbers are exact, times ISO 8601, bytes base64, JSON and arrays values")
  func types() throws {
    try expect(
      rows(
        """
        select 1::int2 as a, 9007199254740993::int8 as b, -5 as c, 0.1::float8 as d, 1e300::float8 as e,
          123456789012345678901234567890.10::numeric as f, 'NaN'::numeric as g, '-Infinity'::float8 as h,
          true as i, false as j, null::int as k, 'a "b" ä' as l, '\\x00ff'::bytea as m, ''::bytea as n
        """),
      equals:
        #"[{"a":1,"b":9007199254740993,"c":-5,"d":0.1,"e":1e+300,"f":123456789012345678901234567890.10,"#
        + #""g":"NaN","h":"-Infinity","i":true,"j":false,"k":null,"l":"a \"b\" ä","m":"AP8=","n":""}]"#)
    try expect(
      rows(
        """
        select '{"a":[1]}'::json as a, '[true,null]'::jsonb as b, timestamp '2026-01-01 10:00:00.5' as c,
          timestamptz '2026-01-01 10:00:00+02' as d, date '2026-01-01' as e, 'infinity'::timestamptz as f,
          time '10:00' as g, interval '1 day' as h, 'd9428888-122b-11e1-b85c-61cd3cbb3210'::uuid as i
        """),
      equals: #"[{"a":{"a":[1]},"b":[true,null],"c":"2026-01-01T10:00:00.5","d":"2026-01-01T08:00:00Z","#
        + #""e":"2026-01-01","f":"infinity","g":"10:00:00","h":"1 day","i":"d9428888-122b-11e1-b85c-61cd3cbb3210"}]"#
    )
    try expect(
      rows(
        #"""
        select array[1,null,3] as a, array['a"b\c','NULL',null,'',' x,y}'] as b, array[[1.5],[2]] as c,
          '{}'::int[] as d, '[2:3]={1,2}'::int[] as e, array[true] as f, array['{"a":1}'::jsonb] as g,
          array[timestamptz '2026-01-01 10:00Z'] as h, int4range(1, 3) as i
        """#),
      equals:
        #"[{"a":[1,null,3],"b":["a\"b\\c","NULL",null,""," x,y}"],"c":[[1.5],[2]],"d":[],"e":[1,2],"f":[true],"#
        + #""g":[{"a":1}],"h":["2026-01-01T10:00:00Z"],"i":"[1,3)"}]"#)
  }

  @Test("data goes in by parameters, of any type, and is never SQL; names in quotes and comments are none")
  func parameters() throws {
    try expect(
      rows(
        "select :a::text as a, :b::int as b, :c::bigint + 1 as c, ':a' as d, :e::jsonb -> 'k' as e, :a::text as f -- :f\n ; ",
        #", params: { a: "x' or 1=1", b: null, c: 9007199254740993, e: { k: [1] } }"#),
      equals: #"[{"a":"x' or 1=1","b":null,"c":9007199254740994,"d":":a","e":[1],"f":"x' or 1=1"}]"#)
    try expect(
      rows(
        "select n from generate_series(1, 5) n where n = any(:few)",
        ", params: { few: [2, 4, null] }, rows: '.[].n'"), equals: "[2,4]")
    try expect(
      failure("select $1::int as a"),
      equals: "the query has a parameter without a name: write :name, and name it in params")
  }

  @Test(
    "a query that changes data, several statements, and none are refused with a reason, and change nothing")
  func refusals() throws {
    try other.make("create table items (id integer); insert into items values (1)")
    let changing = "the query changes data: a source only reads"
    try expect(failure("delete from items returning id"), equals: changing)
    try expect(failure("with x as (delete from items returning id) select * from x"), equals: changing)
    #expect(try failure("select nextval('s')").has("does not exist"))
    try expect(failure("insert into items values (2)"), equals: "the query gives no rows")
    try expect(failure("commit"), equals: "the query gives no rows")
    #expect(try failure("select 1; delete from items").has("cannot insert multiple commands"))
    #expect(try failure("select * from nowhere").has("relation \"nowhere\" does not exist"))
    try expect(
      failure("select 1 as a, 2 as a"), equals: "two columns are named “a”: name one of them with AS")
    #expect(try failure("delete from items returning id", ", after: id").has("syntax error"))
    try expect(rows("select count(*) as n from items"), equals: #"[{"n":1}]"#)
  }

  @Test(
    "a query that takes too long, and rows that are too large, are failures of the poll; the next one works")
  func limits() throws {
    try expect(
      failure("select pg_sleep(5)", ", timeout: 200ms"), equals: "took longer than the timeout, 200ms")
    try expect(
      failure("select repeat('x', 100000) as a from generate_series(1, 1000)", ", max_size: 1MB"),
      equals: "the rows are larger than max_size, 1000000 bytes: select fewer of them, or raise it")
    try other.make("create table log (id int); insert into log select generate_series(1, 10)")
    let trial = try trial("query: select * from log, after: id, overlap: 1, max_size: 90")
    var found: [[Int]] = []
    for _ in 0..<4 { found.append(ids(try trial.poll())) }
    expect(found, equals: [[1, 2, 3, 4, 5], [6, 7, 8, 9], [10], []])
    // A stop ends the wait for the server.
    let stop = StopSign()
    stop.set()
    let query = SQLQuery(text: SQLText("select 1"), timeout: .seconds(60), limit: 1 << 20)
    let error = #expect(throws: SQLFailure.self) { try other.connection.read(query, stop: stop) }
    expect(error?.mayPass, equals: true)
  }

  private func ids(_ answer: PollAnswer) -> [Int] {
    answer.rows.compactMap { $0.member("id")?.double.map { Int($0) } }
  }

  @Test("with after a poll has what is behind the last row, and the next run goes on there")
  func after() throws {
    try other.make(
      """
      create table log (id bigint, at timestamptz); insert into log values (1, '2026-01-01 10:00Z'),
        (2, '2026-01-01 10:01Z'), (3, '2026-01-01 10:01Z'), (9, null)
      """)
    for column in ["id", "at"] {
      let trial = try trial(
        "query: select * from log where id < :most;, after: \(column), params: { most: 9 }")
      expect(ids(try trial.poll()), equals: [1, 2, 3])
      expect(ids(try trial.poll()), equals: [])
      try other.make("insert into log values (4, '2026-01-01 10:01Z'), (5, '2026-01-01 10:02:00.000001Z')")
      let answer = try trial.poll()
      #expect(ids(answer) == [4, 5] && answer.coverage == .partial)
      try other.make("insert into log values (6, '2026-01-01 10:02:00.000001Z')")
      let memory = try Value.parse(try #require(answer.memory).description)
      let next = try self.trial(
        "query: select * from log where id < 9, after: \(column)", position: .record([("memory", memory)]))
      expect(ids(try next.poll()), equals: [6])
      try other.make("delete from log where id between 4 and 6")
    }
    try expect(
      failure("select id, 1 as one from log", ", after: ID"),
      equals: "the query has no column “ID”, which after names: it has id, one")
  }

  @Test(
    "a password that is wrong, a database that is missing and a server that is away fail, without the password"
  )
  func logins() throws {
    try other.server.sql(
      """
      do $$ begin create role guarded login password 'hunter2-xyz'; exception when others then null; end $$
      """)
    func problem(_ login: String, _ database: String, _ server: String? = nil) throws -> SQLFailure {
      let url = server ?? other.server.address(database, login: login)
      let connection = try #require(SQLAddress(url)).connection()
      let query = SQLQuery(text: SQLText("select 1"), timeout: .seconds(5), limit: 1 << 20)
      return try #require(#expect(throws: SQLFailure.self) { try connection.read(query, stop: StopSign()) })
    }
    let wrong = try problem("guarded:wrong-secret", "postgres")
    #expect(!wrong.mayPass && wrong.description.has("postgres://guarded@/postgres: "))
    #expect(wrong.description.hasSuffix(#"FATAL:  password authentication failed for user "guarded""#))
    let none = try problem("guarded", "postgres")
    #expect(!none.mayPass && none.description.hasSuffix("no password supplied"))
    let missing = try problem("postgres", "nowhere")
    #expect(!missing.mayPass && missing.description.hasSuffix(#"FATAL:  database "nowhere" does not exist"#))
    let setting = try problem("", "", "postgres://a:wrong-secret@127.0.0.1/x?sslmode=odd")
    #expect(!setting.mayPass && setting.description.has(#"invalid sslmode value: "odd""#))
    let odd = try problem("", "", "postgres://a:wrong-secret@[127.0.0.1/x")
    #expect(!odd.mayPass && odd.description.has("invalid") || odd.description.has("matching"))
    for failure in [wrong, none, missing, setting, odd] { #expect(!failure.description.has("wrong-secret")) }
    let away = try problem("", "", "postgres://a:wrong-secret@127.0.0.1:1/x")
    #expect(away.mayPass && away.mayBeAwaited && away.description.hasSuffix("Connection refused"))
  }

  @Test("TLS: an authority that is given, another, none, and a server without a name in its certificate")
  func encrypted() throws {
    let tests = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let files = "/\(tests)/NATSTests/Fixtures"
    let server = try PostgreSQLServer(certificate: ("\(files)/server.pem", "\(files)/server-key.pem"))
    let port = try #require(server.port)
    func read(_ host: String, _ settings: String) throws(SQLFailure) -> [Value] {
      let url = "postgres://postgres@\(host):\(port)/postgres?\(settings)"
      guard let address = SQLAddress(url) else { throw SQLFailure(url, "no address") }
      let query = SQLQuery(
        text: SQLText("select ssl from pg_stat_ssl where pid = pg_backend_pid()"), timeout: .seconds(5),
        limit: 1 << 20)
      return try address.connection().read(query, stop: StopSign()).rows
    }
    let isEncrypted = try [Value.parse(#"{"ssl":true}"#)]
    try expect(read("localhost", "sslmode=verify-full&sslrootcert=\(files)/ca.pem"), equals: isEncrypted)
    try expect(read("127.0.0.1", "sslmode=require"), equals: isEncrypted)
    for (host, settings, reason) in [
      ("localhost", "sslmode=verify-full&sslrootcert=\(files)/other-ca.pem", "certificate verify failed"),
      ("localhost", "sslmode=verify-full&sslrootcert=/nowhere.pem", "does not exist"),
      ("localhost", "sslmode=disable", "no pg_hba.conf entry"),
    ] {
      let failure = #expect(throws: SQLFailure.self) { try read(host, settings) }
      #expect(failure?.description.has(reason) == true && failure?.mayBeAwaited == false, "\(failure as Any)")
    }
  }

  @Test("a notification is passed on at once, and so is the end of a time in which none could come")
  func notifications() throws {
    let server = try PostgreSQLServer()
    let (told, polls, stop) = (Journal<String>(), Journal<Int>(), StopSign())
    let log = NodeLog(log: Log(level: .notice) { told.note($0.message) }, pipeline: "p", node: "in")
    let listener = PostgreSQLListener(
      name: "db", url: server.address("postgres"), channel: "My items", stop: stop, log: log
    ) { polls.note(1) }
    defer { stop.set() }
    #expect(listener.start())
    // The first one may come before it listens.
    #expect(
      eventually {
        _ = try? server.sql("notify \"My items\"")
        return polls.entries.count > 0
      })
    let before = polls.entries.count
    _ = try server.sql("notify others; notify \"My items\"")
    #expect(eventually { polls.entries.count > before })
    try server.kill()
    #expect(eventually { told.entries.count == 1 })
    let missed = polls.entries.count
    try server.start()
    #expect(eventually { polls.entries.count > missed && told.entries.count == 2 })
    expect(told.entries.first?.hasSuffix("polls come by the schedule alone"), equals: true)
    expect(told.entries.last, equals: "db: listening to My items again")
  }

  @Test("a server that was killed between two polls is found again")
  func restarts() throws {
    let server = try PostgreSQLServer()
    let own = try PostgreSQLTrial(server)
    try own.make("create table t (n int); insert into t values (1)")
    let trial = try WebTrial("sql: { url: '\(own.address)', query: select * from t }") { _ in .init("") }
    try expect(trial.rows(), equals: #"[{"n":1}]"#)
    try server.kill()
    #expect(throws: SQLFailure.self) { try trial.poll() }
    try server.start()
    try expect(trial.rows(), equals: #"[{"n":1}]"#)
    try server.kill()
    try server.start()
    try expect(trial.rows(), equals: #"[{"n":1}]"#)
  }
}
