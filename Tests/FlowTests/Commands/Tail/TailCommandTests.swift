import Expectations
import Foundation
import TestSupport
import Testing

@testable import flow

@Suite struct TailCommandTests {
  func event(_ number: Int, _ type: String = "added") -> String {
    "{\"type\":\"\(type)\",\"key\":\"k\(number)\",\"at\":\(number),\"after\":{\"n\":\(number)}}\n"
  }

  func events(_ range: ClosedRange<Int>) -> String { range.map { event($0) }.joined() }

  func tail(_ arguments: String..., input: String = "") throws -> Outcome {
    try flow(["tail"] + arguments, input: input, environment: ["TZ": "UTC"])
  }

  func keys(_ outcome: Outcome) -> [String] {
    outcome.output.split(separator: "\n").map { String($0.split(separator: " ").last ?? "") }
  }

  func names(_ range: ClosedRange<Int>) -> [String] { range.map { "k\($0)" } }

  func shown(_ arguments: String..., input: String = "") throws -> [String] {
    keys(try flow(["tail"] + arguments, input: input))
  }

  @Test("the last ten lines, or as many as asked for")
  func amounts() throws {
    try withFile(events(1...20)) { path throws in
      try expect(shown(path), equals: names(11...20))
      try expect(shown("-n", "2", path), equals: ["k19", "k20"])
      try expect(shown("-n+19", path), equals: ["k19", "k20"])
      try expect(shown("-n", "all", path), equals: names(1...20))
      try expect(tail("-n0", path).output, equals: "")
    }
    try expect(shown("-n2", "-", input: events(1...5000)), equals: ["k4999", "k5000"])
    try expect(shown(input: "\n" + event(1) + "{\"type\":\"added\",\"key\":\"x\"}"), equals: ["k1", "x"])
    try expect(shown("-n+2", input: events(1...3)), equals: ["k2", "k3"])
  }

  @Test("local time comes from the zone, UTC if asked for")
  func zones() throws {
    let line = #"{"type":"added","key":"k","at":"2026-01-01T00:00:00Z"}"#
    let warsaw = ["TZ": "Europe/Warsaw"]
    try expect(
      flow(["tail"], input: line, environment: warsaw).output, equals: "2026-01-01 01:00:00  + added    k\n")
    try expect(
      flow(["tail", "--utc"], input: line, environment: warsaw).output,
      equals: "2026-01-01 00:00:00Z  + added    k\n")
  }

  @Test("a filter chooses, and the last lines are the last chosen")
  func filters() throws {
    try withFile(events(1...50) + "oops\n" + event(99, "removed")) { path throws in
      expect(
        keys(try tail("-n2", "--where", ".type == \"added\" and .after.n % 2 == 0", path)),
        equals: ["k48", "k50"])
      let failing = try tail(
        "-n1", "--where", "if .type == \"removed\" then error(\"no\") else true end", path)
      #expect(failing.status == 0 && keys(failing) == ["k50"])
      #expect(failing.errors.contains("--where failed on 1 line, skipped: no"))
      #expect(failing.errors.contains("1 line is not JSON, skipped"))
    }
    let wrong = try tail("--where", ".a +", input: "")
    #expect(wrong.status == 2 && wrong.errors.contains("    .a +\n       ^ an expression was expected"))
  }

  @Test("lines for other programs are as they were, JSON only")
  func json() throws {
    let text = "{ \"a\" : 1.0 }\noops\n[1]\n"
    let outcome = try tail("--json", input: text)
    expect(outcome.output, equals: "{ \"a\" : 1.0 }\n[1]\n")
    expect(outcome.errors, equals: "flow tail: 1 line is not JSON, skipped\n")
    try expect(tail(input: text).output, equals: "{\"a\":1.0}\noops\n[1]\n")
  }

  @Test("several files say which is which")
  func severalFiles() throws {
    try withFile(event(1), named: "a") { first throws in
      try withFile(event(2), named: "b") { second throws in
        let outcome = try tail("--utc", first, second, "nowhere")
        expect(
          outcome.output,
          equals: """
            ==> \(first) <==
            1970-01-01 00:00:01Z  + added    k1
            ==> \(second) <==
            1970-01-01 00:00:02Z  + added    k2

            """)
        expect(outcome.status, equals: 2)
        expect(outcome.errors, equals: "flow tail: nowhere: cannot open: No such file or directory\n")
      }
    }
  }

