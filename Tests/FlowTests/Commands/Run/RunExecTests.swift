import Expectations
import Foundation
import Testing

/// Commands that `flow run` has run, the bad ones too.
@Suite(.timeLimit(.minutes(30))) struct RunExecTests {
  private func place(_ exec: String, _ input: String = "{\"n\":1}\n") throws -> Workplace {
    try Workplace(
      "name: p\nsources: { in: { file: in.jsonl } }\nsteps: []\nsinks: { go: { exec: \(exec) } }\n",
      input: input)
  }

  @Test("events come on standard input, and who sent them in the environment")
  func given() throws {
    let place = try place(
      """
      { command: [sh, -c, 'read -r event; echo "$event $FLOW_PIPELINE $FLOW_SINK $FLOW_SOURCE \
      $N [$FLOW_POLL]" >> got; echo "$FLOW_EVENT_ID" >> ids'], env: { N: '<\\(.n)>' } }
      """, "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n")
    let outcome = try place.run()
    expect(outcome, equals: Outcome(status: 0, output: "", errors: ""))
    expect(place.lines("got"), equals: (1...3).map { "{\"n\":\($0)} p go in <\($0)> []" })
    expect(Set(place.lines("ids")).count, equals: 3)
    #expect(place.lines("ids").allSatisfy { $0.wholeMatch(of: /p\/go\/[0-9a-z]+-[0-9]+/) != nil })
  }

  @Test("one that hangs is ended when its time is up, with all it has started")
  func hanging() throws {
    let place = try place(
      "{ command: [sh, -c, 'sleep 600 & echo $! > pid; sleep 600'], timeout: 1s, attempts: 1 }")
    let outcome = try place.run()
    expect(outcome.status, equals: 1)
    #expect(outcome.errors.contains("go: error: “sh”:"), "\(outcome.errors)")
    let number = try #require(place.lines("pid").first)
    let status = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)
    #expect(status?.contains(") Z ") ?? true)
  }

  @Test("a run that is to end says which commands it waits for, and how it ends at once")
  func waiting() throws {
    let place = try place("{ command: [sh, -c, 'echo x > begun; sleep 600'], timeout: 10m }")
    let run = try place.start("--grace", "50s")
    try run.waitForLines(1, in: "begun")
    kill(run.number, SIGINT)
    try run.waitForErrors("waiting for go, up to 50s; Ctrl-C again stops at once")
    try expect(run.end(by: SIGINT).outcome.status, equals: 130)
  }

  @Test("one that ends while what it has started goes on is not waited for")
  func forking() throws {
    let place = try place("{ command: [sh, -c, 'sleep 120 & echo done; echo $! > pid'] }")
    let start = Date()
    let outcome = try place.run()
    #expect(outcome.status == 0 && outcome.errors.contains("go: done"))
    #expect(Date().timeIntervalSince(start) < 60)
    // It has succeeded, so what it has left goes on.
    let left = try #require(place.lines("pid").first.flatMap { Int32($0) })
    expect(kill(left, SIGKILL), equals: 0)
  }

  @Test("a command of a killed run is ended before the next run begins it again")
  func afterKill() throws {
    let place = try Workplace(
      """
      name: p
      sources: { g: { generate: 1, every: 1h } }
      steps: []
      sinks: { go: { exec: { command: [sh, -c, 'echo $$ >> begun; sleep 3; echo $$ >> ended'], timeout: 1m } } }
      """)
    let killed = try place.start()
    try killed.waitForLines(1, in: "begun")
    killed.send(SIGKILL)
    _ = try killed.end()
    let next = try place.start()
    try next.waitForLines(1, in: "ended")
    #expect(try next.end(by: SIGTERM).outcome.errors.contains("terminated"))
    let begun = place.lines("begun")
    #expect(begun.count >= 2 && !place.lines("ended").contains(begun[0]))
  }

  @Test(
    "a command of a source that a killed run has left is ended by the next run; what an ended one has left goes on",
    arguments: [", follow: true } } }", ", timeout: 2m }, every: 1m } }"])
  func leftSource(more: String) throws {
    let place = try Workplace(
      """
      name: p
      sources: { in: { exec: { command: [sh, -c, 'setsid sleep 30 & echo $! >> begun; wait'], decode: lines\(more)
      sinks: { log: { jsonl: log.jsonl } }
      """)
    func isAlive(_ number: Int32) -> Bool {
      let status = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)
      return status.map { !$0.contains(") Z ") } ?? false
    }
    for count in 1...2 {
      let killed = try place.start("--state", "st")
      try killed.waitForLines(count, in: "begun")
      killed.send(SIGKILL)
      _ = try killed.end()
    }
    let last = try place.start("--state", "st")
    try last.waitForLines(3, in: "begun")
    #expect(try last.end(by: SIGTERM).outcome.errors.contains("1 process left by commands of a killed run"))
    let left = place.lines("begun").compactMap { Int32($0) }
    #expect(left.count == 3 && left.allSatisfy(isAlive))
    for number in left { kill(number, SIGKILL) }
  }

  @Test("a git command that is killed is tried again, whichever it is")
  func killedGit() throws {
    let place = try Workplace(
      """
      name: g
      vars: { n: 1 }
      sources: { g: { generate: '{id: $vars.n}' } }
      sinks:
        r:
          git: { path: repo/d.json, key: .id, author: 'f <f@example.org>', push: true, attempts: 30, backoff: 0s }
      """)
    _ = try place.shell("mkdir bin killed")
    try place.write(
      "bin/git",
      """
      #!/bin/sh
      for verb; do case $verb in
        rev-parse|log|show|add|diff|commit|push|merge-base|rev-list)
          [ -e "$KILLED/$verb" ] || { touch "$KILLED/$verb"; kill -9 $$; }
          break;;
      esac; done
      exec /usr/bin/git "$@"

      """)
    let outcome = try place.shell(
      """
      git init -q --bare far.git && git init -q repo && cd repo && git remote add origin ../far.git &&
      git config push.autoSetupRemote true && cd .. && chmod +x bin/git &&
      export KILLED=$PWD/killed PATH=$PWD/bin:$PATH && "$0" run --once --state st p.yaml &&
      "$0" run --once --state st --set n=2 p.yaml && /usr/bin/git -C far.git log --format=%s
      """)
    #expect(outcome.status == 0 && outcome.output == "d: 1 added, 1 removed\nd: 1 row\n", "\(outcome)")
    #expect(!outcome.errors.contains("repository"), "\(outcome.errors)")
    #expect(
      ["rev-parse", "log", "show", "add", "diff", "commit", "push"].allSatisfy { place.has("killed/\($0)") })
  }

  @Test("at the end of the input what waits is run to its end, however long stopping might take")
  func endOfInput() throws {
    let place = try place(
      "{ command: [sh, -c, 'sleep 0.3; echo \"$FLOW_EVENT_ID\" >> got'] }",
      "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n")
    try expect(place.run("--grace", "100ms"), equals: Outcome(status: 0, output: "", errors: ""))
    expect(place.lines("got").count, equals: 3)
  }

  @Test("one that prints endlessly is ended in time, and fills neither log nor memory")
  func printing() throws {
    let place = try place("{ command: [yes], timeout: 1s, attempts: 1 }")
    let outcome = try place.run()
    #expect(outcome.status == 1 && outcome.errors.contains("more not shown"))
    #expect(outcome.errors.utf8.count < 1 << 20)
  }

  @Test("one that does not exist, or is not executable, is reported")
  func missing() throws {
    let outcome = try place("{ command: [./nowhere.sh], attempts: 1 }").run()
    expect(outcome.status, equals: 1)
    #expect(outcome.errors.contains("go: error: cannot start ./nowhere.sh: there is no "))
    let place = try place("{ command: [./in.jsonl], attempts: 1 }")
    #expect(try place.run().errors.contains("in.jsonl is not executable"))
  }

  @Test("one that reads nothing does not stop the others")
  func deaf() throws {
    let large = "{\"n\":\"" + String(repeating: "x", count: 1 << 20) + "\"}\n"
    let place = try place("{ command: [sh, -c, 'exec 0<&-; echo ran >> got'] }", large + large)
    try expect(place.run(), equals: Outcome(status: 0, output: "", errors: ""))
    expect(place.lines("got"), equals: ["ran", "ran"])
  }
}
