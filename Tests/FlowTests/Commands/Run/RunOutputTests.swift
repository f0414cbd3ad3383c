import Expectations
import Foundation
import Testing

/// What `flow run` writes to standard output, and who reads it.
@Suite(.timeLimit(.minutes(30))) struct RunOutputTests {
  @Test(
    "a reader that has seen enough ends it quietly",
    arguments: ["{ generate: range(200000) }", "{ generate: '$meta.poll', every: 20ms }"])
  func earlyEnd(_ source: String) throws {
    let place = try Workplace("sources: { in: \(source) }\nsteps: []\nsinks: { screen: console }\n")
    let outcome = try place.shell("{ \"$0\" run p.yaml; echo $? > status; } | head -n 1")
    expect(outcome.output.split(separator: "\n").count, equals: 1)
    expect(outcome.errors, equals: "")
    expect(place.text("status"), equals: "0\n")
  }

  @Test("when the reader of standard output goes, the other sinks are still given everything")
  func otherSinks() throws {
    let place = try Workplace(
      """
      sources: { in: { generate: range(200000) } }
      steps: []
      sinks: { screen: console, log: { jsonl: log.jsonl } }
      """)
    let outcome = try place.shell("{ \"$0\" run p.yaml; echo $? > status; } | head -n 1")
    #expect(outcome.errors == "" && place.text("status") == "0\n")
    expect(place.lines("log.jsonl").count, equals: 200_000)
  }

  @Test("an error in writing standard output is reported")
  func fullOutput() throws {
    let place = try Workplace("sources: { in: { generate: 1 } }\nsteps: []\nsinks: { screen: console }\n")
    let outcome = try place.shell("\"$0\" run --stats p.yaml > /dev/full")
    #expect(outcome.errors.contains("standard output cannot be written: No space left on device"))
    #expect(outcome.errors.contains(/screen +console +1 +0 +0 +1/))
  }

  @Test("each event that standard output has no room for counts as failed, and none as an output")
  func fullOutputOfMany() throws {
    for sink in ["console: {}", "console: { table: [.] }"] {
      let place = try Workplace(
        "sources: { in: { generate: range(50000) } }\nsteps: []\nsinks: { screen: { \(sink) } }\n")
      let outcome = try place.shell("\"$0\" run --stats p.yaml > /dev/full")
      #expect(outcome.errors.contains(/screen +console +50000 +0 +0 +50000/), "\(sink): \(outcome.errors)")
      #expect(outcome.errors.contains("failed after"))
      #expect(outcome.errors.contains(/No space left on device; lost \d+ events/))
    }
  }

  @Test("of a recording too, a reader may have seen enough; the other sinks are given all of it")
  func earlyEndOfRecording() throws {
    let place = try Workplace(
      """
      sources: { in: { replay: in.jsonl } }
      steps: []
      sinks: { screen: console, log: { jsonl: log.jsonl } }
      """,
      input: (10..<60).map { "{\"at\":\"2026-01-01T00:\($0):00Z\",\"rows\":[\(rows)]}\n" }.joined())
    let outcome = try place.shell(
      "{ env --default-signal=PIPE \"$0\" run p.yaml; echo $? > status; } | head -n 1")
    #expect(outcome.errors == "" && place.text("status") == "0\n")
    expect(place.lines("log.jsonl").count, equals: 50_000)
  }

  private var rows: String { (1...1000).map { "\($0)" }.joined(separator: ",") }

  @Test("where standard streams are closed, no file takes their place")
  func closedStreams() throws {
    let place = try Workplace(
      """
      sources: { in: { file: in.jsonl } }
      steps: [log: '"seen \\(.n) and more than eight bytes"']
      sinks: { screen: console, log: { jsonl: log.jsonl } }
      """, input: "{\"n\":1}\n{\"n\":2}\n")
    let script = "\"$0\" run p.yaml 2> errors <&- >&-; \"$0\" run p.yaml <&- >&- 2>&-"
    try expect(place.shell(script).output, equals: "")
    expect(place.lines("log.jsonl"), equals: ["{\"n\":1}", "{\"n\":2}", "{\"n\":1}", "{\"n\":2}"])
    #expect(place.text("errors").contains("standard output cannot be written: Bad file descriptor"))
    try place.write("p.yaml", "sources: { in: stdin }\nsteps: []\nsinks: { log: null }\n")
    let deaf = try place.shell("\"$0\" run p.yaml <&-")
    #expect(deaf.status == 1 && deaf.errors.contains("cannot read: Bad file descriptor"), "\(deaf.errors)")
  }

  static var hasTerminal: Bool { (try? Workplace().shell("script -qec true /dev/null").status) == 0 }

  @Test(
    "no control character of the data reaches a terminal",
    .enabled(if: hasTerminal, "there is no script(1) to make a terminal"),
    arguments: [
      "console", "{ console: '\\(.name)' }", "{ console: { table: [.name] } }",
      "{ console: { json: pretty } }",
      "{ exec: { command: [printf, '%s\\n', '\\(.name)'], output: stdout } }",
      "{ exec: { command: [printf, '%s\\n', '\\(.name)'] } }",
      "{ notify: { title: '\\(.name)', through: bell } }",
      "{ count: .name }", "{ jsonl: '\\(.n).jsonl' }",
    ])
  func controlCharacters(_ sink: String) throws {
    let text = #"\u001b[2J\u001b]0;title\u0007\u009b31m\u0000\u0008\u007f\u202eabc\r\nx"#
    let place = try Workplace(
      """
      sources: { in: { file: in.jsonl } }
      steps: [log: '.name', { map: 'if .n == 2 then error(.name) else . end' }]
      sinks: { it: \(sink) }
      """, input: "{\"n\":1,\"name\":\"\(text)\"}\n{\"n\":2,\"name\":\"\(text)\"}\n\u{1b}[2J\u{7}\n")
    let outcome = try place.shell(
      "script -qec \"$0 run p.yaml\" /dev/null", environment: ["NO_COLOR": "1", "TERM": "xterm"])
    // An event fails, and a line is no JSON.
    expect(outcome.status, equals: 1)
    #expect(outcome.output.contains("abc"))
    try expectNothingObeyed(outcome, sink)
    let scriptedRun = try place.shell(
      "script -qec \"$0 run --dry-run p.yaml\" /dev/null", environment: ["NO_COLOR": "1", "TERM": "xterm"])
    expect(scriptedRun.status, equals: 1)
    try expectNothingObeyed(scriptedRun, sink)
  }

  private func expectNothingObeyed(_ outcome: Outcome, _ sink: String) throws {
    var shown = outcome.output.replacing("\r\n", with: "\n")
    // What the command itself does to a terminal: its table is drawn in place, its bell rings.
    if sink.contains("table") { shown.replace(/\u{1B}\[(\?25[lh]|\?7[lh]|[0-9]*[AJK])/, with: "") }
    if sink.contains("bell") { shown.replace("\u{7}", with: "", maxReplacements: 1) }
    let obeyed = shown.unicodeScalars.filter {
      $0.properties.generalCategory == .control && $0 != "\n" || $0 == "\u{202E}"
    }
    #expect(obeyed.isEmpty, "\(shown.debugDescription)")
  }
}