  @Test("errors in the command line are reported")
  func wrongUse() throws {
    #expect(try tail("--folow").errors.contains("unknown option “--folow”; did you mean “--follow”?"))
    #expect(
      try tail("-n", "ten").errors.contains("--lines takes a number, a number after a +, or all, not “ten”"))
    try expect(tail("-n", "-3").status, equals: 2)
    #expect(try tail("--help").output.contains("flow tail -f out/new-launches.jsonl"))
  }

  @Test("a file of gigabytes is read from its end")
  func hugeFile() throws {
    try withFile("") { path throws in
      let file = try #require(FileHandle(forWritingAtPath: path))
      try file.truncate(atOffset: 1 << 34)
      try file.seekToEnd()
      try file.write(contentsOf: Data(("\n" + events(1...12)).utf8))
      try expect(shown(path), equals: names(3...12))
    }
  }

  @Test("a file that is gzip is unpacked, by tail and by eval, by its first bytes")
  func gzip() throws {
    let outcome = try run(
      "gzip -c > packed && \"$0\" tail -n 1 packed && \"$0\" eval -r .key packed", input: events(1...3))
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
    expect(keys(outcome), equals: ["k3", "k1", "k2", "k3"])
  }

  @Test("a pipeline, a filter and a config without end are not read without end")
  func endless() throws {
    for arguments in [["check", "/dev/zero"], ["run", "/dev/zero"], ["eval", "-f", "/dev/zero"]] {
      let outcome = try flow(arguments, input: "")
      #expect(outcome.status == 2 && outcome.errors.contains("/dev/zero: is larger than 4194304 bytes"))
    }
  }

  @Test("a full disk is reported")
  func fullDisk() throws {
    let outcome = try run("exec \"$0\" tail - > /dev/full", input: event(1))
    #expect(
      outcome.status == 1 && outcome.errors.contains("flow: standard output cannot be written: No space left")
    )
  }

  @Test("a reader that has seen enough ends it quietly")
  func earlyEnd() throws {
    let outcome = try run("\"$0\" tail -n all - | head -n 1", input: events(1...20000))
    #expect(outcome.status == 0 && outcome.errors.isEmpty && keys(outcome) == ["k1"])
    // Even while there is nothing to write.
    let following = try run(
      "(echo 1; sleep 3; echo slept >&2) | (\"$0\" tail -f -; echo ended >&2) | head -n 1", input: "")
    #expect(following.output == "1\n" && following.errors == "ended\nslept\n")
  }

  @Test("the examples of the help run")
  func examples() throws {
    let text = #"{"type":"changed","key":"k","at":0,"after":{"provider":"SpaceX"}}"# + "\n"
    let examples = TailCommand.manual.examples.map(\.command).filter { !$0.contains("tail -f") }
    #expect(examples.count >= 2)
    for example in examples {
      let outcome = try run("mkdir out && cat > out/new-launches.jsonl && \(example)", input: text)
      #expect(outcome.status == 0 && outcome.errors.isEmpty && outcome.output.contains("k\n"), "\(example)")
    }
  }

  /// Runs a shell's script in a folder of its own, `flow` and `$0` being the command.
  private func run(_ script: String, input: String) throws -> Outcome {
    try withFile(input) { path throws in
      let process = TestProcess()
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      let flow = try flowCommand()
      process.arguments = ["-c", script, flow.path]
      process.currentDirectoryURL = URL(fileURLWithPath: path).deletingLastPathComponent()
      process.environment = ["PATH": "\(flow.deletingLastPathComponent().path):/usr/bin:/bin"]
      process.environment?["ASAN_OPTIONS"] = ProcessInfo.processInfo.environment["ASAN_OPTIONS"]
      let (output, errors) = (Pipe(), Pipe())
      process.standardInput = FileHandle(forReadingAtPath: path)
      process.standardOutput = output
      process.standardError = errors
      try process.run()
      let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
      let complaints = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
      process.waitUntilExit()
      return Outcome(status: process.terminationStatus, output: text, errors: complaints)
    }
  }
}
