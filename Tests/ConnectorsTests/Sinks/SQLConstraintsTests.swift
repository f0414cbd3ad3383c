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
}
