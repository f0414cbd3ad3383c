import Expectations
import Foundation
import JSON
import System
import TestSupport
import Testing

/// Pipelines of a cluster that write files, which belong to one machine: two workers on it, and one file.
@Suite("Files in a cluster", .realServer, .serialized, .timeLimit(.minutes(30)))
struct ClusterFileTests {
  @Test("a pipeline with files runs on the machine that it names, and its file has each line once")
  func pinned() throws {
    let server = try NATSServer()
    let places = try (0..<2).map { _ in try Place() }
    let bus = try Bus(server)
    try CountingPipeline.makeStreams(bus, replicas: 1)
    func file(_ name: String) -> String { "\(places[0].path)/\(name).jsonl" }
    for place in places {
      for (name, machine) in [("here", hostName()), ("there", "elsewhere")] {
        try place.write(
          "\(name).yaml",
          """
          name: \(name)
          at: \(machine)
          sources: { in: { nats: { servers: ['\(server.url)'], stream: IN, from: beginning } } }
          steps: [{ dedupe: { key: .k } }]
          sinks: { log: { jsonl: '\(file(name))' } }
          """)
      }
    }
    var runs = try places.map { try $0.start("run", "--cluster", server.url, "here.yaml", "there.yaml") }
    func lines() -> [String] { places[0].lines("here.jsonl") }
    for kill in 0..<4 {
      for number in kill * 300..<(kill + 1) * 300 { try bus.publish("in.x", CountingPipeline.input(number)) }
      for _ in 0..<200 where lines().count < (kill + 1) * 100 { usleep(50_000) }
      if kill == 3 { break }
      // Whichever has it.
      runs[kill % 2].kill()
      runs[kill % 2] = try places[kill % 2].start("run", "--cluster", server.url, "here.yaml", "there.yaml")
    }
    expect(
      lines(), equals: (0..<400).map { CountingPipeline.input($0 * 3) }, "\(places.map { $0.text("err") })")
    let view = try Place()
    try expect(view.flow("cluster", "status", server.url), equals: 1)
    #expect(view.text("out").contains("for a worker on elsewhere"), "\(view.text("out"))")
    for run in runs { run.terminate() }
    for run in runs { run.waitUntilExit() }
    try places[0].write("p.yaml", "sources: { in: { nats: IN } }\nsinks: { log: { jsonl: a.jsonl } }\n")
    try expect(places[0].flow("run", "--cluster", server.url, "p.yaml"), equals: 2)
    #expect(places[0].text("err").contains("name that in the pipeline, as in at: \(hostName())"))
  }

  @Test("where a frozen worker still has the file, the next one on its machine waits for it, and says so")
  func fileInUse() throws {
    let server = try NATSServer()
    let places = try (0..<2).map { _ in try Place() }
    let bus = try Bus(server)
    try CountingPipeline.makeStreams(bus, replicas: 1)
    for place in places {
      try place.write(
        "p.yaml",
        """
        name: p
        at: \(hostName())
        sources: { in: { nats: { servers: ['\(server.url)'], stream: IN, from: beginning } } }
        sinks: { log: { jsonl: '\(places[0].path)/p.jsonl' } }
        """)
    }
    func lines() -> [String] { places[0].lines("p.jsonl") }
    let runs = try places.map { try $0.start("run", "--cluster", server.url, "p.yaml") }
    for number in 0..<100 { try bus.publish("in.x", CountingPipeline.input(number)) }
    #expect(eventually(patience: 60) { lines().count == 100 }, "\(places.map { $0.text("err") })")
    let owner = try #require(places.indices.first { places[$0].hasPipeline })
    kill(runs[owner].processIdentifier, SIGSTOP)
    for number in 100..<200 { try bus.publish("in.x", CountingPipeline.input(number)) }
    let wait =
      "p.jsonl: in use by process \(runs[owner].processIdentifier); a file has one pipeline at a time"
    let other = places[1 - owner]
    #expect(
      eventually(patience: 60) { other.text("err").contains("warning: waits: \(places[0].path)/\(wait)") },
      "\(other.text("err"))")
    let view = try Place()
    let isShown = eventually(patience: 60) {
      guard (try? view.flow("cluster", "status", server.url, "--json")) == 1 else { return false }
      let task = try? Value.parse(view.text("out")).member("pipelines")?.items?.first
      return task?.member("phase") == .string("waiting")
        && task?.member("reason")?.string?.hasSuffix(wait) == true
    }
    #expect(isShown, "\(view.text("out"))")
    runs[owner].kill()
    #expect(eventually(patience: 60) { lines().count >= 200 }, "\(other.text("err"))")
    expect(lines(), equals: (0..<200).map { CountingPipeline.input($0) })
    runs[1 - owner].terminate()
    runs[1 - owner].waitUntilExit()
    expect(runs[1 - owner].terminationStatus, equals: 0, "\(other.text("err"))")
  }
}
