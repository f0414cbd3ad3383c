import Expectations
import Foundation
import Glibc
import JSON
import Testing

/// Pipelines that are reloaded while they run, by SIGHUP and by `--watch`.
@Suite("Reloading", .timeLimit(.minutes(30)))
struct RunReloadTests {
  private static func counting(_ name: String, add: Int) -> String {
    """
    name: \(name)
    sources: { in: { file: { path: in.jsonl, follow: true } } }
    steps:
      - scan: { init: 0, update: '. + 1', emit: '{ number: ., n: ($event + \(add)) }' }
    sinks: { log: { jsonl: \(name).jsonl } }
    """
  }

  private func start(_ place: Workplace, _ arguments: String...) throws -> Running {
    try Running(["run"] + arguments, in: place, input: .file("/dev/null"))
  }

  @Test("a changed pipeline continues with its state, another is untouched, and nothing is lost or repeated")
  func changed() throws {
    let place = try Workplace()
    try FileManager.default.createDirectory(atPath: place["pipelines"], withIntermediateDirectories: true)
    try place.write("in.jsonl", "")
    for name in ["a", "b"] { try place.write("pipelines/\(name).yaml", Self.counting(name, add: 0)) }
    try place.write("pipelines/config.yaml", "units: metric\n")
    let running = try start(place, "pipelines")
    var lines = 0
    for round in 0..<5 {
      try place.write("pipelines/a.yaml", Self.counting("a", add: round * 1000))
      running.send(SIGHUP)
      let reports = round == 0 ? "nothing has changed" : "1 pipeline reloaded"
      try running.wait(for: "the reload") {
        running.errors.split(separator: "\n").count { $0.contains(reports) } == max(1, round)
      }
      // While it is reloaded.
      for _ in 0..<20 {
        lines += 1
        try place.append("in.jsonl", "\(lines)\n")
      }
      try running.waitForLines(lines, in: "a.jsonl")
      try running.waitForLines(lines, in: "b.jsonl")
    }
    let outcome = try running.end(by: SIGTERM).outcome
    expect(outcome.status, equals: 0, "\(outcome.errors)")
    let numbers = try ["a", "b"].map { name in
      try place.lines("\(name).jsonl").map { try Value.parse(Array($0.utf8)).member("number")?.double }
    }
    #expect(numbers[0] == (1...lines).map { Double($0) } && numbers[1] == numbers[0])
    let last = try Value.parse(Array(place.lines("a.jsonl").last?.utf8 ?? "".utf8))
    expect(last.member("n")?.double, equals: Double(lines + 4000))
  }

  @Test("no source is polled because of a reload")
  func polls() throws {
    let pipeline = { (step: String) in
      """
      name: polls
      sources: { in: { generate: '{ poll: 1 }', every: 1h } }
      steps: [\(step)]
      sinks: { log: { jsonl: log.jsonl } }
      """
    }
    let place = try Workplace(pipeline("map: ."))
    let running = try place.start()
    try running.waitForLines(1, in: "log.jsonl")
    func status() -> Value? {
      try? Value.parse(Array((try place.flow("status", "--json", "polls")).output.utf8))
    }
    let next = try #require(status()?.member("sources")?.items?.first?.member("next_poll")?.string)
    try place.write("p.yaml", pipeline("map: .poll"))
    running.send(SIGHUP)
    try running.waitForErrors("1 pipeline reloaded")
    try running.wait(for: "the new run") {
      let source = status()?.member("sources")?.items?.first
      return source?.member("polls")?.double == 0 && source?.member("next_poll") != nil
    }
    let later = try #require(status()?.member("sources")?.items?.first?.member("next_poll")?.string)
    // To the second: a clock runs between the two.
    #expect(later.prefix(16) == next.prefix(16) && place.lines("log.jsonl").count == 1)
    // What was done before the reload counts.
    let outcome = try running.end(by: SIGTERM).outcome
    #expect(outcome.errors.contains(": 1 poll, 1 event, 1 output\n"), "\(outcome.errors)")
  }

  @Test("a file that is wrong is reported with its place, and the pipeline that runs continues")
  func wrong() throws {
    let place = try Workplace(Self.counting("a", add: 0), input: "1\n")
    let running = try start(place, "p.yaml")
    try running.waitForLines(1, in: "a.jsonl")
    try place.write("p.yaml", Self.counting("a", add: 0).replacing("scan:", with: "scam:"))
    running.send(SIGHUP)
    try running.waitForErrors("not reloaded: the pipelines that run continue")
    #expect(running.errors.contains("p.yaml:4:5:"), "\(running.errors)")
    try place.append("in.jsonl", "2\n")
    try running.waitForLines(2, in: "a.jsonl")
    try place.write("p.yaml", Self.counting("a", add: 10))
    running.send(SIGHUP)
    try running.waitForErrors("1 pipeline reloaded")
    try place.append("in.jsonl", "3\n")
    try running.waitForLines(3, in: "a.jsonl")
    expect(place.lines("a.jsonl").last, equals: "{\"number\":3,\"n\":13}")
    try expect(running.end(by: SIGTERM).outcome.status, equals: 0)
  }

