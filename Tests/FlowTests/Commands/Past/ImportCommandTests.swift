import Expectations
import Foundation
import Testing

@testable import flow

/// `flow import git`, and a pipeline over what it has recorded.
@Suite("flow import", .timeLimit(.minutes(30))) struct ImportCommandTests {
  @Test("a history becomes a recording, which a pipeline runs over")
  func history() throws {
    let place = try Workplace(
      """
      name: p
      sources: { list: { http: 'https://example.org/list.json', every: 1h } }
      steps: [changes: { key: .id, first: emit }]
      sinks: { log: { jsonl: out/log.jsonl } }
      """)
    let made = try place.shell(
      """
      git init -q repo && cd repo && git config user.email a@example.org && git config user.name a
      for n in 1 2 3; do
        echo "[{\\"id\\":1,\\"n\\":$n}]" > list.json && git add list.json
        GIT_COMMITTER_DATE="2026-01-0${n}T00:00:00Z" git commit -qm "$n"
      done
      """)
    expect(made.status, equals: 0, "\(made)")
    let imported = try place.flow("import", "git", "repo", "list.json")
    expect(imported.status, equals: 0)
    expect(imported.errors, equals: "rec/list.jsonl: 3 polls from 2026-01-01 to 2026-01-03, 3 rows\n")
    try expect(place.run("--replay", "rec").status, equals: 0)
    expect(place.lines("out/replay/log.jsonl").count, equals: 3)

    let again = try place.flow("import", "git", "repo", "list.json", "-o", "rec")
    #expect(again.status == 2 && again.errors.contains("rec/list.jsonl exists; --force replaces it"))
    try expect(place.flow("import", "git", "repo", "list.json", "--force").status, equals: 0)
    let bad = try place.flow("import", "git", "repo", "list.json", "--source", "bad", "--rows", ".[")
    #expect(bad.status == 1 && !place.has("rec/bad.jsonl"), "\(bad)")
    let none = try place.flow("import", "git", "repo", "list.json", "--source", "none", "--decode", "xml")
    #expect(none.status == 1 && none.errors.contains("all of them failed; the first: "), "\(none)")
    try expect(place.flow("import", "svn").status, equals: 2)
  }

  @Test("a version that is a page in place of a table has failed")
  func page() throws {
    let place = try Workplace("")
    let made = try place.shell(
      """
      git init -q repo && cd repo && git config user.email a@example.org && git config user.name a
      for text in 'id,n' '<html><title>502 Bad Gateway</title></html>'; do
        echo "$text" > list.csv && echo 1,2 >> list.csv && git add list.csv && git commit -qm "$text"
      done
      """)
    expect(made.status, equals: 0, "\(made)")
    let imported = try place.flow("import", "git", "repo", "list.csv")
    #expect(
      imported.errors.contains("2 polls")
        && imported.errors.contains("1 failed; the first: the version of commit ")
        && imported.errors.contains(": is an HTML page titled “502 Bad Gateway”\n"), "\(imported)")
  }
}
