import Expectations
@testable import Connectors
import JSON
import Store
import System
import TestSupport
import Testing
import Trials

@testable import Engine

/// What the sink `sql` promises for every database; what only one of them does is in its own suite.
@Suite(.timeLimit(.minutes(30))) struct SQLContractTests {
  @Test(
    "a whole poll is the list: rows that it lacks are deleted, equal ones are not written again",
    arguments: databases)
  func polls(_ kind: SQLKind) throws {
    let table = try kind.trial()
    try table.make(
      """
      create table t (shop text, id int, n int, primary key (shop, id)); create table written (id int);
      insert into t values ('x', 1, 1), ('x', 2, 2), ('y', 1, 3); \(kind.updateTrigger)
      """)
    let key = "key: { shop: .shop, id: .id }"
    let seen = try table.run(
      "\(key), columns: { n: .n }",
      polls: [
        [#"{"shop":"x","id":"1","n":1}"#, #"{"shop":"y","id":1,"n":4}"#, #"{"shop":"y","id":5,"n":5}"#], [],
      ])
    try expect(table.lines(), equals: "x|1|1\ny|1|4\ny|5|5")
    try expect(table.lines("select * from written"), equals: "1")
    #expect(seen.log.contains { $0.has("a poll without rows deletes nothing") })
    _ = try table.run("\(key), allow_empty: true", polls: [[]])
    try expect(table.lines(), equals: "")
  }

  @Test("history appends, also what was removed, in order", arguments: databases)
  func history(_ kind: SQLKind) throws {
    let table = try kind.trial()
    try table.make("create table t (i \(kind.counter), type text, key int)")
    _ = try table.run(
      "columns: { type: .type, key: .key }, history: true",
      lines: [#"{"type":"added","key":1}"#, #"{"type":"removed","key":1}"#, #"{"type":"added","key":1}"#])
    try expect(table.lines(), equals: "1|added|1\n2|removed|1\n3|added|1")
  }

  @Test(
    "a row that the database refuses is a dead letter with its reason, can be retried, and is written once",
    arguments: databases)
  func letters(_ kind: SQLKind) throws {
    let table = try kind.trial()
    try table.make("create table t (key integer primary key, n int check (n < 10))")
    let state = try TemporaryState()
    let options = "key: .k, columns: { n: .n }"
    let seen = try table.run(
      options, lines: [#"{"k":1,"n":1}"#, #"{"k":2,"n":20}"#, #"{"k":3,"n":30}"#, #"{"k":"x","n":4}"#],
      state: state)
    try expect(table.lines(), equals: "1|1")
    #expect(seen.log.contains { $0.has("it: [2,20]: cannot write: \(kind.ofCheck)") }, "\(seen.log)")
    #expect(seen.hasFailed && seen.statistics.last?.givenUp == 3)
    let letters = try StateFile(path: state.path).deadLetters()
    expect(letters.map(\.reason).last, equals: "cannot write: \(kind.ofType)")
    expect(Set(letters.map(\.entry.place)).count, equals: 3)
    // Refused again, it is a dead letter again; else it is written, once.
    _ = try state.retryDeadLetter()
    _ = try table.run(options, lines: [#"{"k":5,"n":5}"#], state: state)
    try expect(table.lines(), equals: "1|1\n5|5")
    try expect(StateFile(path: state.path).deadLetters().count, equals: 3)
    try table.make("drop table t; create table t (key text primary key, n int)")
    _ = try state.retryDeadLetter()
    _ = try table.run(options, lines: [#"{"k":6,"n":6}"#], state: state)
    try expect(StateFile(path: state.path).deadLetters().count, equals: 2)
    try expect(table.lines("select count(*) as n from t"), equals: "2")
  }

  private func write(_ table: any SQLTrialTable, _ batches: [SQLBatch], _ refused: [Value] = []) throws
    -> [SQLRefusal]
  {
    try table.connection.write(
      batches, refused: refused, to: SQLTable(name: "t", isMade: false), stop: StopSign())
  }

  private func batch(_ numbers: [Int], _ stateID: String, _ epoch: Int64, _ index: Int64 = 0) -> SQLBatch {
    var batch = SQLBatch(columns: ["n"], keys: 0)
    batch.set = numbers.map { .array([.number($0)]) }
    batch.output = SQLPlace(sink: "p/it", stateID: stateID, OutputPlace(epoch: epoch, index: index))
    return batch
  }

  @Test(
    "an entry that was applied before a kill is not applied again, and its dead letters are still there",
    arguments: databases)
  func places(_ kind: SQLKind) throws {
    let table = try kind.trial()
    try table.make("create table t (n int check (n < 10))")
    func rows(_ stateID: String, _ epoch: Int64, _ index: Int64 = 0) throws -> [Int] {
      try write(table, [batch([1, 20, 2], stateID, epoch, index)]).compactMap(\.row)
    }
    for _ in 0..<2 { try expect(rows("a", 7), equals: [1]) }
    try expect(table.lines("select count(*) as n from t"), equals: "2")
    try expect(rows("a", 6), equals: [])
    #expect(try rows("a", 7, 1) == [1] && rows("b", 1) == [1])
    try expect(table.lines("select count(*) as n from t"), equals: "6")
    try expect(
      table.lines("select sink, life, epoch from flow_positions order by life"), equals: "p/it|a|7\np/it|b|1")
  }

  @Test(
    "what was refused alone is known to the next run, though a later entry has the last place",
    arguments: databases)
  func carried(_ kind: SQLKind) throws {
    let table = try kind.trial()
    try table.make("create table t (n int check (n < 10))")
    let batches = [1, 20, 3].enumerated().map { batch([$1], "a", 1, Int64($0)) }
    let first = try #require(batches[0].output)
    let whole = SQLRefusal(batch: 0, row: nil, reason: "all of it").stored(of: first)
    let second = try #require(try write(table, [batches[1]], [whole]).first)
    _ = try write(table, [batches[2]], [whole, second.stored(of: try #require(batches[1].output))])
    let known = try write(table, batches)
    #expect(known.map(\.batch) == [0, 1] && known.map(\.row) == [nil, 0])
    #expect(
      known.first?.reason == "all of it" && known.last?.reason.has("cannot write: \(kind.ofCheck)") == true)
    try expect(table.lines(), equals: "3")
  }

  @Test("a row whose key is null is an error, and no row is inserted again and again", arguments: databases)
  func nullKeys(_ kind: SQLKind) throws {
    let table = try kind.trial()
    for _ in 0..<2 {
      let seen = try table.run(
        "key: { a: .a, b: .b }, create: true", lines: [#"{"a":1}"#, #"{"a":1,"b":2}"#])
      #expect(seen.log.contains { $0.has("the key of this row is null, in the column b") })
      #expect(seen.hasFailed && seen.statistics.last?.errors == 1)
    }
    try expect(table.lines(), equals: "1|2")
    #expect(throws: (any Error).self) { try table.make("insert into t values (1, null)") }
  }

  @Test("a unique value may go from a row that is removed to a new one", arguments: databases)
  func uniqueValues(_ kind: SQLKind) throws {
    let table = try kind.trial()
    try table.make(
      "create table t (key text primary key, slug text unique); insert into t values ('a', 'x'), ('b', 'y')")
    let options = "key: .key, columns: { slug: .slug }"
    let seen = try table.run(options, lines: [#"{"key":"a","type":"removed"}"#, #"{"key":"c","slug":"x"}"#])
    #expect(!seen.hasFailed, "\(seen.log)")
    try expect(table.lines(), equals: "b|y\nc|x")
    _ = try table.run(options, polls: [[#"{"key":"d","slug":"y"}"#]])
    try expect(table.lines(), equals: "d|y")
  }

  @Test(
    "a row that is gone but that others refer to is a dead letter; the others are removed",
    arguments: databases)
  func references(_ kind: SQLKind) throws {
    let table = try kind.trial()
    try table.make(
      """
      create table t (key int primary key); insert into t values (1), (2), (3), (4);
      create table u (t int references t); insert into u values (2)
      """)
    let state = try TemporaryState()
    let seen = try table.run("key: .k", polls: [[#"{"k":4}"#, #"{"k":5}"#]], state: state)
    #expect(
      seen.log.contains { $0.has("it: [2]: cannot write: ") && $0.has(kind.ofReference) }, "\(seen.log)")
    try expect(table.lines(), equals: "2\n4\n5")
    try table.make("delete from u")
    _ = try state.retryDeadLetter()
    _ = try table.run("key: .k", state: state)
    try expect(table.lines(), equals: "4\n5")
  }

  @Test(
    "a foreign key that is looked at with the commit refuses its row alone, in any order of rows",
    arguments: databases)
  func deferred(_ kind: SQLKind) throws {
    let table = try kind.trial()
    try table.make(
      "create table t (key int primary key, p int references t deferrable initially deferred); insert into t values (0, null)"
    )
    let seen = try table.run(
      "key: .k, columns: { p: .p }",
      polls: [
        [
          #"{"k":1,"p":9}"#, #"{"k":2,"p":3}"#, #"{"k":3,"p":4}"#, #"{"k":4}"#, #"{"k":0,"type":"removed"}"#,
          #"{"k":5,"p":5}"#,
        ]
      ], state: try TemporaryState())
    try expect(table.lines("select key from t order by 1"), equals: "2\n3\n4\n5")
    #expect(
      seen.log.contains { $0.has("it: [1,9]: cannot write: ") && $0.has(kind.ofReference) }, "\(seen.log)")
    expect(seen.statistics.last?.givenUp, equals: 1)
  }

  @Test("a poll whose rows are all removed ones deletes no others", arguments: databases)
  func removedOnes(_ kind: SQLKind) throws {
    let table = try kind.trial()
    try table.make("create table t (key int primary key); insert into t values (1), (2)")
    let seen = try table.run("key: .key", polls: [[#"{"key":1,"type":"removed"}"#]])
    try expect(table.lines(), equals: "2")
    #expect(seen.log.contains { $0.has("a poll without rows deletes nothing") })
  }
}

/// The databases that are there; where PostgreSQL is missing, its own suite says so.
private let databases = SQLKind.allCases.filter { $0 != .postgresql || PostgreSQLServer.isWanted }

enum SQLKind: CaseIterable {
  case sqlite, postgresql

  fileprivate func trial() throws -> any SQLTrialTable {
    switch self {
    case .sqlite: SQLTrial()
    case .postgresql: try PostgreSQLTrial()
    }
  }

  fileprivate var counter: String { self == .sqlite ? "integer primary key" : "serial primary key" }

  fileprivate var updateTrigger: String {
    self == .sqlite
      ? "create trigger u after update on t begin insert into written values (new.id); end"
      : """
      create function note() returns trigger language plpgsql as
        'begin insert into written values (new.id); return new; end';
      create trigger u after update on t for each row execute function note()
      """
  }

  /// The words of the database for a constraint, a value and a row that is referred to.
  fileprivate var ofCheck: String {
    self == .sqlite
      ? "CHECK constraint failed: n < 10" : #"new row for relation "t" violates check constraint "t_n_check""#
  }
  fileprivate var ofType: String {
    self == .sqlite ? "datatype mismatch" : #"invalid input syntax for type integer: "x""#
  }
  fileprivate var ofReference: String {
    self == .sqlite ? "FOREIGN KEY constraint failed" : "violates foreign key constraint"
  }
}
