import Foundation
import JSON
import Loopback
import Reactive
import System
import TestSupport
import Testing

/// Workers of a cluster as processes, over three real servers, which are killed, frozen and stopped.
///
/// `make cluster SECONDS=300` is the long form.
@Suite("Clusters of workers", .realServer, .serialized, .timeLimit(.minutes(20)))
struct ClusterRunTests {
  private static let seconds =
    ProcessInfo.processInfo.environment["FLOW_CLUSTER_SECONDS"].flatMap { Double($0) } ?? 12

  /// Beside the other tests, on a machine of which little is known, everything may take longer.
  private static let patience = seconds >= 120 ? 1.0 : 3

  private func write(_ places: [Place], _ urls: String) throws {
    for place in places {
      try place.write(
        "p.yaml",
        """
        name: p
        sources: { in: { nats: { servers: [\(urls)], stream: IN, from: beginning } } }
        steps: [{ dedupe: { key: .k } }]
        sinks: { bus: { nats: { servers: [\(urls)], subject: out.x } } }
        """)
    }
  }

  /// Each key comes several times; the first passes.
  private func input(_ number: Int) -> String { "{\"k\":\(number / 3),\"n\":\(number)}" }

  private func makeStreams(_ bus: Bus, replicas: Int) throws {
    let options = "\"num_replicas\":\(replicas),\"duplicate_window\":120000000000"
    for _ in 0..<100 {
      do {
        try bus.makeStream("IN", "in.>", options: options)
        try bus.makeStream("OUT", "out.>", options: options)
        return
      } catch { usleep(200_000) }
    }
    try bus.makeStream("OUT", "out.>", options: options)
  }