  @Test("with --watch a pipeline that cannot begin is reported, and goes on with its state once it is mended")
  func unbegun() throws {
    let place = try Workplace(Self.counting("a", add: 0), input: "1\n")
    let running = try start(place, "--watch", "p.yaml")
    try running.waitForLines(1, in: "a.jsonl")
    for path in ["/dev/null/a.jsonl", "/dev/zero/a.jsonl"] {
      try place.write("p.yaml", Self.counting("a", add: 0).replacing("a.jsonl", with: path))
      try running.waitForErrors(
        "\(path): cannot open: Not a directory; a begins again when its file is changed")
    }
    try place.append("in.jsonl", "2\n")
    try place.write("p.yaml", Self.counting("a", add: 10))
    try running.waitForLines(2, in: "a.jsonl")
    expect(place.lines("a.jsonl").last, equals: "{\"number\":2,\"n\":12}")
    try expect(running.end(by: SIGTERM).outcome.status, equals: 0)
  }

  @Test("a pipeline that is added waits for its state where another process has that, and says so")
  func held() throws {
    let place = try Workplace()
    try FileManager.default.createDirectory(atPath: place["pipelines"], withIntermediateDirectories: true)
    try place.write("in.jsonl", "1\n")
    try place.write("pipelines/b.yaml", Self.counting("b", add: 0))
    let other = try start(place, "pipelines/b.yaml")
    try other.waitForLines(1, in: "b.jsonl")
    try place.move("pipelines/b.yaml", to: "pipelines/a.yaml")
    try place.write("pipelines/a.yaml", Self.counting("a", add: 0))
    let running = try start(place, "--watch", "--grace", "1s", "pipelines")
    try running.waitForLines(1, in: "a.jsonl")
    try place.write("pipelines/b.yaml", Self.counting("b", add: 10))
    try running.waitForErrors("1 pipeline started")
    try running.waitForErrors("the pipeline waits until the state can be written")
    #expect(running.errors.contains("b.db: in use by process "), "\(running.errors)")
    try place.append("in.jsonl", "2\n")
    try other.waitForLines(2, in: "b.jsonl")
    try expect(other.end(by: SIGTERM).outcome.status, equals: 0)
    try place.append("in.jsonl", "3\n")
    try running.waitForLines(3, in: "b.jsonl")
    expect(place.lines("b.jsonl").last, equals: "{\"number\":3,\"n\":13}")
    try expect(running.end(by: SIGTERM).outcome.status, equals: 0)
  }

  @Test("with --watch a file, an include or a new pipeline is noticed")
  func watching() throws {
    let place = try Workplace()
    try FileManager.default.createDirectory(atPath: place["pipelines/lib"], withIntermediateDirectories: true)
    try place.write("in.jsonl", "1\n")
    try place.write("pipelines/lib/more.jq", "def more: . + 1;")
    try place.write(
      "pipelines/a.yaml",
      "name: a\ninclude: [lib/more.jq]\n"
        + "sources: { in: { file: { path: in.jsonl, follow: true } } }\nsteps: [map: more]\n"
        + "sinks: { log: { jsonl: a.jsonl } }\n")
    let running = try start(place, "--watch", "pipelines")
    try running.waitForLines(1, in: "a.jsonl")
    try place.write("pipelines/lib/more.jq", "def more: . + 100;")
    try running.waitForErrors("1 pipeline reloaded")
    try place.append("in.jsonl", "2\n")
    try running.waitForLines(2, in: "a.jsonl")
    expect(place.lines("a.jsonl"), equals: ["2", "102"])
    try place.write("b.tmp", Self.counting("b", add: 0))
    try place.move("b.tmp", to: "pipelines/b.yaml")
    try running.waitForErrors("1 pipeline started")
    try running.waitForLines(2, in: "b.jsonl")
    try place.remove("pipelines/b.yaml")
    try running.waitForErrors("1 pipeline stopped")
    try expect(running.end(by: SIGTERM).outcome.status, equals: 0)
  }

  @Test("a pipeline that reads standard input is not reloaded; a folder without pipelines is an error")
  func refused() throws {
    let place = try Workplace("name: p\nsources: { in: stdin }\nsinks: { log: { jsonl: log.jsonl } }\n")
    let running = try place.start()
    try running.say("1\n")
    try running.waitForLines(1, in: "log.jsonl")
    try place.write("p.yaml", "name: p\nsources: { in: stdin }\nsinks: { log: { jsonl: other.jsonl } }\n")
    running.send(SIGHUP)
    try running.waitForErrors("not reloaded: it reads standard input")
    try running.say("2\n")
    try running.waitForLines(2, in: "log.jsonl")
    _ = try running.end(by: SIGTERM)
    try FileManager.default.createDirectory(atPath: place["none"], withIntermediateDirectories: true)
    let empty = try place.flow("run", "none")
    #expect(empty.status == 2 && empty.errors.contains("there is no pipeline in none"))
  }
}
