import Foundation
import Reactive
import Store
import TestSupport

/// A file that grows → `sql` on a PostgreSQL server, which is killed and frozen too, at any moment, and refuses some rows
/// at first: each row is in the table or a dead letter, once, and letters that are retried are written.
final class PostgreSQLTable: Scenario {
  let place: Place
  let logs: [String] = []
  private let server: PostgreSQLServer
  private let input: GrowingFile
  private var troubles: Troubles
  private var isEnding = false
  private var findings: [String] = []

  init(_ place: Place) throws {
    self.place = place
    let server = try PostgreSQLServer()
    self.server = server
    troubles = Troubles(
      oneIn: 100, longest: (away: 60, frozen: 600), kill: server.kill, start: server.start,
      signal: server.signal)
    try place.write(
      "p.yaml",
      """
      name: served
      epoch: { events: 200, time: 50ms }
      sources:
        lines: { file: { path: in.jsonl, follow: true } }
      sinks:
        table: { sql: { url: '\(server.address("postgres"))', table: t, columns: { n: .n }, history: true } }

      """)
    input = try GrowingFile("in.jsonl", in: place) { "{\"n\":\($0)}" }
    // One of a hundred: the state keeps so many dead letters only.
    try server.sql(
      """
      CREATE TABLE t (n int); CREATE TABLE ready (until int); INSERT INTO ready VALUES (0);
      CREATE FUNCTION guard() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN IF new.n % 97 = 5 AND new.n > (SELECT until FROM ready) THEN RAISE ''not ready''; END IF; RETURN new; END';
      CREATE TRIGGER guard BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION guard()
      """)
  }

  private var written: [Int] {
    get throws { try server.sql("SELECT n FROM t").split(separator: "\n").compactMap { Int($0) } }
  }

  private var refused: RefusedRows { RefusedRows(of: "served", in: place) }

  /// Half of the letters are retried by the next life, and the table takes some of them.
  func mourn(_ end: Life.End, wasStopped: Bool) {
    do {
      if troubles.areOver { try server.sql("UPDATE ready SET until = until + 400") }
      _ = try refused.retryHalf()
    } catch {
      findings.append("the letters could not be retried: \(error)")
    }
  }

  /// A row that was refused is a failure of the run, and so is a stop while the server is away.
  func mayFail(_ lastWords: String) -> Bool {
    lastWords.contains("not ready") || lastWords.contains("postgres://")
  }

  func tend(_ life: Life?) throws {
    if isEnding { return }
    try input.tend(mayRotate: false)
    try troubles.tend()
  }

  /// A row that is never refused is the last one.
  func prepareEnd() throws {
    try troubles.end()
    try input.add(0)
    try input.add(97 - input.count % 97)
    isEnding = true
  }

  var isSettled: Bool { (try? server.sql("SELECT 1 FROM t WHERE n = \(input.count)")) == "1" }

  func verdict() throws -> Verdict {
    let numbers = try (written + refused.numbers).sorted()
    var verdict = Verdict.comparing(
      numbers.map { "\($0)" }, with: (1...input.count).map { "\($0)" },
      in: "the table and the dead letters, after \(troubles.kills) kills of the server")
    verdict.serverKills = troubles.kills
    verdict.findings += findings
    return verdict
  }
}
