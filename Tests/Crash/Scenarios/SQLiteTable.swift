import Foundation
import Store

/// A file that grows → `sql`, a table that refuses some rows, at first or with all that is written together: each row is
/// in the table or a dead letter, once, and letters that are retried are written.
final class SQLiteTable: Scenario {
  let place: Place
  let logs: [String] = []
  private let input: GrowingFile
  private var isEnding = false
  private var findings: [String] = []

  init(_ place: Place) throws {
    self.place = place
    try place.write(
      "p.yaml",
      """
      name: inserted
      epoch: { events: 200, time: 50ms }
      sources:
        lines: { file: { path: in.jsonl, follow: true } }
      sinks:
        table: { sql: { url: 'sqlite:it.db', table: t, columns: { n: .n }, history: true } }

      """)
    input = try GrowingFile("in.jsonl", in: place) { "{\"n\":\($0)}" }
    try database(.make).execute(
      """
      CREATE TABLE t (n); CREATE TABLE ready (until); INSERT INTO ready VALUES (0);
      CREATE TRIGGER alone BEFORE INSERT ON t WHEN new.n % 11 = 5 AND new.n > (SELECT until FROM ready)
      BEGIN SELECT RAISE(ABORT, 'not ready'); END;
      CREATE TRIGGER together BEFORE INSERT ON t WHEN new.n % 7 = 3 AND new.n > (SELECT until FROM ready)
      BEGIN SELECT RAISE(ROLLBACK, 'not ready'); END
      """)
  }

  private func database(_ use: Database.Use) throws -> Database {
    try Database(foreign: place["it.db"], to: use, busyMilliseconds: 5000)
  }

  private var written: [Int] {
    get throws {
      let statement = try database(.read).statement("SELECT n FROM t ORDER BY rowid")
      var numbers: [Int] = []
      while try statement.step() { numbers.append(Int(statement.integer(0))) }
      return numbers
    }
  }

  private var refused: RefusedRows { RefusedRows(of: "inserted", in: place) }

  /// Half of the letters are retried by the next life, and the table takes some of them.
  func mourn(_ end: Life.End, wasStopped: Bool) {
    do {
      if try refused.retryHalf() { try database(.write).execute("UPDATE ready SET until = until + 40") }
    } catch {
      findings.append("the letters could not be retried: \(error)")
    }
  }

  /// A row that was refused is a failure of the run.
  func mayFail(_ lastWords: String) -> Bool { lastWords.contains("not ready") }

  func tend(_ life: Life?) throws {
    if !isEnding { try input.tend(mayRotate: false) }
  }

  /// A row that is never refused is the last one.
  func prepareEnd() throws {
    try input.add(0)
    try input.add(77 - input.count % 77)
    isEnding = true
  }

  var isSettled: Bool { (try? written.contains(input.count)) == true }

  func verdict() throws -> Verdict {
    let numbers = try (written + refused.numbers).sorted()
    var verdict = Verdict.comparing(
      numbers.map { "\($0)" }, with: (1...input.count).map { "\($0)" },
      in: "the table and the dead letters")
    verdict.findings += findings
    return verdict
  }
}
