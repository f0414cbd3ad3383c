import Expectations
import Foundation
import JSON
import Loopback
import System
import TestSupport
import Testing

/// A cluster that is copied while it runs, loses all its servers, and goes on with new ones.
@Suite("Backups of clusters", .realServer, .serialized, .timeLimit(.minutes(20)))
struct ClusterRestoreTests {
  private let bus: Bus
  private let busServer: NATSServer
  private let place: Place
  private let view: Place

  init() throws {
    busServer = try NATSServer()
    bus = try Bus(busServer)
    place = try Place()
    view = try Place()
    try CountingPipeline.makeStreams(bus, replicas: 1)
  }

  private func write(_ steps: String) throws {
    try place.write(
      "p.yaml",
      """
      name: p
      sources: { in: { nats: { servers: ['\(busServer.url)'], stream: IN, from: beginning } } }
      steps: [\(steps)]
      sinks: { bus: { nats: { servers: ['\(busServer.url)'], subject: out.x } } }
      """)
  }

  private func publish(_ range: Range<Int>) throws {
    for number in range { try bus.publish("in.x", CountingPipeline.input(number)) }
  }

  private func keys() throws -> [Int] {
    try bus.contents(of: "OUT").compactMap { (try Value.parse($0)).member("k")?.double.map { Int($0) } }
  }

  private func wait(forKeys count: Int) throws {
    for _ in 0..<600 {
      if try Set(keys()).count >= count { return }
      usleep(100_000)
    }
    Issue.record("\(try Set(keys()).count) of \(count) keys have come; \(place.text("err"))")
  }

  private func backup(_ name: String, of server: NATSServer) throws {
    try expect(view.flow("cluster", "backup", server.url, name), equals: 0, "\(view.text("err"))")
  }

  @Test(
    "what was committed when it was copied is not done again, what came later is, and nothing is lost",
    arguments: ["{ dedupe: { key: .k } }", "{ partition: { by: .k, into: 3 } }, { dedupe: { key: .k } }"])
  func restored(_ steps: String) throws {
    let isDivided = steps.contains("partition")
    try write(steps)
    let first = try NATSServer()
    let run = try place.start("run", "--cluster", first.url, "p.yaml")
    try publish(0..<300)
    try wait(forKeys: 100)
    // While events come, so that some are on the way.
    let address = busServer.url
    let publishing = Thread {
      guard let bus = try? Bus([address]) else { return }
      for number in 300..<1200 { _ = try? bus.publish("in.x", CountingPipeline.input(number)) }
    }
    publishing.start()
    for number in 0..<3 { try backup("b\(number)", of: first) }
    let copied = try keys().count
    while !publishing.isFinished { usleep(20_000) }
    try wait(forKeys: 400)
    run.kill()
    run.waitUntilExit()
    first.kill()
    let before = try keys()
    expect(before.count, equals: 400, "nothing twice without a loss")
    try expect(
      place.flow("state", "ls", "p", "--state", "\(view.path)/b2/states"), equals: 0,
      "\(place.text("err"))")

    // The state of the machine is of a time behind the backup, and of another log.
    let second = try NATSServer()
    try expect(view.flow("cluster", "restore", second.url, "b2"), equals: 0, "\(view.text("err"))")
    #expect(
      view.lines("out").last?.hasPrefix("restored \(isDivided ? "4 states" : "1 state") of ") == true,
      "\(view.text("out"))")
    try expect(view.flow("cluster", "restore", second.url, "b2"), equals: 1)
    #expect(view.text("err").contains("restored into empty servers alone"), "\(view.text("err"))")
    let again = try place.start("run", "--cluster", second.url, "p.yaml")
    try publish(1200..<1500)
    try wait(forKeys: 500)
    try expect(view.flow("cluster", "restore", second.url, "b2"), equals: 1)
    #expect(view.text("err").contains("is in the cluster: stop flow run"), "\(view.text("err"))")
    again.terminate()
    again.waitUntilExit()
    // The places of the stream that is lost are none of the new one.
    #expect(!place.text("err").contains("FLOW_PACKS was replaced"), "\(place.text("err"))")
    let found = try keys()
    expect(Set(found), equals: Set(0..<500))
    // Repeats are of what was done behind the backup; a key comes at most twice.
    let counts = Dictionary(found.map { ($0, 1) }, uniquingKeysWith: +)
    let repeated = counts.filter { $0.value > 1 }
    #expect(
      repeated.values.allSatisfy { $0 == 2 } && repeated.count <= 400 - 100, "\(repeated.count), \(copied)")
    #expect(repeated.keys.allSatisfy { $0 >= 100 }, "\(repeated.keys.sorted().prefix(5))")
  }

  @Test(
    "a folder that is in use, one that is no whole backup, and servers that do not answer are one line each")
  func mistakes() throws {
    let server = try NATSServer()
    try expect(view.flow("cluster", "check", server.url), equals: 0)
    // Before the first commit there is nothing to copy, and the copy can be looked at as any other.
    try expect(view.flow("cluster", "backup", server.url, "young"), equals: 0, "\(view.text("err"))")
    try expect(view.flow("state", "ls", "--state", "young/states"), equals: 0, "\(view.text("err"))")
    try FileManager.default.createDirectory(atPath: "\(view.path)/full", withIntermediateDirectories: true)
    try view.write("full/x", "")
    try expect(view.flow("cluster", "backup", server.url, "full"), equals: 1)
    expect(
      view.text("err"), equals: "flow cluster backup: full is not empty; a backup has a folder of its own\n")
    try expect(view.flow("cluster", "restore", server.url, "full"), equals: 1)
    expect(
      view.text("err"), equals: "flow cluster restore: full is no whole backup: it has no backup.json\n")
    try view.write("full/backup.json", "{\"format\":2}")
    try expect(view.flow("cluster", "restore", server.url, "full"), equals: 1)
    #expect(
      view.text("err").contains("is no list of a backup that this version knows"), "\(view.text("err"))")
    // Packs of a log that was lost would be taken for those that come again.
    try view.write(
      "full/backup.json",
      #"{"format":1,"flow":"1","at":1,"assignments":[{"name":"p","plan":"d","transactions":1}]}"#)
    try Bus([server.url]).publish("flow.pack.p.0", "{}")
    try expect(view.flow("cluster", "restore", server.url, "full"), equals: 1)
    #expect(view.text("err").contains("the servers have packs of p already"), "\(view.text("err"))")
    // Servers that have lost everything make no backup, and looking at them makes no streams.
    let empty = try NATSServer()
    for command in [["backup", empty.url, "empty"], ["status", empty.url], ["drain", empty.url]] {
      let run = try view.start(["cluster"] + command)
      run.waitUntilExit()
      expect(run.terminationStatus, equals: 1)
      #expect(
        view.text("err").contains("the servers have nothing of a cluster: it begins with flow run --cluster"),
        "\(view.text("err"))")
    }
    try expect(
      Bus([empty.url]).ask("$JS.API.INFO", "").member("streams"), equals: .number(0))
  }
}
