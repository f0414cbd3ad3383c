import Expectations
@testable import Connectors
import Store
import System
import TestSupport
import Testing
import Trials

@testable import Engine

/// The sink `sql` and the constraints of tables: what they refuse is a dead letter, and everything else is written.
@Suite(.timeLimit(.minutes(30))) struct SQLConstraintsTests {
  private let table = SQLTrial()

  @Test("a row whose key is null is an error, and no row is inserted again and again")
  func nullKeys() throws {
    for _ in 0..<2 {
      let seen = try table.run(
        "key: { a: .a, b: .b }, create: true", lines: [#"{"a":1}"#, #"{"a":1,"b":2}"#])
      #expect(seen.log.contains { $0.has("the key of this row is null, in the column b") })
      #expect(seen.hasFailed && seen.statistics.last?.errors == 1)
    }
    try expect(table.rows(), equals: #"[{"a":1,"b":2}]"#)
    #expect(throws: StoreError.self) { try table.make("insert into t values (1, null)") }
  }

  @Test("a unique value may go from a row that is removed to a new one")
  func uniqueValues() throws {
    try table.make(
      "create table t (key primary key, slug unique); insert into t values ('a', 'x'), ('b', 'y')")
    let options = "key: .key, columns: { slug: .slug }"
    var seen = try table.run(options, lines: [#"{"key":"a","type":"removed"}"#, #"{"key":"c","slug":"x"}"#])
    #expect(!seen.hasFailed)
    try expect(table.rows(), equals: #"[{"key":"b","slug":"y"},{"key":"c","slug":"x"}]"#)
    seen = try table.run(options, polls: [[#"{"key":"d","slug":"y"}"#]])
    try expect(table.rows(), equals: #"[{"key":"d","slug":"y"}]"#)
  }

  @Test("a row that is gone but that others refer to is a dead letter; the others are removed")
  func references() throws {
    try table.make(
      """
      create table t (key primary key); insert into t values (1), (2), (3), (4);
      create table u (t references t); insert into u values (2)
      """)
    let state = try TemporaryState()
    let seen = try table.run("key: .k", polls: [[#"{"k":4}"#, #"{"k":5}"#]], state: state)
    #expect(seen.log.contains { $0.has("it: [2]: cannot write: FOREIGN KEY constraint failed") })
    try expect(table.rows(), equals: #"[{"key":2},{"key":4},{"key":5}]"#)
    try table.make("delete from u")
    _ = try state.retryDeadLetter()
    _ = try table.run("key: .k", state: state)
    try expect(table.rows(), equals: #"[{"key":4},{"key":5}]"#)
  }

  @Test("a foreign key that is looked at with the commit refuses its row alone, in any order of rows")
  func deferred() throws {
    try table.make(
      "create table t (key primary key, p references t deferrable initially deferred); insert into t values (0, null)"
    )
    let seen = try table.run(
      "key: .k, columns: { p: .p }",
      polls: [
        [
          #"{"k":1,"p":9}"#, #"{"k":2,"p":3}"#, #"{"k":3,"p":4}"#, #"{"k":4}"#, #"{"k":0,"type":"removed"}"#,
          #"{"k":5,"p":5}"#,
        ]
      ], state: try TemporaryState())
    try expect(
      table.rows("select key from t order by 1"), equals: #"[{"key":2},{"key":3},{"key":4},{"key":5}]"#)
    #expect(seen.log.contains { $0.has("it: [1,9]: cannot write: FOREIGN KEY constraint failed") })
    expect(seen.statistics.last?.givenUp, equals: 1)
  }

  @Test("a constraint that rolls back takes its batch with it, which is a dead letter of several rows")
  func rollbacks() throws {
    try table.make(
      """
      create table t (key primary key, n check (n < 20)); insert into t values (7, 7);
      create trigger no before insert on t when new.key = 3 begin select raise(rollback, 'not 3'); end
      """)
    let state = try TemporaryState()
    let polls = [[#"{"k":1,"n":1}"#, #"{"k":2,"n":20}"#, #"{"k":3,"n":3}"#, #"{"k":4,"n":40}"#]]
    let seen = try table.run("key: .k, columns: { n: .n }", polls: polls, state: state)
    #expect(seen.log.contains { $0.has("it: 4 rows: ") && $0.has("not 3") })
    try expect(table.rows(), equals: #"[{"key":7,"n":7}]"#)
    // Retried, it is no list any more: what the table has got meanwhile stays. Of its rows two are letters now.
    try table.make("drop trigger no")
    _ = try state.retryDeadLetter()
    _ = try table.run("key: .k, columns: { n: .n }", state: state)
    try expect(table.rows(), equals: #"[{"key":1,"n":1},{"key":3,"n":3},{"key":7,"n":7}]"#)
    let letters = try StateFile(path: state.path).deadLetters()
    #expect(letters.count == 2 && Set(letters.map(\.entry.place)).count == 2)
  }

  @Test("keys that the table compares without their case are not removed after they were written")
  func collations() throws {
    try table.make(
      "create table t (key text collate nocase primary key, n); insert into t values ('A', 1), ('B', 1)")
    _ = try table.run("key: .key, columns: { n: .n }", polls: [[#"{"key":"a","n":2}"#]])
    try expect(table.rows(), equals: #"[{"key":"A","n":2}]"#)
  }

  @Test("a poll whose rows are all removed ones deletes no others")
  func removedOnes() throws {
    try table.make("create table t (key primary key); insert into t values (1), (2)")
    let seen = try table.run("key: .key", polls: [[#"{"key":1,"type":"removed"}"#]])
    try expect(table.rows(), equals: #"[{"key":2}]"#)
    #expect(seen.log.contains { $0.has("a poll without rows deletes nothing") })
  }
}