  @Test("a worker that dies is replaced, and one that leaves is replaced at once")
  func takeover() throws {
    let server = try NATSServer()
    let places = try (0..<2).map { _ in try Place() }
    try write(places, "'\(server.url)'")
    let bus = try Bus(server)
    try makeStreams(bus, replicas: 1)
    var runs = try places.map { try $0.start("run", "--cluster", server.url, "p.yaml") }
    func publish(_ range: Range<Int>) throws {
      for number in range { try bus.publish("in.x", input(number)) }
    }
    func wait(for count: Int, seconds: Double) throws -> Double? {
      let start = Date()
      while Date().timeIntervalSince(start) < seconds {
        if try bus.contents(of: "OUT").count >= count { return Date().timeIntervalSince(start) }
        usleep(20_000)
      }
      return nil
    }
    func owner() throws -> Int {
      try #require(
        places.indices.first { index in
          let lines = places[index].lines("err").filter {
            $0.contains("taken over") || $0.contains("released")
          }
          return lines.last?.contains("taken over") == true && runs[index].isRunning
        })
    }
    try publish(0..<300)
    #expect(try wait(for: 100, seconds: 15) != nil, "\(places.map { $0.text("err") })")
    let first = try owner()
    runs[first].kill()
    try publish(300..<600)
    let died = try wait(for: 200, seconds: 20)
    #expect(died ?? 99 < 15, "\(places.map { $0.text("err") })")
    // The other one comes back, and the owner leaves.
    let second = 1 - first
    #expect(try owner() == second)
    runs[first] = try places[first].start("run", "--cluster", server.url, "p.yaml")
    usleep(1_500_000)
    runs[second].terminate()
    runs[second].waitUntilExit()
    #expect(runs[second].terminationStatus == 0, "\(places[second].text("err"))")
    try publish(600..<900)
    #expect(try wait(for: 300, seconds: 15) != nil, "\(places.map { $0.text("err") })")
    let found = try bus.contents(of: "OUT")
    #expect(found == (0..<300).map { input($0 * 3) })
    runs[first].terminate()
    runs[first].waitUntilExit()
  }

  @Test("the commands check servers and show owners; a pipeline of one machine is refused")
  func commands() throws {
    let (server, place) = (try NATSServer(), try Place())
    #expect(try place.flow("cluster", "check", server.url) == 0, "\(place.text("err"))")
    #expect(place.text("out") == "the servers are fit for a cluster\n")
    try write([place], "'\(server.url)'")
    let bus = try Bus(server)
    try makeStreams(bus, replicas: 1)
    let run = try place.start("run", "--cluster", server.url, "p.yaml")
    for _ in 0..<100 where !place.text("err").contains("taken over") { usleep(100_000) }
    let view = try Place()
    for _ in 0..<50 {
      try view.flow("cluster", "status", server.url)
      if view.text("out").contains("running"), view.text("out").contains("behind") { break }
      usleep(100_000)
    }
    #expect(try view.flow("cluster", "status", server.url) == 0, "\(view.text("out"))")
    #expect(view.lines("out").count == 3 && view.text("out").contains("running"), "\(view.text("out"))")
    #expect(try view.flow("cluster", "status", server.url, "--json") == 0)
    let task = try Value.parse(view.text("out")).member("pipelines")?.items?.first
    #expect(task?.member("phase") == .string("running") && task?.member("backlog") == .number(0))
    #expect(task?.member("state_bytes")?.double ?? 0 > 0)
    #expect(try view.flow("cluster", "drain", server.url, "nobody") == 1)
    #expect(
      view.text("err").contains("no machine “nobody” is in the cluster; there is"), "\(view.text("err"))")
    #expect(try view.flow("cluster", "drain", server.url) == 0, "\(view.text("err"))")
    #expect(view.text("out").hasSuffix("has left\n"))
    run.waitUntilExit()
    #expect(run.terminationStatus == 0 && place.text("err").contains("leaves the cluster, as requested"))
    #expect(try view.flow("cluster", "status", server.url) == 0)
    #expect(view.text("out").contains("machines: none") && view.text("out").contains("released"))
    #expect(try view.flow("cluster", "check", "http://x") == 2)
    #expect(try view.flow("cluster", "config") == 0 && view.text("out").contains("sync_interval: always"))
    try place.write(
      "q.yaml", "name: q\nsources: { in: stdin }\nsteps: [dedupe: { key: .k }]\nsinks: { out: null }\n")
    #expect(try place.flow("run", "--cluster", server.url, "q.yaml") == 2)
    #expect(
      place.text("err").contains("its source in (stdin) ends with one run"), "\(place.text("err"))")
    #expect(try place.flow("run", "--cluster", server.url, "--once", "p.yaml") == 2)
  }

  @Test("a pipeline with files runs on the machine that it names, and its file has each line once")
  func pinned() throws {
    let server = try NATSServer()
    let places = try (0..<2).map { _ in try Place() }
    let bus = try Bus(server)
    try makeStreams(bus, replicas: 1)
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
      for number in kill * 300..<(kill + 1) * 300 { try bus.publish("in.x", input(number)) }
      for _ in 0..<200 where lines().count < (kill + 1) * 100 { usleep(50_000) }
      if kill == 3 { break }
      // Whichever has it.
      runs[kill % 2].kill()
      runs[kill % 2] = try places[kill % 2].start("run", "--cluster", server.url, "here.yaml", "there.yaml")
    }
    #expect(lines() == (0..<400).map { input($0 * 3) }, "\(places.map { $0.text("err") })")
    let view = try Place()
    #expect(try view.flow("cluster", "status", server.url) == 1)
    #expect(view.text("out").contains("for a worker on elsewhere"), "\(view.text("out"))")
    for run in runs { run.terminate() }
    for run in runs { run.waitUntilExit() }
    try places[0].write("p.yaml", "sources: { in: { nats: IN } }\nsinks: { log: { jsonl: a.jsonl } }\n")
    #expect(try places[0].flow("run", "--cluster", server.url, "p.yaml") == 2)
    #expect(places[0].text("err").contains("name that in the pipeline, as in at: \(hostName())"))
  }

  @Test("machines share the request budget of a site, whichever of them polls")
  func budget() throws {
    let server = try NATSServer()
    let site = try LoopbackServer { _ in [.reply("[]")] }
    try site.serving {
      let places = try (0..<2).map { _ in try Place() }
      let names = (0..<6).map { "poll\($0)" }
      for place in places {
        try place.write("config.yaml", "budgets: { '127.0.0.1:\(site.port)': 9 in 1h }\n")
        for name in names {
          try place.write(
            "\(name).yaml",
            """
            name: \(name)
            sources: { in: { http: '\(site.url)/\(name)', every: 100ms } }
            steps: [{ dedupe: { key: .k } }]
            sinks: { out: null }
            """)
        }
      }
      let files = names.map { "\($0).yaml" }
      let runs = try places.map { try $0.start(["run", "--cluster", server.url] + files) }
      for _ in 0..<200 where site.received.count < 9 { usleep(50_000) }
      usleep(1_500_000)
      #expect(site.received.count == 9, "\(places.map { $0.text("err") })")
      // Each machine has polled.
      #expect(places.allSatisfy { $0.text("err").contains("taken over") })
      for run in runs { run.terminate() }
      for run in runs { run.waitUntilExit() }
    }
  }

  /// How long nothing comes out while things die, with a message every 20 ms: the longest gap of a run.
  @Test("a worker that leaves, one that dies and a server that dies are made up for in time")
  func recovery() throws {
    let servers = try ClusterServer.start(3)
    let cluster = servers.map(\.url).joined(separator: ",")
    let places = try (0..<2).map { _ in try Place() }
    try write(places, servers.map { "'\($0.url)'" }.joined(separator: ", "))
    let bus = try Bus(servers.map(\.url))
    try makeStreams(bus, replicas: 3)
    bus.patience = 1
    var runs = try places.map { try $0.start("run", "--cluster", cluster, "p.yaml") }
    var published = 0
    func publish() throws {
      for _ in 0..<600 {
        let id = ["Nats-Msg-Id": "\(published)"]
        if let answer = try? bus.publish("in.x", "{\"k\":\(published)}", headers: id),
          answer.member("seq") != nil
        {
          published += 1
          return
        }
        usleep(50_000)
      }
      Issue.record("not published")
    }
    func owner() throws -> Int {
      let taken = places.map {
        $0.lines("err").filter { $0.contains("taken over") || $0.contains("released") }.last
      }
      return try #require(
        places.indices.first { taken[$0]?.contains("taken over") == true && runs[$0].isRunning })
    }
    /// The seconds until what is published after `body` comes out.
    func gap(_ what: String, _ body: () throws -> Void) throws -> Double {
      try body()
      let start = Date()
      while Date().timeIntervalSince(start) < 30 {
        try publish()
        let last = "{\"k\":\(published - 1)}"
        for _ in 0..<50 {
          if (try? bus.last(of: "OUT")) == last {
            let seconds = Date().timeIntervalSince(start)
            print("recovered from \(what) in \(Int(seconds * 1000)) ms")
            return seconds
          }
          usleep(20_000)
        }
      }
      Issue.record("never: \(places.map { $0.text("err") })")
      return 30
    }
    #expect(try gap("the start") {} < 30)
    for _ in 0..<100 where (try? owner()) == nil { usleep(100_000) }
    let first = try owner()
    let drained = try gap("a worker that leaves") {
      runs[first].terminate()
    }
    runs[first].waitUntilExit()
    #expect(runs[first].terminationStatus == 0)
    #expect(drained < 1 * Self.patience)
    runs[first] = try places[first].start("run", "--cluster", cluster, "p.yaml")
    sleep(3)
    let second = try owner()
    let killed = try gap("a worker that dies") { runs[second].kill() }
    #expect(killed < 6 * Self.patience)
    // The leader of a stream may be any of them.
    for server in servers {
      let lost = try gap("a server that dies") { server.kill() }
      #expect(lost < 7 * Self.patience)
      try server.start()
      sleep(3)
    }
    for run in runs where run.isRunning { run.terminate() }
    for run in runs { run.waitUntilExit() }
    let found = try bus.contents(of: "OUT")
    #expect(found == (0..<published).map { "{\"k\":\($0)}" })
  }

  @Test("workers and servers are killed and frozen: nothing is lost, doubled or out of order")
  func chaos() throws {
    let servers = try ClusterServer.start(3)
    let urls = servers.map { "'\($0.url)'" }.joined(separator: ", ")
    let cluster = servers.map(\.url).joined(separator: ",")
    let places = try (0..<3).map { _ in try Place() }
    try write(places, urls)
    let bus = try Bus(servers.map(\.url))
    try makeStreams(bus, replicas: 3)
    var runs = try places.map { try $0.start("run", "--cluster", cluster, "p.yaml") }
    var logs = places.map { _ in "" }
    var dice = SplitMix64(seed: UInt64(ProcessInfo.processInfo.processIdentifier))
    var published = 0
    func publish() throws {
      for _ in 0..<60 {
        // Numbers are published until they are stored; a repeat has the same key, and changes nothing.
        var isStored = false
        let end = Date(timeIntervalSinceNow: 60)
        while !isStored, Date() < end {
          let answer = try? bus.publish("in.x", input(published), headers: ["Nats-Msg-Id": "\(published)"])
          isStored = answer?.member("seq") != nil
          if !isStored { usleep(100_000) }
        }
        try #require(isStored)
        published += 1
      }
    }
    var kills = 0
    let end = Date(timeIntervalSinceNow: Self.seconds)
    while Date() < end {
      try publish()
      let index = Int.random(in: 0..<3, using: &dice)
      switch Int.random(in: 0..<5, using: &dice) {
      case 0, 1:
        runs[index].kill()
        logs[index] += places[index].text("err")
        runs[index] = try places[index].start("run", "--cluster", cluster, "p.yaml")
        kills += 1
      case 2:
        Foundation.kill(runs[index].processIdentifier, SIGSTOP)
        let pause = UInt32.random(in: 5...9, using: &dice)
        for _ in 0..<pause * 2 {
          try publish()
          usleep(400_000)
        }
        Foundation.kill(runs[index].processIdentifier, SIGCONT)
        kills += 1
      case 3:
        servers[index].kill()
        usleep(300_000)
        try servers[index].start()
        kills += 1
      default: break
      }
      usleep(1_500_000)
    }
    while published % 3 != 0 { try publish() }
    var found: [String] = []
    let expected = (0..<published / 3).map { input($0 * 3) }
    for _ in 0..<600 {
      if let contents = try? bus.contents(of: "OUT"), contents.count >= expected.count {
        found = contents
        break
      }
      usleep(100_000)
    }
    for index in places.indices { logs[index] += places[index].text("err") }
    #expect(found.count == expected.count && found == expected, "\(logs.joined(separator: "\n---\n"))")
    let takeovers = logs.joined().components(separatedBy: "taken over").count - 1
    // Otherwise nothing was tested.
    #expect(kills > 0 && takeovers > 1)
    if Self.seconds >= 120 {
      #expect(logs.joined().contains("another machine has taken it over"), "no commit was refused")
    }
    for run in runs { run.terminate() }
    for run in runs { run.waitUntilExit() }
  }
}
