import Expectations
import Engine
import JSON
import Language
import Reactive
import System
import TestSupport
import Testing
import Trials

@testable import Nodes

@Suite struct TimeoutTests {
  private let silentFromTheStart = #"10s {"type":"silent","since":"1970-01-01T00:00:00Z","for":"10s"}"#

  @Test("a stream without any event is silent from the start, and reported once")
  func never() throws {
    try expect(Trial("timeout: 10s").run("1h end").lines, equals: [silentFromTheStart])
  }

  @Test("the first event after it comes behind the news of its return")
  func back() throws {
    try expect(
      Trial("timeout: 10s").run("30s 1\n31s end").lines,
      equals: [
        silentFromTheStart, #"30s {"type":"back","since":"1970-01-01T00:00:00Z","for":"30s"}"#, "30s 1",
      ])
  }

  @Test("with polls, one without events will do, and one that fails will not")
  func polls() throws {
    let lines = try Trial("timeout: { for: 10s, polls: true }")
      .run("5s poll\n12s poll\n20s failure\n23s poll\n24s end").linesDespiteTrouble
    expect(
      lines,
      equals: [
        #"22s {"type":"silent","since":"1970-01-01T00:00:12Z","for":"10s"}"#,
        #"23s {"type":"back","since":"1970-01-01T00:00:12Z","for":"11s"}"#,
      ])
  }

  @Test("without polls, a poll without events is silence")
  func emptyPolls() throws {
    try expect(Trial("timeout: 10s").run("5s poll\n9s poll\n12s end").lines, equals: [silentFromTheStart])
  }

  @Test("a silence that an earlier version stored goes on, and the end of one is none")
  func stored() throws {
    let silent = Silence(
      jsonValue: try Value.parse(Array(#"{"silent":true,"since":4.5,"last":3.25}"#.utf8)))
    expect(silent?.since, equals: Instant(nanoseconds: 3_250_000_000))
    expect(silent.flatMap { Silence(jsonValue: $0.jsonValue) }?.since, equals: silent?.since)
    let heard = try #require(
      Silence(jsonValue: Value.parse(Array(#"{"silent":false,"since":4.5,"last":3.25}"#.utf8))))
    expectNil(heard.since)
  }

  @Test("times are reported to the millisecond")
  func milliseconds() throws {
    let lines = try Trial("timeout: { for: 10s, pass: false }").run("30s500us1ns 1\n31s end").lines
    expect(lines.last, equals: #"30s500us1ns {"type":"back","since":"1970-01-01T00:00:00Z","for":"30s1ms"}"#)
  }

  @Test(
    "expected keys are lines, the first column of a table, or what key makes of an object",
    arguments: [
      ("jobs.txt", "# nightly\n backup \n\nsync\nbackup\n", "", #""backup","sync""#),
      ("jobs", "backup\r\nsync", "", #""backup","sync""#),
      ("jobs.csv", "name,host\nbackup,a\nsync,b\n", "", #""backup","sync""#),
      ("jobs.csv", "host,job\na,backup\nb,sync\n", "", #""backup","sync""#),
      ("jobs.jsonl", #"{"job":7}\#n8\#n{"other":9,"x":1}"#, "", "7,8,9"),
      ("jobs.json", #"["a",{"job":{"id":1}}]"#, "", #""a",{"id":1}"#),
      (
        "jobs.list", "1;a\n2;b\n", ", decode: { csv: { header: false, columns: [n, job], delimiter: ';' } }",
        #""a","b""#
      ),
    ])
  func files(_ name: String, _ text: String, _ more: String, _ keys: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(name, text)
    let step = "timeout: { for: 10s, key: .job, expect: { file: '\(folder[name])'\(more) }, pass: false }"
    let silent = try Trial(step).run("11s end").lines.map { line in
      try Value.parse(Array(line.dropFirst("10s ".count).utf8)).member("key")?.description ?? line
    }
    expect(
      Set(silent), equals: Set(try Value.parse("[\(keys)]").items?.map(\.description) ?? []), "\(silent)")
  }

  @Test("a file that cannot be read at the start is an error; later it is reported once, and the keys stay")
  func readAgain() throws {
    let folder = try TemporaryFolder()
    let plan = try Trial.plan(
      "sources: { in: stdin }\nsteps: [{ timeout: { for: 1s, key: ., expect: { file: '\(folder["j.txt"])' } } }]\nsinks: { it: null }\n"
    )
    guard case .file(let options) = plan.streams[0].steps[0].options[TimeoutOptions.expected] else {
      Issue.record("no file")
      return
    }
    let told = Journal<String>()
    let file = ExpectedFile(options, key: { $0 }, warn: { told.note($0) })
    let missing = #expect(throws: Sentence.self) { try file.changes() }
    #expect("\(missing as (any Error)?)".contains("j.txt"))
    try folder.write("j.txt", "a\nb\n")
    let first = try #require(try file.changes())
    #expect(first.come == ["a", "b"] && first.gone.isEmpty)
    try expectNil(file.changes())
    try folder.write("j.txt", "b\nc\n")
    try expectNil(file.changes(), "it may be in the middle of a change")
    let second = try #require(try file.changes())
    #expect(second.come == ["c"] && second.gone == ["a"])
    try folder.write("j.txt", [0xff])
    for _ in 0..<3 { try expectNil(file.changes()) }
    #expect(told.entries.count == 1 && told.entries[0].contains("the text is not UTF-8"))
    #expect(told.entries[0].hasSuffix("; the keys stay those of before"))
    try folder.write("j.txt", "b\n")
    try expectNil(file.changes())
    try expect(file.changes()?.gone, equals: ["c"])
  }
}
