import Expectations
@testable import Nodes
import AllNodes
import JSON
import Language
import Reactive
import TestSupport
import Testing
import Trials

@testable import Engine
import System

/// The source `exec`: polls of a command, and one that runs on.
@Suite(.timeLimit(.minutes(30))) struct ExecSourceTests {
  private func rows(_ yaml: String) throws -> String {
    try WebTrial("exec: \(yaml)") { _ in .init("") }.rows()
  }

  private func failure(_ yaml: String) throws -> String {
    let trial = try WebTrial("exec: \(yaml)") { _ in .init("") }
    return (#expect(throws: (any Error).self) { try trial.poll() }).map { "\($0)" } ?? ""
  }

  @Test("what a command prints is the rows, in any format")
  func output() throws {
    try expect(rows(#"[printf, '[1,2]']"#), equals: "[1,2]")
    try expect(rows(#"[printf, '{"a":1}\n{"a":2}\n']"#), equals: #"[{"a":1},{"a":2}]"#)
    try expect(rows(#"{ command: [printf, 'a,b\n1,2\n'], decode: csv }"#), equals: #"[{"a":"1","b":"2"}]"#)
    try expect(rows(#"{ command: [printf, 'one\ntwo'], decode: text }"#), equals: #"["one","two"]"#)
    try expect(rows("['true']"), equals: "[]")
  }

  @Test("its environment is what env names, and a few variables of its surroundings")
  func environment() throws {
    let found = try rows(
      "{ command: [sh, -c, 'env | grep -v -E \"^(PWD|SHLVL|_|OLDPWD)=\"'], decode: text, env: { KEY: v } }")
    #expect(found.contains(#""KEY=v""#) && found.contains(#""PATH="#))
    let names = try #require(try Value.parse(Array(found.utf8)).items).compactMap {
      $0.string?.prefix { $0 != "=" }
    }
    let allowed: Set<Substring> = ["KEY", "PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR"]
    #expect(Set(names).isSubset(of: allowed), "\(names)")
  }

  @Test("a status, a signal, a time limit, too much output and a bad text are failures of the poll")
  func failures() throws {
    try expect(
      failure("[sh, -c, 'echo one >&2; echo two >&2; exit 3']"), equals: "“sh”: exit status 3: one / two")
    try expect(failure("[sh, -c, 'kill -9 $$']"), equals: "“sh”: ended by signal 9")
    try expect(failure("{ command: [sleep, '5'], timeout: 50ms }"), equals: "“sleep”: took longer than 50ms")
    try expect(
      failure("{ command: [printf, 'xxxx'], max_size: 3 }"),
      equals: "“printf”: printed more than max_size, 3 bytes")
    try expect(
      failure(#"{ command: [printf, 'a,b\n1\n'], decode: csv }"#),
      equals: "“printf”: printed csv: line 2, column 1: the row has 1 field instead of 2: 1")
    try expect(
      failure("{ command: ['true'], decode: csv }"),
      equals: "“true”: printed csv: line 1, column 1: the text ends before the table begins")
    #expect(try failure("[no-such-program]").hasPrefix("“no-such-program”: cannot start no-such-program"))
    try expect(rows("{ command: [sh, -c, 'echo 1; exit 1'], exit_codes: [0, 1] }"), equals: "[1]")
  }

  @Test("a followed command's values arrive as it prints them; it is started again, and ended by the stop")
  func follow() throws {
    let folder = Folder()
    let script = folder.write(
      "run.sh",
      "echo $$ >> \(folder.path)/pids\necho 1\necho 2\n[ $(wc -l < \(folder.path)/pids) = 1 ] && exit 7\nexec sleep 60\n"
    )
    let plan = try Trial.plan(
      "sources: { in: { exec: { command: [sh, \(script)], decode: lines, follow: true, backoff: 10ms } } }\nsteps: []\nsinks: { it: null }\n"
    )
    let heard = Journal<String>()
    let log = Journal<String>()
    let ends = Journal<Bool>()
    var options = RunOptions(world: .real, log: Log { log.note($0.message) }, screen: silentScreen)
    options.sink = { _, _ in Hearing { heard.note("\($0)") } }
    let run = try PipelineRun(plan, options, clock: nil) { ends.note($0) }
    run.start()
    #expect(eventually { heard.entries.count == 4 })
    expect(heard.entries, equals: ["1", "2", "1", "2"])
    expect(
      Array(log.entries.prefix(2)),
      equals: ["follows what “sh” prints", "“sh”: exit status 7; next try in 1s"])
    #expect(log.entries.count == 3 && log.entries[2].hasPrefix("recovered, after 1 failed attempt"))
    let time = elapsed {
      run.stop()
      #expect(eventually { !ends.entries.isEmpty })
    }
    #expect(time < .seconds(2) && ends.entries == [false])
  }

  @Test("options that do not go together are reported")
  func checks() throws {
    func problems(_ yaml: String) -> String {
      var reader = PipelineReader(catalog: .all)
      _ = reader.read(
        path: "p.yaml", Array("sources: { in: { exec: \(yaml) } }\nsteps: []\nsinks: { it: null }\n".utf8))
      return "\(reader.problems)"
    }
    #expect(problems("df -k").contains("write [df, -k], or [sh, -c, '…'] for a shell"))
    #expect(problems("{ command: [x], backoff: 1s }").contains("backoff has no effect without follow"))
    #expect(
      problems("{ command: [x], follow: true, timeout: 1s }").contains("timeout has no effect with follow"))
    #expect(problems("{ command: [x], env: { 'a=b': c } }").contains("not a valid name"))
  }
}

private final class Hearing: Sink {
  private let note: (Value) -> Void

  init(_ note: @escaping (Value) -> Void) { self.note = note }

  func take(_ event: Event) { note(event.value) }
}
