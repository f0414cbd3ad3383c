import Expectations
import Foundation
import Testing

/// Where simulated and replayed runs write, and what their sinks do: `--out` and `--live-sinks`.
@Suite(.timeLimit(.minutes(30))) struct RunOutputsTests {
  private static let sinks = """
    sinks:
      log: { jsonl: out/log.jsonl }
      each: { jsonl: 'logs/\\(.name).jsonl' }
      calendar: { ics: { path: out/a.ics, key: .id, start: 0, summary: '\\(.id)' } }
      tell: { exec: { command: [sh, tell.sh, '\\(.id)'] } }
      show: { notify: { title: '\\(.id)', command: [sh, tell.sh] } }
      bell: { notify: { title: '\\(.id)', through: bell } }
    """
  /// A pipeline that polls the sky, and one that polls nothing outside, with a step that fails on each first event.
  private static let polled =
    "name: p\nsources: { in: { launch_library: { limit: 2 } } }\n"
    + "steps: [map: '{ id, name: \"../../x/\\(.name)\" }']\n" + sinks
  private static let generated = """
    name: p
    sources: { in: { generate: '{ id: "a", name: "../../x" }, { id: "b", name: "y" }', every: 1h } }
    steps: [{ map: 'if .id == "b" then error("no") else . end', on_error: { dead_letter: out/dead.jsonl } }]
    \(sinks)
    """

  private func workplace(_ pipeline: String) throws -> Workplace {
    let place = try Workplace(pipeline)
    try place.write("tell.sh", "echo \"$1\" >>told\n")
    return place
  }

  /// All files below the folder, without those that the test has made.
  private func files(_ place: Workplace) -> Set<String> {
    let all = FileManager.default.enumerator(atPath: place.path)?.compactMap { $0 as? String } ?? []
    return Set(
      all.filter { name in
        var isFolder: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: place[name], isDirectory: &isFolder)
        return !isFolder.boolValue && !["p.yaml", "tell.sh", "stdin", "rec/in.jsonl"].contains(name)
          && !name.hasPrefix("out-") && !name.hasPrefix("err-")
      })
  }

  private func texts(_ place: Workplace, _ names: [String]) -> [String] { names.map { place.text($0) } }

  @Test("a run under the sky leaves real outputs alone, runs nothing, and reports that in a line each")
  func sky() throws {
    let place = try workplace(Self.polled)
    try FileManager.default.createDirectory(atPath: place["out"], withIntermediateDirectories: true)
    let real = ["out/log.jsonl", "out/a.ics"]
    for name in real { try place.write(name, "real\n") }
    for seed in ["1", "2"] {
      let outcome = try place.run("--sky", "--once", "--seed", seed)
      expect(outcome.status, equals: 0, "\(outcome.errors)")
      let reported = outcome.errors.split(separator: "\n").dropFirst().map(String.init)
      expect(
        reported.prefix(6),
        equals: [
          "log: out/log.jsonl is written to out/sky/log.jsonl under --sky",
          "each: files in logs are written to out/sky/logs under --sky",
          "calendar: out/a.ics is written to out/sky/a.ics under --sky",
          "tell: commands are not run under --sky; --live-sinks runs them",
          "show: notifications are not shown under --sky; --live-sinks shows them",
          "bell: notifications are not shown under --sky; --live-sinks shows them",
        ])
      expect(
        Set(reported.dropFirst(6)),
        equals: [
          "tell: 2 commands were not run", "show: 2 notifications were not shown",
          "bell: 2 notifications were not shown",
        ])
      // A second world replaces the first.
      expect(place.lines("out/sky/log.jsonl").count, equals: 2)
      expect(place.text("out/sky/a.ics").split(separator: "BEGIN:VEVENT").count, equals: 3)
    }
    expect(texts(place, real), equals: ["real\n", "real\n"])
    let names = files(place)
    #expect(!names.contains("told"))
    #expect(names.allSatisfy { $0.hasPrefix("out/sky/") || real.contains($0) }, "\(names)")
    #expect(names.contains { $0.hasPrefix("out/sky/logs/_.-..-x-") }, "\(names)")
  }

  @Test("so does a replay, whose dead letters lie beside its files; a second one replaces the first")
  func replay() throws {
    let place = try workplace(Self.generated)
    try expect(place.run("--once", "--record", "rec", "--out", "real").status, equals: 0)
    for _ in 0..<2 {
      let outcome = try place.run("--replay", "rec")
      expect(outcome.status, equals: 0)
      #expect(
        outcome.errors.contains("p: out/dead.jsonl is written to out/replay/dead.jsonl under --replay\n"))
      expect(place.lines("out/replay/log.jsonl").count, equals: 1)
      expect(place.lines("out/replay/dead.jsonl").count, equals: 1)
    }
    expect(place.lines("told"), equals: ["a", "a"], "those of the real run")
    let names = files(place).filter { !$0.hasPrefix("real/") && !$0.hasPrefix("state/") && $0 != "told" }
    expect(
      names,
      equals: [
        "out/replay/.simulated", "out/replay/log.jsonl", "out/replay/a.ics", "out/replay/dead.jsonl",
        "out/replay/logs/_.-..-x.jsonl",
      ])
  }

  @Test("with --live-sinks a replay writes, runs and notifies as a real run does")
  func live() throws {
    let place = try workplace(Self.generated)
    try place.record(#"{"at":"2026-01-01T00:00:00Z","rows":[{"id":"a","name":"n"},{"id":"b"}]}"#)
    for count in 1...2 {
      let outcome = try place.run("--replay", "rec", "--live-sinks")
      #expect(outcome.status == 0 && !outcome.errors.contains("--live-sinks"), "\(outcome.errors)")
      #expect(outcome.errors.contains("bell: a\n"))
      #expect(place.lines("out/log.jsonl").count == count && place.lines("out/dead.jsonl").count == count)
      expect(place.lines("told").count, equals: 2 * count)
    }
    #expect(place.has("logs/n.jsonl") && place.has("out/a.ics") && !place.has("out/replay"))
  }

  @Test("--live-sinks with --out runs commands and leaves files in a folder")
  func liveBelow() throws {
    let place = try workplace(Self.polled)
    try expect(place.run("--sky", "--once", "--live-sinks", "--out", "tried").status, equals: 0)
    #expect(place.lines("told").count == 4 && place.lines("tried/log.jsonl").count == 2 && !place.has("out"))
  }

  @Test("a webhook is sent to the real network, and only with --live-sinks")
  func webhook() throws {
    let script = """
      import http.server
      class Handler(http.server.BaseHTTPRequestHandler):
          def do_POST(self):
              open("told", "ab").write(self.rfile.read(int(self.headers["Content-Length"])) + b"\\n")
              self.send_response(204); self.end_headers()
          def log_message(self, *rest): pass
      server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
      open("port.new", "w").write(str(server.server_port))
      import os; os.rename("port.new", "port")
      server.serve_forever()
      """
    let place = try Workplace()
    try place.write("server.py", script)
    try place.write("none", "")
    let server = try Running(
      ["server.py"], of: "/usr/bin/python3", in: place, input: .file(place["none"]))
    try server.wait(for: "the server") { place.has("port") }
    let sinks = "sinks: { hook: { http: { url: 'http://127.0.0.1:\(place.text("port"))/', body: .id } } }\n"
    try place.write(
      "p.yaml", "name: p\nsources: { in: { launch_library: { limit: 2 } } }\nsteps: []\n" + sinks)
    try place.record(#"{"at":"2026-01-01T00:00:00Z","rows":[{"id":"a"},{"id":"b"}]}"#)
    for options in [["--sky", "--once"], ["--replay", "rec"]] {
      let quiet = try Running(["run", "p.yaml"] + options, in: place, input: .file(place["none"])).end()
      #expect(quiet.status == 0 && quiet.errors.contains("hook: 2 requests were not sent"), "\(quiet.errors)")
      #expect(!place.has("told"))
      let live = try Running(
        ["run", "p.yaml", "--live-sinks"] + options, in: place, input: .file(place["none"])
      ).end()
      expect(live.status, equals: 0, "\(live.errors)")
      expect(place.lines("told").count, equals: 2)
      try place.remove("told")
    }
    server.send(SIGTERM)
  }

  @Test("a pipeline over recordings of its own is replayed: out/ is replaced, other paths are its choice")
  func replaySource() throws {
    let place = try workplace(
      "name: p\nsources: { in: { replay: rec/in.jsonl } }\nsteps: []\n" + Self.sinks)
    try place.record(#"{"at":"2026-01-01T00:00:00Z","rows":[{"id":"a","name":"n"}]}"#)
    for _ in 0..<3 {
      let outcome = try place.run()
      #expect(outcome.errors.contains("log: out/log.jsonl is written to out/replay/log.jsonl in a replay\n"))
      #expect(outcome.errors.contains("tell: commands are not run in a replay; --live-sinks runs them\n"))
    }
    #expect(place.lines("out/replay/log.jsonl").count == 1 && !place.has("out/log.jsonl"))
    #expect(place.lines("logs/n.jsonl").count == 3 && !place.has("told"))
    try expect(place.run("--live-sinks").status, equals: 0)
    #expect(place.lines("out/log.jsonl").count == 1 && place.lines("told").count == 2)
  }

  @Test("--out holds all that a real run writes, and reports it")
  func real() throws {
    let place = try workplace(Self.generated)
    for count in 1...2 {
      let outcome = try place.run("--once", "--no-state", "--out", "d/e/")
      #expect(outcome.errors.contains("log: out/log.jsonl is written to d/e/log.jsonl because of --out\n"))
      #expect(place.lines("d/e/log.jsonl").count == count && place.lines("d/e/dead.jsonl").count == count)
    }
    expect(place.lines("told").count, equals: 4)
    #expect(files(place).allSatisfy { $0.hasPrefix("d/e/") || $0 == "told" })
  }

  @Test("a dry run under the sky shows the commands, and makes no folder")
  func dryRun() throws {
    let place = try workplace(Self.polled)
    let outcome = try place.run("--sky", "--once", "--dry-run")
    #expect(outcome.output.contains("sh tell.sh ") && outcome.output.contains("out/sky/log.jsonl: {"))
    #expect(!outcome.errors.contains("is written to"))
    expect(files(place), equals: [])
  }

  @Test("real and simulated outputs share a folder, and never a file")
  func sharedFolder() throws {
    let place = try Workplace(
      "name: p\nsources: { in: { generate: '1', every: 1h } }\nsteps: []\nsinks: { log: { jsonl: out/log.jsonl } }\n"
    )
    try expect(place.run("--once").status, equals: 0)
    let refused = try place.run("--sky", "--once", "--out", "out")
    #expect(refused.status == 1 && refused.errors.contains("out/log.jsonl has real outputs, which simulated"))
    try expect(place.run("--sky", "--once").status, equals: 0)
    let joined = try place.run("--once", "--out", "out/sky")
    #expect(joined.status == 1 && joined.errors.contains("out/sky/log.jsonl has simulated outputs"))
    #expect(try place.run("--sky", "--once", "--out", ".").status == 0 && place.lines("log.jsonl") == ["1"])
    for log in ["out/log.jsonl", "out/sky/log.jsonl"] { expect(place.lines(log), equals: ["1"]) }
  }

  @Test("a simulated run does not replace the file that another is writing")
  func inUse() throws {
    let place = try Workplace(
      "name: p\nsources: { in: { generate: '1', every: 1h } }\nsteps: []\nsinks: { log: { jsonl: out/log.jsonl } }\n"
    )
    let first = try place.start("--sky", "--speed", "1")
    try first.waitForLines(1, in: "out/sky/log.jsonl")
    let second = try place.run("--sky", "--once")
    #expect(second.status == 1 && second.errors.contains("in use by process"), "\(second.errors)")
    expect(place.lines("out/sky/log.jsonl").count, equals: 1)
    try expect(first.end(by: SIGTERM).outcome.status, equals: 0)
  }

  @Test("the state of real runs, of each sky and of replays are apart")
  func state() throws {
    let place = try workplace(Self.polled)
    try place.record(#"{"at":"2026-01-01T00:00:00Z","rows":[{"id":"a","name":"n"}]}"#)
    func outcome(_ options: String...) throws -> String {
      try place.write("stdin", "")
      let outcome = try Running(
        ["run", "-q", "p.yaml"] + options, in: place, input: .file(place["stdin"])
      ).end()
      expect((outcome.status == 0), equals: (outcome.errors == ""))
      return outcome.errors
    }
    for count in [2, 4] {
      try expect(outcome("--sky", "--once", "--state", "s"), equals: "")
      expect(place.lines("out/sky/log.jsonl").count, equals: count, "a state continues its files")
    }
    #expect(try outcome("--sky", "--once", "--seed", "2", "--state", "s").contains("of a sky from seed 1"))
    #expect(try outcome("--replay", "rec", "--state", "s").contains("not of replays"))
    try place.write("p.yaml", Self.generated)
    #expect(try outcome("--once", "--state", "s").contains("not of real runs"))
    try expect(outcome("--replay", "rec", "--state", "r"), equals: "")
    try expect(outcome("--replay", "rec", "--state", "r"), equals: "")
    let failed = try outcome("--once", "--state", "r")
    #expect(failed.contains("it is the state of replays, not of real runs; name another folder"), "\(failed)")
    #expect(!place.has("state") && !place.has("told"))
  }

  @Test(
    "what makes no sense together is wrong use",
    arguments: [
      (["--live-sinks"], "--live-sinks is for simulated and replayed runs"),
      (["--out", "p.yaml"], "--out p.yaml: this is a file"),
      (["--sky", "--out", "p.yaml"], "--out p.yaml: this is a file"),
      (["--out", ""], "--out takes a folder"),
    ])
  func wrongUse(_ options: [String], _ message: String) throws {
    let place = try workplace(Self.generated)
    try place.write("stdin", "")
    let outcome = try Running(
      ["run", "--once", "p.yaml"] + options, in: place, input: .file(place["stdin"])
    ).end()
    #expect(outcome.status == 2 && outcome.errors.contains(message), "\(outcome.errors)")
    #expect(!place.has("told") && !place.has("out"))
  }
}
