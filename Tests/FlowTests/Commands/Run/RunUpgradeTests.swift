import Expectations
import Foundation
import Testing

/// A pipeline that an earlier version of flow has run until it was killed, carried on by this one.
///
/// `Upgrades/VERSION` has its input, logs and state, of programs built of the commits that CHANGELOG.md dates.
@Suite("states of earlier versions", .timeLimit(.minutes(30))) struct RunUpgradeTests {
  static let upgrades = "\(ShippedPipelinesTests.root)/Tests/FlowTests/Upgrades"
  static let versions = ((try? FileManager.default.contentsOfDirectory(atPath: upgrades)) ?? [])
    .filter { $0.first?.isNumber == true }.sorted()

  /// The files of a version in a new place.
  ///
  /// A copy is another file than the one that was written, to flow: state and positions refer to files by device and
  /// inode, which are replaced by those of the copies.
  private func carriedOver(_ version: String) throws -> Workplace {
    let place = try Workplace()
    let files = FileManager.default
    try files.createDirectory(atPath: place["state"], withIntermediateDirectories: true)
    for (from, to) in [
      ("\(version)/in.jsonl", "in.jsonl"), ("\(version)/logs", "out"),
      ("\(version)/state.db", "state/upgrade.db"),
      ("pipeline.yaml", "p.yaml"), ("tell.sh", "tell.sh"),
    ] {
      try files.copyItem(atPath: "\(Self.upgrades)/\(from)", toPath: place[to])
    }
    try place.write(
      "adopt.py",
      """
      import json, os, sqlite3
      state = sqlite3.connect("state/upgrade.db")
      for owner, name, value in state.execute("select owner, name, value from facts").fetchall():
          if name != "position" and not name.startswith("file:"):
              continue
          fact = json.loads(value)
          if "inode" not in fact:
              continue
          file = os.stat(fact.get("file") or name[len("file:"):])
          for part, number in [("device", file.st_dev), ("inode", file.st_ino)]:
              fact[part] = type(fact[part])(number)
          if "print" in fact:
              fact["print"] = "-".join(fact["print"].split("-")[:2])  # the rest is when the file was made
          state.execute("update facts set value = ? where owner = ? and name = ?", (json.dumps(fact), owner, name))
      state.commit()
      """)
    let adopted = try place.shell("python3 adopt.py")
    expect(adopted, equals: Outcome(status: 0, output: "", errors: ""))
    return place
  }

  @Test("there is one of each release")
  func some() { #expect(Self.versions.starts(with: ["0.1.0", "0.2.0"])) }

  @Test("they are carried on: nothing is lost, and nothing is there twice", arguments: versions)
  func carriesOn(_ version: String) throws {
    let place = try carriedOver(version)
    // What the sink had tried to run succeeds now.
    try place.write("works", "")
    let rows = [2, 7, 9].map { "{\"id\":\($0),\"kind\":\"k\($0 % 2)\",\"n\":\($0)}\n" }.joined()
    try place.append("in.jsonl", rows)
    let running = try place.start("--state", "state", "--set", "v=2")
    try running.wait(for: "what was held") { place.lines("out/last.jsonl").count == 3 }
    try running.wait(for: "the commands") { place.lines("told.txt").count >= 3 }
    try running.wait(for: "the poll") { place.lines("out/changes.jsonl").count >= 4 }
    let outcome = try running.end(by: SIGTERM).outcome
    expect(outcome.status, equals: 0, "\(outcome.errors)")
    for word in ["error", "is not the file", "replaced", "begins"] {
      #expect(!outcome.errors.contains(word), "\(outcome.errors)")
    }

    // dedupe knows the ids of before.
    expect(
      place.lines("out/rows.jsonl"),
      equals: [1, 2, 3, 4, 5, 6, 8, 7, 9].map { id in
        "{\"id\":\(id),\"kind\":\"k\(id == 8 ? 2 : id % 2)\",\"n\":\(id)}"
      })
    // scan goes on with the sums of before; the second 2 is an event of its own.
    expect(
      place.lines("out/sums.jsonl"),
      equals: [
        (1, 1), (2, 2), (4, 3), (6, 4), (9, 5), (12, 6), (14, 2), (8, 8), (16, 2), (16, 7), (25, 9),
      ].map { "{\"sum\":\($0.0),\"id\":\($0.1)}" })
    // debounce has sent what the killed run held, and what has replaced it.
    expect(
      Set(place.lines("out/last.jsonl")),
      equals: [
        #"{"id":8,"kind":"k2","n":8}"#, #"{"id":9,"kind":"k1","n":9}"#, #"{"id":2,"kind":"k0","n":2}"#,
      ])
    // changes compares with the poll of before.
    let changes = place.lines("out/changes.jsonl")
    expect(changes.count, equals: 4)
    #expect(changes.last?.contains(#""diff":[{"path":"/v","before":1,"after":2}]"#) == true, "\(changes)")
    // The commands that had failed are run, once.
    expect(place.lines("told.txt").sorted(), equals: ["3", "6", "9"])
    // No later start looks through all keys for those that an earlier version has stored in another form.
    try place.write(
      "marks.py",
      """
      import sqlite3
      facts = sqlite3.connect("state/upgrade.db").execute("select name from facts where owner = 'pipeline'")
      print([name for name, in facts if name.startswith("canonical keys of ")])
      """)
    try expect(place.shell("python3 marks.py").output, equals: "['canonical keys of news/changes@list']\n")
  }

  @Test("a file that is another one is read again, with a sentence", arguments: versions)
  func copied(_ version: String) throws {
    let place = try carriedOver(version)
    try expect(place.shell("cp in.jsonl copy && mv copy in.jsonl").status, equals: 0)
    let running = try place.start("--state", "state")
    try running.waitForErrors(
      "in.jsonl was replaced or overwritten since the last run; it is read from its beginning")
    _ = try running.end(by: SIGTERM)
  }

  @Test("a state of a newer version is refused with a sentence, and left as it is")
  func newer() throws {
    let place = try carriedOver("0.2.0")
    _ = try place.shell(
      "python3 -c 'import sqlite3; sqlite3.connect(\"state/upgrade.db\").execute(\"pragma user_version = 99\")'"
    )
    let before = FileManager.default.contents(atPath: place["state/upgrade.db"])
    let outcome = try place.run("--state", "state")
    expect(outcome.status, equals: 1)
    #expect(outcome.errors.contains("written by a later flow (format 99"), "\(outcome.errors)")
    expect(FileManager.default.contents(atPath: place["state/upgrade.db"]), equals: before)
  }
}
