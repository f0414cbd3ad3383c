import Expectations
@testable import Connectors
import Engine
import Foundation
import JSON
import Language
import Reactive
import TestSupport
import Testing
import Trials

import System

@Suite("git", .serialized, .timeLimit(.minutes(30))) struct GitTests {
  private let folder = Folder()

  private func git(_ arguments: String...) -> String {
    var command = ChildCommand(
      arguments: [
        "git", "-C", folder.path, "-c", "user.name=t", "-c", "user.email=t@example.org", "-c",
        "init.defaultBranch=main",
      ] + arguments, output: .captured(limit: 1 << 20))
    command.environment = ["GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"]
    return String(decoding: command.run().output, as: UTF8.self)
  }

  private func run(
    _ polls: [[String]], _ more: String = "", state: TemporaryState? = nil, isDryRun: Bool = false
  ) throws -> SinkBench.Seen {
    var bench = SinkBench()
    bench.state = state
    bench.isDryRun = isDryRun
    let options = "path: '\(folder.path)/rows.json', key: .id, author: 'flow <flow@example.org>'\(more)"
    return try bench.run("it: { git: { \(options) } }", polls: polls)
  }

  private var subjects: [String] {
    git("log", "--reverse", "--format=%s").split(separator: "\n").map(String.init)
  }

  @Test("one commit a poll that changes something, rows sorted by key and one a line")
  func commits() throws {
    _ = git("init")
    let seen = try run([
      [#"{"id":10,"n":1}"#, #"{"n":2,"id":9}"#], [#"{"id":9,"n":2}"#, #"{"id":10,"n":1}"#],
      [#"{"id":10,"n":3,"x":{"y":1}}"#, #"{"id":9,"n":2}"#],
      [#"{"id":11}"#, #"{"id":12}"#, #"{"id":9,"n":1}"#],
    ])
    #expect(seen.log.allSatisfy { !$0.hasPrefix("it:") }, "\(seen.log)")
    expect(
      subjects, equals: ["rows: 2 rows", "rows: 10 changed (n, x)", "rows: 2 added, 1 changed, 1 removed"])
    expect(
      contents(of: "\(folder.path)/rows.json"),
      equals: "[\n{\"id\":9,\"n\":1},\n{\"id\":11},\n{\"id\":12}\n]\n")
    expect(
      git("log", "-1", "--format=%b%an %ae"), equals: "+ 11\n+ 12\n~ 9: n\n- 10\nflow flow@example.org\n")
    #expect(git("status", "--porcelain").isEmpty)
  }

  @Test("a path with .csv has a table; messages name its rows, and commits have the times of the polls")
  func table() throws {
    _ = git("init")
    let path = "\(folder.path)/rows.csv"
    let seen = try SinkBench().run(
      "it: { git: { path: '\(path)', key: .id, author: 'flow <flow@example.org>', label: '\\(.n)' } }",
      polls: [
        [#"{"id":2,"n":"b, c","x":null}"#, #"{"id":1,"n":"a","l":[1]}"#],
        [#"{"id":2,"n":"b, c","x":null}"#, #"{"id":1,"n":"a","l":[1]}"#],
        [#"{"id":2,"n":"b, c","x":3}"#, #"{"id":1,"n":"a","l":[1]}"#], [#"{"id":1,"n":"a"}"#, "7"],
      ])
    expect(contents(of: path), equals: "id,n,l,x\n1,a,[1],\n2,\"b, c\",,3\n")
    expect(subjects, equals: ["rows: 2 rows", "rows: b, c changed (x)"])
    #expect(seen.log.contains { $0.contains("a table has objects as its rows: 7") }, "\(seen.log)")
    let times = git("log", "--reverse", "--format=%at %ct %ad", "--date=format:%z").split(separator: "\n")
    #expect(times.count == 2 && times.allSatisfy { $0.hasSuffix(" +0000") }, "\(times)")
    let first = times.compactMap { $0.split(separator: " ").first.flatMap { Int($0) } }
    // The time of a bench begins at 2026-01-01T00:00:00Z.
    expect(first, equals: [1_767_225_600, 1_767_225_602], "\(times)")
  }

  @Test("keys of all kinds are followed, in tables too: members of members, numbers, and none")
  func keys() throws {
    _ = git("init")
    for (name, key, rows) in [
      ("t.json", ".id", [#"{"id":1,"n":5}"#, #"{"n":7}"#]),
      ("t.csv", ".a.b", [#"{"a":{"b":1},"n":5}"#, #"{"a":{"b":2},"n":7}"#]),
      ("u.csv", ".id + 1", [#"{"id":1,"n":5}"#, #"{"id":2,"n":7}"#]),
      ("v.csv", ".id", [#"{"id":1,"n":5}"#, #"{"id":null,"n":7}"#]),
    ] {
      _ = try SinkBench().run(
        "it: { git: { path: '\(folder.path)/\(name)', key: \(key), author: 'flow <flow@example.org>' } }",
        polls: [rows, [rows[0], rows[1].replacing("7", with: "8")]])
      let last = git("log", "-2", "--format=%s").split(separator: "\n")
      #expect(
        last.count == 2 && last[1].hasSuffix(": 2 rows") && last[0].hasSuffix(" changed (n)"),
        "\(name): \(last)")
    }
  }

  @Test("the reflog has the id of each commit, by which a version is known after a crash")
  func reflog() throws {
    _ = git("init")
    _ = try run([[#"{"id":1}"#], [#"{"id":2}"#]], state: try TemporaryState())
    let names = git("log", "--walk-reflogs", "--format=%gs").split(separator: "\n")
    #expect(names.count == 2 && names.allSatisfy { $0.hasPrefix("flow p/it/") }, "\(names)")
    #expect(names.map { $0.contains("-2: ") } == [true, false] && names.last?.contains("-1: ") == true)
  }

  @Test("messages name rows by their label, also those that are gone, and begin as message says")
  func labels() throws {
    _ = git("init")
    let polls = [[#"{"id":1,"t":"Heron\n9"}"#, #"{"id":2,"t":"b"}"#], [#"{"id":2,"t":"b"}"#]]
    _ = try run(polls, #", label: '\(.t)', message: 'List of \(.id)'"#)
    expect(subjects, equals: ["List of 1", "List of 2"])
    expect(git("log", "-1", "--format=%b"), equals: "- Heron\\n9\n\n")
  }

  @Test("a poll that failed, has no rows or has a key twice is not committed; other changes stay uncommitted")
  func refused() throws {
    _ = git("init")
    _ = folder.write("other", "x")
    _ = git("add", "other")
    let seen = try run([[#"{"id":1}"#], [], [#"{"id":1}"#, "7"], [#"{"id":3}"#, #"{"id":3}"#]])
    #expect(subjects == ["rows: 1 row"] && git("status", "--porcelain") == "A  other\n")
    let log = seen.log.filter { $0.hasPrefix("it:") }.joined(separator: "\n")
    #expect(log.contains("a poll without rows is not committed; allow_empty: true commits it"), "\(log)")
    #expect(
      log.contains("a row failed: this poll is not committed") && log.contains("two rows have the key 3"))
    _ = try run([[]], ", allow_empty: true")
    #expect(contents(of: "\(folder.path)/rows.json") == "[]\n" && subjects.last == "rows: 1 removed")
  }

  @Test("without a repository a run does not start, and a dry run does nothing")
  func missing() throws {
    let refused = #expect(throws: (any Error).self) { try run([[#"{"id":1}"#]]) }
    #expect(refused.map { "\($0)" }?.contains("is not in a git repository; make one with git init") == true)
    #expect(names(in: folder.path).isEmpty)
    _ = git("init")
    let dry = try run([[#"{"id":1}"#]], isDryRun: true)
    #expect(dry.text.contains("rows.json: 1 rows") && subjects.isEmpty)
  }

  @Test("what was committed is pushed, and what could not be pushed is pushed by the next run")
  func push() throws {
    _ = git("init")
    _ = git("init", "--bare", "\(folder.path)/far.git")
    _ = git("remote", "add", "origin", "\(folder.path)/gone.git")
    let state = try TemporaryState()
    let seen = try run([[#"{"id":1}"#]], ", push: true, attempts: 2, backoff: 0s", state: state)
    expect(subjects, equals: ["rows: 1 row"])
    #expect(seen.log.contains { $0.contains("git push: ") }, "\(seen.log)")
    _ = git("remote", "set-url", "origin", "\(folder.path)/far.git")
    _ = git("push", "--set-upstream", "origin", "main")
    _ = git("commit", "--allow-empty", "-m", "local")
    _ = try run([[#"{"id":1}"#]], ", push: true")
    expect(
      git("--git-dir=\(folder.path)/far.git", "log", "--format=%s", "main"), equals: "local\nrows: 1 row\n")
  }

  @Test("a version that was written and not committed is committed by the next run")
  func resumed() throws {
    _ = git("init")
    _ = try run([[#"{"id":1}"#]])
    _ = folder.write("rows.json", "[\n{\"id\":2}\n]\n")
    _ = try run([[#"{"id":2}"#]])
    expect(subjects, equals: ["rows: 1 row", "rows: 1 added, 1 removed"])
  }

  @Test("without an author it does not start, so that nothing becomes a dead letter")
  func noAuthor() throws {
    _ = git("init")
    _ = git("config", "user.name", "")
    let options = "path: '\(folder.path)/rows.json', key: .id"
    let error = #expect(throws: Sentence.self) {
      try SinkBench().run("it: { git: { \(options) } }", polls: [[#"{"id":1}"#]])
    }
    expect(error?.description.hasPrefix("git has no author for commits to "), equals: true)
    expect(names(in: folder.path), equals: [".git"])
    _ = try run([[#"{"id":1}"#]])
    expect(subjects, equals: ["rows: 1 row"])
  }
}
