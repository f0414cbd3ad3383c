import Foundation
import Store

/// Polls → `dedupe` → `sql`, a table that refuses some rows, at first or with all that is written together: each row is
/// in the table or a dead letter, once, and letters that are retried are written.
final class Inserted: Scenario {
  let place: Place
  let logs: [String] = []
  private var last: Int?
  private var findings: [String] = []

  init(_ place: Place) throws {
    self.place = place
    try place.write(
      "p.yaml",
      """
      name: inserted
      vars: { last: 1000000000 }
      sources:
        made:
          generate: '([$meta.poll, $vars.last] | min) as $p | range(3) | {n: ($p + .)}'
          every: 5ms
      steps:
        - dedupe: .n
      sinks:
        table: { sql: { url: 'sqlite:it.db', table: t, columns: { n: .n }, history: true } }

      """)
    try database(.make).execute(
      """
      CREATE TABLE t (n); CREATE TABLE ready (until); INSERT INTO ready VALUES (0);
      CREATE TRIGGER alone BEFORE INSERT ON t WHEN new.n % 11 = 5 AND new.n > (SELECT until FROM ready)
      BEGIN SELECT RAISE(ABORT, 'not ready'); END;
      CREATE TRIGGER together BEFORE INSERT ON t WHEN new.n % 7 = 3 AND new.n > (SELECT until FROM ready)
      BEGIN SELECT RAISE(ROLLBACK, 'not ready'); END
      """)
  }

  var options: [String] { last.map { ["--set", "last=\($0)"] } ?? [] }

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

  private struct Rows: Decodable { let set: [[Int]] }

  private var state: StateFile? {
    get throws {
      let path = "state/flow/inserted.db"
      return place.has(path) ? try StateFile(path: place[path]) : nil
    }
  }

  private var letters: [Int] {
    get throws {
      try state?.deadLetters(limit: 100_000).flatMap { letter in
        try JSONDecoder().decode(Rows.self, from: Data(letter.entry.bytes)).set.flatMap { $0 }
      } ?? []
    }
  }

  /// Half of the letters are retried by the next life, and the table takes some of them.
  func mourn(_ end: Life.End, wasStopped: Bool) {
    do {
      guard let state = try state else { return }
      let letters = try state.deadLetters(limit: 100_000).prefix(20)
      try state.update { epoch throws(StoreError) in
        for letter in letters where letter.number % 2 == 0 { try epoch.retry(deadLetter: letter.number) }
      }
      try database(.write).execute("UPDATE ready SET until = until + 40")
    } catch {
      findings.append("the letters could not be retried: \(error)")
    }
  }

  /// A row that was refused is a failure of the run.
  func mayFail(_ lastWords: String) -> Bool { lastWords.contains("not ready") }

  /// A row that is never refused is the last one.
  func prepareEnd() throws { last = ((try written.max() ?? 0) / 77 + 2) * 77 - 2 }

  var isSettled: Bool { (try? written.contains((last ?? 0) + 2)) == true }

  func verdict() throws -> Verdict {
    let numbers = try (written + letters).sorted()
    var verdict = Verdict.comparing(
      numbers.map { "\($0)" }, with: (1...(last ?? 0) + 2).map { "\($0)" },
      in: "the table and the dead letters")
    verdict.findings += findings
    return verdict
  }
}
