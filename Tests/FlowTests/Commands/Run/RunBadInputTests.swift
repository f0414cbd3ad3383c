import Expectations
import Foundation
import TestScale
import Testing

/// `flow run` on files that are not as they should be.
@Suite(.timeLimit(.minutes(30))) struct RunBadInputTests {
  @Test("control characters in names and settings reach no terminal")
  func controlCharacters() throws {
    let place = try Workplace(Self.pipeline("{ generate: 1 }"))
    for arguments in [
      ["run", "no\u{1b}[2Jfile"], ["run", "--no-state", "--set", "no\u{1b}[2J=1", "p.yaml"], ["\u{1b}c"],
    ] {
      try place.write("stdin", "")
      let outcome = try Running(arguments, in: place, input: .file(place["stdin"])).end()
      expect(outcome.status, equals: 2)
      #expect(outcome.errors.contains("\\u001b") && !outcome.errors.contains("\u{1b}"), "\(outcome)")
    }
  }

  static let hidesProcesses = "unshare --map-root-user --mount sh -c"

  static var canHideProcesses: Bool {
    // A sanitizer needs it.
    !TestScale.isSanitized
      && (try? Workplace().shell("\(hidesProcesses) 'mount -t tmpfs none /proc'").status) == 0
  }

  @Test("arguments arrive without /proc too", .enabled(if: canHideProcesses, "/proc cannot be hidden here"))
  func withoutProcesses() throws {
    let place = try Workplace()
    let outcome = try place.shell(
      "\(Self.hidesProcesses) 'mount -t tmpfs none /proc; exec \"$0\" version' \"$0\"")
    #expect(outcome.status == 0 && outcome.output.hasPrefix("flow "), "\(outcome)")
  }

  static func pipeline(_ source: String) -> String {
    "name: p\nsources: { in: \(source) }\nsteps: []\nsinks: { log: { jsonl: log.jsonl } }\n"
  }

  @Test("a time zone that is unknown is one error, before anything runs")
  func timeZones() throws {
    let place = try Workplace(
      """
      name: p
      vars: { zone: null }
      time_zone: $vars.zone
      sources: { in: { file: in.jsonl } }
      steps: [{ map: 'strflocaltime("%H:%M")' }]
      sinks: { log: { jsonl: log.jsonl } }

      """, input: "0\n0\n0\n")
    let wrong = try place.run("--set", "zone=Mars/Base")
    #expect(wrong.status == 1 && !place.has("log.jsonl"))
    expect(
      wrong.errors,
      equals: "flow: there is no time zone “Mars/Base”; zones are named as in Europe/Warsaw or UTC\n")
    try expect(place.shell("exec \"$0\" check --set zone=Mars/Base p.yaml").status, equals: 2)
    try expect(place.shell("TZ=Mars/Base exec \"$0\" run --no-state p.yaml").status, equals: 1)
    try expect(place.shell("TZ=Asia/Tokyo exec \"$0\" run --no-state p.yaml").status, equals: 0)
    try place.write("config.yaml", "time_zone: Asia/Kolkata\n")
    try expect(place.shell("TZ=Asia/Tokyo exec \"$0\" run --no-state p.yaml").status, equals: 0)
    try expect(place.run("--set", "zone=America/New_York").status, equals: 0)
    let times = ["\"09:00\"", "\"05:30\"", "\"19:00\""].flatMap { Array(repeating: $0, count: 3) }
    expect(place.lines("log.jsonl"), equals: times)
    try place.write("config.yaml", "time_zone: Mars/Base\n")
    try expect(place.run("--set", "zone=America/New_York").status, equals: 1)
    // A pipeline that asks for no zone is not stopped by what TZ has.
    try place.remove("config.yaml")
    try place.write("p.yaml", Self.pipeline("{ file: in.jsonl }"))
    try expect(place.shell("TZ=Mars/Base exec \"$0\" run --no-state p.yaml").status, equals: 0)
  }

  @Test("what is not JSON is reported with its line; the others pass")
  func badLines() throws {
    let place = try Workplace(
      Self.pipeline("{ file: in.jsonl }"), input: "{\"n\":1}\nnot json\n{\"n\":2}\n{\"n\":\n\n{\"n\":3}")
    let outcome = try place.run("--stats")
    #expect(outcome.status == 1 && outcome.errors.contains("2 events of in failed"), "\(outcome.errors)")
    expect(place.lines("log.jsonl"), equals: ["{\"n\":1}", "{\"n\":2}", "{\"n\":3}"])
    #expect(outcome.errors.contains("in: error: in.jsonl:2: "), "\(outcome.errors)")
    #expect(outcome.errors.contains("in: error: in.jsonl:4: "), "\(outcome.errors)")
    #expect(outcome.errors.contains(/in +file +3 +0 +2/), "\(outcome.errors)")
  }

  @Test("of many bad lines the first few are told one by one, the others in one line")
  func manyBadLines() throws {
    let place = try Workplace(
      Self.pipeline("stdin"))
    let outcome = try place.run(input: "1\n" + String(repeating: "oops\n", count: 1000) + "2\n")
    expect(place.lines("log.jsonl"), equals: ["1", "2"])
    #expect(outcome.errors.contains("995 more invalid parts of the text skipped"))
    expect(outcome.errors.split(separator: "\n").count, equals: 7)
  }

  @Test("bytes that are no text are no error of the others' lines, and do not come out as they are")
  func invalidText() throws {
    let place = try Workplace(Self.pipeline("{ file: in.jsonl }"))
    var bytes = Data("1\n\"a".utf8)
    bytes.append(contentsOf: [0xff, 0xc0, 0x80, 0xed, 0xa0, 0x80])
    bytes.append(contentsOf: Array("\"\n2\n".utf8))
    bytes.append(contentsOf: [0x80, 0x0a])
    try place.write("in.jsonl", bytes)
    let outcome = try place.run()
    expect(outcome.status, equals: 1)
    let written = FileManager.default.contents(atPath: place["log.jsonl"]) ?? Data()
    #expect(String(validating: written, as: UTF8.self) != nil)
    let lines = place.lines("log.jsonl")
    #expect(lines.first == "1" && lines.last == "2")
    #expect(outcome.errors.contains("in.jsonl:4:"), "\(outcome.errors)")
  }

  @Test("an empty file has nothing in it", arguments: ["", "\n\n  \n", "\u{FEFF}"])
  func empty(_ text: String) throws {
    let place = try Workplace(Self.pipeline("{ file: in.jsonl }"), input: text)
    try expect(place.run(), equals: Outcome(status: 0, output: "", errors: ""))
    expect(place.text("log.jsonl"), equals: "")
  }

  @Test("a folder is no file", arguments: ["{ file: . }", "{ file: { path: ., follow: true } }"])
  func folder(_ source: String) throws {
    let place = try Workplace(Self.pipeline(source))
    let outcome = try place.run()
    expect(outcome.status, equals: 1)
    // The error, and the last line of a run that failed.
    expect(outcome.errors.split(separator: "\n").count, equals: 2, "\(outcome.errors)")
    #expect(outcome.errors.hasPrefix("in: error: .: cannot "), "\(outcome.errors)")
  }

  @Test("where one source fails the others are read to their end, and the status is 1")
  func oneOfTwo() throws {
    let place = try Workplace(
      Self.pipeline("{ file: in.jsonl }, other: { file: nowhere.jsonl }"), input: "1\n2\n")
    let outcome = try place.run()
    #expect(outcome.status == 1 && outcome.errors.contains("other: error: nowhere.jsonl: cannot open"))
    expect(place.lines("log.jsonl"), equals: ["1", "2"])
  }

  /// Runs a command without the right to read everything, which root has.
  static let unprivileged = "setpriv --bounding-set=-dac_override,-dac_read_search"

  static var canGiveUpRights: Bool {
    geteuid() != 0 || (try? Workplace().shell("\(unprivileged) true").status) == 0
  }

  @Test("a file without permissions is reported", .enabled(if: canGiveUpRights))
  func permissions() throws {
    let place = try Workplace(Self.pipeline("{ file: in.jsonl }"), input: "1\n")
    let run = (geteuid() == 0 ? Self.unprivileged + " " : "") + "\"$0\" run p.yaml"
    expect(chmod(place["in.jsonl"], 0), equals: 0)
    let unread = try place.shell(run)
    expect(unread.status, equals: 1)
    #expect(unread.errors.hasPrefix("in: error: in.jsonl: cannot open: Permission denied\n"))
    expect(chmod(place["in.jsonl"], 0o600), equals: 0)
    try place.write("log.jsonl", "")
    expect(chmod(place["log.jsonl"], 0o400), equals: 0)
    let unwritten = try place.shell(run)
    expect(unwritten.status, equals: 1)
    expect(unwritten.errors, equals: "flow: error: log.jsonl: cannot open: Permission denied\n")
  }

  @Test("an event on which a step fails is reported with its input, and kept if requested")
  func deadLetters() throws {
    let place = try Workplace(
      """
      name: p
      sources: { in: { file: in.jsonl } }
      steps: [{ map: .n.m, on_error: { dead_letter: letters/bad.jsonl } }]
      sinks: { log: { jsonl: log.jsonl } }
      """, input: "{\"n\":{\"m\":1}}\n{\"n\":7}\n{\"n\":{\"m\":3}}\n")
    let outcome = try place.run()
    #expect(outcome.status == 0 && outcome.errors.contains("in: {\"n\":7}"))
    expect(place.lines("log.jsonl"), equals: ["1", "3"])
    let letters = place.lines("letters/bad.jsonl")
    expect(letters.count, equals: 1)
    expect(letters.first?.contains("\"input\":{\"n\":7}"), equals: true)
  }

  @Test("with on_error: stop the first failure ends the pipeline, and the status is 1")
  func stopping() throws {
    let place = try Workplace(
      """
      name: p
      on_error: stop
      sources: { in: { file: in.jsonl }, beat: { generate: '{n: {m: 0}}', every: 1h } }
      steps: [map: .n.m]
      sinks: { log: { jsonl: log.jsonl } }
      """, input: "{\"n\":7}\n")
    let outcome = try place.run()
    #expect(outcome.status == 1 && outcome.errors.contains("p: error: stopped by map: Cannot index number"))
  }
}
