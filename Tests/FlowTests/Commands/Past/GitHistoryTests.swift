import Expectations
import Engine
import Foundation
import JSON
import Reactive
import System
import TestSupport
import Testing

@testable import flow

/// A git history as a recording.
@Suite("git histories", .timeLimit(.minutes(30))) struct GitHistoryTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @discardableResult
  private func git(_ arguments: [String], input: String = "") -> ChildResult {
    var command = ChildCommand(
      arguments: ["git", "-C", folder.path] + arguments, output: .captured(limit: 1 << 20))
    command.environment = ["GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"]
    return command.run(input: Array(input.utf8))
  }

  /// Commits versions of `data/list.json`, an hour apart, or at other times; nil removes it.
  private func commit(_ versions: [String?], name: String = "data/list.json", at times: [Int] = []) {
    git(["init", "-q", "-b", "main"])
    var stream = ""
    for (index, text) in versions.enumerated() {
      let time = times.isEmpty ? 1_767_225_600 + index * 3600 : times[index]
      stream += "commit refs/heads/main\ncommitter a <a@example.org> \(time) +0100\ndata 1\nx\n"
      stream += text.map { "M 100644 inline \"\(name)\"\ndata \($0.utf8.count)\n\($0)\n" } ?? "D \(name)\n"
    }
    let end = git(["fast-import", "--quiet"], input: stream).end
    expect(end, equals: .exited(0))
  }

  /// The lines of the recording, without the commits.
  private func lines(
    _ path: String = "data/list.json", decode: String? = nil, rows: String? = nil
  ) throws -> (lines: [String], summary: GitHistory.Summary) {
    let history = try GitHistory(of: path, in: folder.path, stop: StopSign())
    let summary = try history.record(
      to: folder["rec.jsonl"], reading: try GitHistory.Reading(decode: decode, rows: rows))
    let text = String(decoding: contents(of: folder["rec.jsonl"]).utf8, as: UTF8.self)
    return (
      text.split(separator: "\n").map {
        String($0).replacing(#/"meta":\{"commit":"[0-9a-f]{40}"\},/#, with: "")
          .replacing(#/commit [0-9a-f]{12}/#, with: "commit X")
      }, summary
    )
  }

  @Test("each version is a poll at the time of its commit; what cannot be read is a poll that failed")
  func versions() throws {
    commit([
      #"[{"id":1,"price":1.10}]"#, "[{", nil, #"{"error":"gone"}"#, " ", "null", "{\"id\":2}", "[\"\u{fc}\"]",
    ])
    let (lines, summary) = try lines()
    expect(
      lines,
      equals: [
        #"{"at":"2026-01-01T00:00:00Z","rows":[{"id":1,"price":1.10}],"coverage":"complete"}"#,
        #"{"at":"2026-01-01T01:00:00Z","error":"the version of commit X: Unfinished JSON term at EOF at line 1, column 2"}"#,
        #"{"at":"2026-01-01T02:00:00Z","error":"commit X has removed the file"}"#,
        #"{"at":"2026-01-01T03:00:00Z","error":"the version of commit X: is an error: gone"}"#,
        #"{"at":"2026-01-01T04:00:00Z","error":"the version of commit X: is empty"}"#,
        #"{"at":"2026-01-01T05:00:00Z","error":"the version of commit X: is null instead of a list"}"#,
        #"{"at":"2026-01-01T06:00:00Z","rows":[{"id":2}],"coverage":"complete"}"#,
        #"{"at":"2026-01-01T07:00:00Z","rows":["ü"],"coverage":"complete"}"#,
      ])
    #expect(summary.polls == 8 && summary.failures == 5 && summary.rows == 3)
  }

  @Test("rows and decode are those of http")
  func reading() throws {
    commit([#"{"items":[{"n":1},{"n":2}]}"#, "n,m\n1,é\n"], name: "list.txt")
    try expect(
      lines("list.txt", rows: ".items[]").lines.first,
      equals: #"{"at":"2026-01-01T00:00:00Z","rows":[{"n":1},{"n":2}],"coverage":"complete"}"#)
    try expect(
      lines("list.txt", decode: "csv", rows: ".[] | .m").lines.last,
      equals: #"{"at":"2026-01-01T01:00:00Z","rows":["é"],"coverage":"complete"}"#)
  }

  @Test("a clock that was set back makes no poll earlier than the one before it")
  func clock() throws {
    commit(["[1]", "[2]", "[3]"], at: [1_767_225_600, 1_767_222_000, 1_767_229_200])
    try expect(
      lines().lines.map { $0.dropFirst(18).prefix(8) }, equals: ["00:00:00", "00:00:00", "01:00:00"])
  }

  @Test("a merge is a version of the branch, and the commits of the other one are not")
  func merges() throws {
    commit(["[1]", "[2]"])
    let merge = """
      commit refs/heads/other
      committer a <a@example.org> 1767229300 +0000
      data 1
      x
      from refs/heads/main~1
      M 100644 inline data/list.json
      data 3
      [9]
      commit refs/heads/main
      committer a <a@example.org> 1767240000 +0000
      data 1
      x
      from refs/heads/main^0
      merge refs/heads/other
      M 100644 inline data/list.json
      data 5
      [2,9]

      """
    expect(git(["fast-import", "--quiet"], input: merge).end, equals: .exited(0))
    try expect(
      lines().lines.map { $0.split(separator: "\"rows\":").last?.prefix(5) },
      equals: [
        "[1],\"", "[2],\"", "[2,9]",
      ])
  }

  @Test("a path without a history is an error, with a hint")
  func mistakes() throws {
    commit(["[1]", "[2]"])
    git(["read-tree", "HEAD"])
    func failure(_ path: String, in other: String? = nil) -> String {
      do { _ = try GitHistory(of: path, in: other ?? folder.path, stop: StopSign()) } catch {
        return "\(error)"
      }
      return ""
    }
    #expect(failure("list.json").hasSuffix("has list.json; did you mean data/list.json?"))
    expect(failure("data"), equals: "data is a folder, with data/list.json; name one of its files")
    #expect(failure("x", in: "/nonexistent").hasPrefix("git log: fatal: cannot change to '/nonexistent'"))
    #expect(failure("*.json").hasPrefix("no commit of "))
  }

  @Test("an object that the repository does not have is a poll that failed, and the next is read")
  func missing() throws {
    commit(["[1]", "[2]", "[3]"])
    let id = String(decoding: git(["rev-parse", "HEAD~1:data/list.json"]).output, as: UTF8.self).prefix(40)
    // A pack holds all objects; loose ones can be removed one by one.
    expect(git(["repack", "-q", "-a", "-d"]).end, equals: .exited(0))
    let move = ChildCommand(
      arguments: [
        "sh", "-c",
        "cd '\(folder.path)' && mv .git/objects/pack/*.pack p && rm -f .git/objects/pack/* && git unpack-objects -q < p && rm -f .git/objects/\(id.prefix(2))/\(id.dropFirst(2))",
      ])
    expect(move.run().end, equals: .exited(0))
    let (lines, summary) = try lines()
    #expect(summary.failures == 1 && lines.count == 3 && lines[2].contains("\"rows\":[3]"))
    #expect(lines[1].contains("the version of commit X is not in this repository"))
  }

  @Test("a history of many large versions is read as a stream")
  func large() throws {
    let row = String(repeating: "x", count: 300)
    commit(
      (0..<20).map { version in
        "[\((0..<600).map { #"{"id":\#($0),"v":\#(version),"t":"\#(row)"}"# }.joined(separator: ","))]"
      })
    let (lines, summary) = try lines(rows: ".[] | .v")
    #expect(summary.polls == 20 && summary.failures == 0 && summary.rows == 12_000)
    #expect(lines.enumerated().allSatisfy { $1.contains("\"rows\":[\($0),\($0),") })
  }
}
