import Expectations
@testable import Nodes
import Trials
import TestSupport
import Glibc
import Engine
import Language
import Reactive
import Testing

import System

@Suite(.serialized, .timeLimit(.minutes(30))) struct ExecTests {
  @Test("the command gets data as single arguments, the event as JSON and variables of its own")
  func arguments() throws {
    let folder = Folder()
    let script = folder.write(
      "run.sh",
      """
      #!/bin/sh
      for each in "$@" "$EXTRA" "$FLOW_PIPELINE" "$FLOW_SINK" "$FLOW_SOURCE" "$FLOW_POLL" "$FLOW_EVENT_ID"; do
        printf '%s|' "$each"
      done
      cat
      """)
    let sink =
      #"go: { exec: { command: [\#(script), '\(.a)', 'x \(.b)'], env: { EXTRA: '<\(.b)>' }, output: stdout } }"#
    let seen = try SinkBench().run(sink, polls: [[#"{"a":"$(id) *","b":""}"#], [#"{"a":1,"b":"'\n"}"#]])
    expect(
      seen.text,
      equals: #"""
        $(id) *|x |<>|p|go|api|1|p/go/1767225600000-0|{"a":"$(id) *","b":""}
        1|x '
        |<'
        >|p|go|api|2|p/go/1767225601000-0|{"a":1,"b":"'\n"}

        """#)
    expect(seen.statistics.last?.errors, equals: 0)
  }

  @Test("standard input may be a template, or nothing", arguments: [("none", ""), (#"'\(.a)!'"#, "1!")])
  func input(_ option: String, _ expected: String) throws {
    let sink = "go: { exec: { command: cat, output: stdout, stdin: \(option) } }"
    try expect(SinkBench().run(sink, lines: [#"{"a":1}"#]).text, equals: expected)
  }

  @Test("what it prints goes to the log, or nowhere")
  func output() throws {
    let command = "[sh, -c, 'echo out; echo err >&2']"
    try expect(
      SinkBench().run("go: { exec: { command: \(command) } }", lines: ["1"]).log.sorted(),
      equals: [
        "go: err", "go: out",
      ])
    let discarded = try SinkBench()
      .run("go: { exec: { command: \(command), output: discard } }", lines: ["1"])
    #expect(discarded.log == ["go: err"] && discarded.text == "")
  }

  @Test("on a terminal what it prints cannot move the cursor")
  func screened() throws {
    let sink = #"go: { exec: { command: [printf, '%s', '\(.)'], output: stdout } }"#
    let seen = try SinkBench(isTerminal: true).run(sink, lines: [#""a\u001b[2J\n""#])
    expect(seen.text, equals: "a\\u001b[2J\n")
  }

  @Test("one that fails is tried again under the same id, then dealt with as on_error says")
  func failing() throws {
    let folder = Folder()
    let sink = """
      go:
        exec:
          command: [sh, -c, 'echo "$FLOW_EVENT_ID" >> \(folder.path)/ids; exit 3']
          attempts: 2
          backoff: 0s
        on_error: { dead_letter: letters.jsonl }
      """
    let seen = try SinkBench().run(sink, lines: [#"{"a":1}"#])
    expect(contents(of: "\(folder.path)/ids"), equals: "p/go/1767225600000-0\np/go/1767225600000-0\n")
    expect(
      seen.log,
      equals: [
        "go: “sh”: exit status 3; next try in 0s",
        "go: “sh”: exit status 3 after 2 attempts\n    in: {\"a\":1}",
      ])
    expect(seen.letters.count, equals: 1)
    expect(seen.letters.first?.contains(#""input":{"a":1}"#), equals: true)
    #expect(seen.statistics.last?.errors == 1 && seen.statistics.last?.givenUp == 1)
    #expect(seen.hasFailed, "a delivery was given up")
  }

  @Test("a failure with on_error: stop ends the pipeline")
  func stopping() throws {
    let seen = try SinkBench().run(
      "go: { exec: { command: 'false', attempts: 1 }, on_error: stop }", polls: [["1"], ["2"], ["3"]])
    #expect(seen.hasFailed)
    expect(seen.statistics.last?.eventsIn, equals: 1)
  }

  @Test("a program that is not there, and one that hangs with all its children, are failures like others")
  func missing() throws {
    let missing = try SinkBench().run("go: { exec: { command: /no/such } }", lines: ["1"])
    expect(missing.log, equals: ["go: cannot start /no/such: there is no /no/such\n    in: 1"])
    let hanging = "[sh, -c, 'yes & sleep 100 & sleep 100']"
    var seen = SinkBench.Seen()
    let took = try elapsed {
      seen = try SinkBench().run(
        "go: { exec: { command: \(hanging), timeout: 100ms, attempts: 1, output: stdout } }", lines: ["1"])
    }
    #expect(took < .seconds(10))
    #expect(seen.log.contains("go: “sh”: timed out\n    in: 1"))
    #expect(seen.text.utf8.count <= 1 << 20)
  }

  @Test("many events wait for room in the queue, and all are run in order")
  func backpressure() throws {
    let sink = #"go: { exec: { command: [echo, '\(.)'], output: stdout, queue: 2 } }"#
    let lines = (1...40).map { "\($0)" }
    for isReal in [false, true] {
      let seen = try SinkBench().run(sink, lines: lines, isReal: isReal)
      expect(seen.text, equals: lines.joined(separator: "\n") + "\n")
    }
  }

  @Test("a command that fails is retried before the events behind it", arguments: [false, true])
  func retries(_ isReal: Bool) throws {
    let folder = Folder()
    let script =
      #"echo "$1" >> \#(folder.path)/log; test "$1" != 1 || test $(wc -l < \#(folder.path)/log) -ge 3"#
    let sink = #"go: { exec: { command: [sh, -c, '\#(script)', sh, '\(.)'], attempts: 3, backoff: 10ms } }"#
    let seen = try SinkBench().run(sink, lines: ["1", "2", "3"], isReal: isReal)
    expect(contents(of: "\(folder.path)/log"), equals: "1\n1\n1\n2\n3\n")
    #expect(seen.log.count == 2 && seen.log.allSatisfy { $0.contains("; next try in ") }, "\(seen.log)")
  }

  @Test("what does not end before the deadline is killed and told", arguments: [1, 20])
  func deadline(_ number: Int) throws {
    let bench = SinkBench(
      grace: .milliseconds(200),
      meanwhile: { run in
        usleep(300_000)
        run.stop()
        // The input has ended already: who stops what only finishes is who says when the time is over.
        if number == 1 { usleep(200_000) }
        run.abort()
      })
    let lines = (1...number).map { "\($0)" }
    var seen = SinkBench.Seen()
    let took = try elapsed {
      seen = try bench.run(
        "go: { exec: { command: [sleep, 100], queue: 1 } }", lines: lines, isReal: true)
    }
    #expect(took < .seconds(10))
    #expect(!seen.log.isEmpty)
    #expect(seen.log.allSatisfy { $0.contains("the pipeline ended") || $0.contains("more event") })
    #expect(seen.statistics.last?.errors ?? 0 >= 1)
  }

  @Test("a dry run prints what would be run, for a shell")
  func dryRun() throws {
    let sink = #"go: { exec: { command: [./go.sh, '\(.a)'], env: { N: 'it''s' } } }"#
    let seen = try SinkBench(isDryRun: true).run(sink, lines: [#"{"a":"b\u001bc"}"#])
    expect(seen.text, equals: #"printf '%s\n' '{"a":"b\u001bc"}' | N='it'\''s' ./go.sh $'b\u001bc'"# + "\n")
  }

  @Test("data may neither choose the program nor be a script for a shell")
  func problems() {
    #expect(SinkBench.problems(#"a: { exec: { command: ['\(.x)'] } }"#).contains("must not depend on data"))
    #expect(
      SinkBench.problems(#"a: { exec: { command: [env, bash, -ec, 'echo \(.x)'] } }"#)
        .contains("a shell would execute"))
    expect(SinkBench.problems(#"a: { exec: { command: [sh, -c, 'echo "$1"\n', sh, '\(.x)'] } }"#), equals: "")
    #expect(
      SinkBench.problems("a: { exec: { command: x, env: { A=b: c } } }").contains("“A=b” is not a valid name")
    )
  }
}
