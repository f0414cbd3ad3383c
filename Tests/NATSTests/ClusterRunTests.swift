import Expectations
import Foundation
import JSON
import Loopback
import Reactive
import System
import TestSupport
import Testing

/// Workers of a cluster as processes: taking over, leaving, sharing, and how long that takes.
@Suite("Clusters of workers", .realServer, .serialized, .timeLimit(.minutes(30)))
struct ClusterRunTests {
  /// Beside the other tests, on a machine of which little is known, everything may take longer.
  private static let patience = ClusterChaosTests.isLong ? 1.0 : 3

  @Test("a worker that dies is replaced, and one that leaves is replaced at once")
  func takeover() throws {
    let server = try NATSServer()
    let places = try (0..<2).map { _ in try Place() }
    try CountingPipeline.write(places, "'\(server.url)'")
    let bus = try Bus(server)
    try CountingPipeline.makeStreams(bus, replicas: 1)
    var runs = try places.map { try $0.start("run", "--cluster", server.url, "p.yaml") }
    func publish(_ range: Range<Int>) throws {
      for number in range { try bus.publish("in.x", CountingPipeline.input(number)) }
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
      try #require(places.indices.first { places[$0].hasPipeline && runs[$0].isRunning })
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
    try expect(owner(), equals: second)
    runs[first] = try places[first].start("run", "--cluster", server.url, "p.yaml")
    usleep(1_500_000)
    runs[second].terminate()
    runs[second].waitUntilExit()
    expect(runs[second].terminationStatus, equals: 0, "\(places[second].text("err"))")
    try publish(600..<900)
    #expect(try wait(for: 300, seconds: 15) != nil, "\(places.map { $0.text("err") })")
    let found = try bus.contents(of: "OUT")
    expect(found, equals: (0..<300).map { CountingPipeline.input($0 * 3) })
    runs[first].terminate()
    runs[first].waitUntilExit()
  }

  @Test(
    "a machine whose disk is full leaves its pipelines to another, and says so",
    .enabled(if: SmallDisk.isPossible, .init(rawValue: SmallDisk.missing)))
  func fullDisk() throws {
    let server = try NATSServer()
    let places = try (0..<2).map { _ in try Place() }
    let disks = try places.map { try SmallDisk(at: "\($0.path)/state", bytes: 16 << 20) }
    try CountingPipeline.write(places, "'\(server.url)'")
    let bus = try Bus(server)
    try CountingPipeline.makeStreams(bus, replicas: 1)
    let runs = try places.map { try $0.start("run", "--cluster", server.url, "p.yaml") }
    var published: [String] = []
    // A key that is larger than what a checkpoint of the log gives back.
    func publish() throws {
      published.append("{\"k\":\"\(published.count) \(String(repeating: "x", count: 300_000))\"}")
      try bus.publish("in.x", published[published.count - 1])
    }
    func wait(_ what: String, filling disk: SmallDisk? = nil, _ isTrue: () throws -> Bool) throws {
      for _ in 0..<300 {
        if try isTrue() { return }
        // What flow frees is taken at once.
        disk?.fill()
        usleep(100_000)
      }
      try #require(Bool(false), "never: \(what); \(places.map { $0.text("err") })")
    }
    try publish()
    try wait("the first output") { try bus.contents(of: "OUT").count == 1 }
    // The one that was there first gives the pipeline to the other, if that is its place.
    let view = try Place()
    try wait("both machines") {
      try view.flow("cluster", "status", server.url)
      return view.lines("out").first?.split(separator: ",").count == 2
    }
    for _ in 0..<30 {
      usleep(100_000)
      try wait("an owner") { places[0].hasPipeline != places[1].hasPipeline }
    }
    let full = places[0].hasPipeline ? 0 : 1
    disks[full].fill()
    try publish()
    try wait("a takeover", filling: disks[full]) { places[1 - full].hasPipeline && !places[full].hasPipeline }
    try publish()
    try wait("output from the other", filling: disks[full]) { try bus.contents(of: "OUT").count == 3 }
    #expect(
      places[full].text("err").contains(
        "the disk is full: until there is room, pipelines run on other machines"))
    try view.flow("cluster", "status", server.url)
    #expect(
      view.text("out").contains(", disk full)") && view.text("out").contains("; 1 full disk"),
      "\(view.text("out"))")
    // What becomes free while its pipelines leave does not count.
    for _ in 0..<50 {
      disks[full].fill()
      usleep(100_000)
    }
    disks[full].empty()
    try wait("room") { places[full].text("err").contains("there is room on the disk again") }
    try wait("its status") {
      try view.flow("cluster", "status", server.url)
      return !view.text("out").contains("disk full")
    }
    try expect(bus.contents(of: "OUT"), equals: published)
    for run in runs { run.terminate() }
    for run in runs {
      run.waitUntilExit()
      expect(run.terminationStatus, equals: 0)
    }
  }

  @Test("the commands check servers and show owners; a pipeline of one machine is refused")
  func commands() throws {
    let (server, place) = (try NATSServer(), try Place())
    try expect(place.flow("cluster", "check", server.url), equals: 0, "\(place.text("err"))")
    expect(place.text("out"), equals: "the servers are fit for a cluster\n")
    try CountingPipeline.write([place], "'\(server.url)'")
    let bus = try Bus(server)
    try CountingPipeline.makeStreams(bus, replicas: 1)
    let run = try place.start("run", "--cluster", server.url, "p.yaml")
    for _ in 0..<100 where !place.text("err").contains("taken over") { usleep(100_000) }
    let view = try Place()
    for _ in 0..<50 {
      try view.flow("cluster", "status", server.url)
      if view.text("out").contains("running"), view.text("out").contains("behind") { break }
      usleep(100_000)
    }
    try expect(view.flow("cluster", "status", server.url), equals: 0, "\(view.text("out"))")
    #expect(view.lines("out").count == 4 && view.text("out").contains("running"), "\(view.text("out"))")
    expect(view.lines("out").last, equals: "all is well: 1 pipeline on 1 machine")
    try expect(view.flow("cluster", "status", server.url, "--json"), equals: 0)
    let task = try Value.parse(view.text("out")).member("pipelines")?.items?.first
    #expect(task?.member("phase") == .string("running") && task?.member("backlog") == .number(0))
    #expect(task?.member("state_bytes")?.double ?? 0 > 0)
    try expect(view.flow("cluster", "drain", server.url, "host-9"), equals: 1)
    #expect(
      view.text("err").contains("no machine “host-9” is in the cluster; there is"), "\(view.text("err"))")
    try expect(view.flow("cluster", "drain", server.url), equals: 0, "\(view.text("err"))")
    #expect(view.text("out").hasSuffix("has left\n"))
    run.waitUntilExit()
    #expect(run.terminationStatus == 0 && place.text("err").contains("leaves the cluster, as requested"))
    try expect(view.flow("cluster", "status", server.url), equals: 0)
    #expect(view.text("out").contains("machines: none") && view.text("out").contains("released"))
    expect(view.lines("out").last, equals: "no machine is in the cluster: nothing runs")
    try expect(view.flow("cluster", "check", "http://x"), equals: 2)
    #expect(try view.flow("cluster", "config") == 0 && view.text("out").contains("sync_interval: always"))
    try place.write(
      "q.yaml", "name: q\nsources: { in: stdin }\nsteps: [dedupe: { key: .k }]\nsinks: { out: null }\n")
    try expect(place.flow("run", "--cluster", server.url, "q.yaml"), equals: 2)
    #expect(
      place.text("err").contains("its source in (stdin) ends with one run"), "\(place.text("err"))")
    try expect(place.flow("run", "--cluster", server.url, "--once", "p.yaml"), equals: 2)
  }

  @Test("below a partition every task has its machine, and each key its events once and in order")
  func divided() throws {
    let server = try NATSServer()
    let places = try (0..<2).map { _ in try Place() }
    let bus = try Bus(server)
    try CountingPipeline.makeStreams(bus, replicas: 1)
    for place in places {
      try place.write(
        "p.yaml",
        """
        name: p
        sources: { in: { nats: { servers: ['\(server.url)'], stream: IN, from: beginning } } }
        steps:
          - map: { k: .k, n: .n, source: $meta.source }
          - partition: { by: .k, into: 10 }
          - scan: { key: .k, init: { count: 0 }, update: '$event + { count: (.count + 1) }' }
        sinks: { bus: { nats: { servers: ['\(server.url)'], subject: 'out.x' } } }
        """)
    }
    try expect(places[0].flow("check", "p.yaml"), equals: 0, "\(places[0].text("err"))")
    var runs = try places.map { try $0.start("run", "--cluster", server.url, "p.yaml") }
    var published = 0
    func publish(_ count: Int) throws {
      for _ in 0..<count {
        try bus.publish("in.x", "{\"k\":\(published % 20),\"n\":\(published)}")
        published += 1
      }
    }
    func wait() throws {
      for _ in 0..<300 where try bus.contents(of: "OUT").count < published { usleep(100_000) }
    }
    try publish(1000)
    try wait()
    let view = try Place()
    var tasks: [Value] = []
    var owners: Set<String> = []
    for _ in 0..<100 where owners.count < 2 {
      try view.flow("cluster", "status", server.url, "--json")
      tasks = try Value.parse(view.text("out")).member("pipelines")?.items ?? []
      owners = Set(tasks.map { $0.member("owner")?.string ?? "" })
      usleep(100_000)
    }
    expect(tasks.map { $0.member("name")?.string ?? "" }, equals: ["p"] + (0..<10).map { "p~\($0)" }.sorted())
    // That eleven tasks have the same owner is as likely as 1 in 1024.
    expect(owners.count, equals: 2, "\(tasks) \(view.text("out")) \(places.map { $0.text("err") })")
    for kill in 0..<4 {
      try publish(300)
      runs[kill % 2].kill()
      runs[kill % 2] = try places[kill % 2].start("run", "--cluster", server.url, "p.yaml")
      try publish(200)
      usleep(2_000_000)
    }
    try wait()
    for run in runs { run.terminate() }
    for run in runs { run.waitUntilExit() }
    var counts: [Int: Int] = [:]
    let found = try bus.contents(of: "OUT").map { try Value.parse($0) }
    expect(found.count, equals: published, "\(places.map { $0.text("err") })")
    for value in found {
      let (key, number) = (Int(value.member("k")?.double ?? -1), Int(value.member("n")?.double ?? -1))
      let count = counts[key, default: 0]
      counts[key] = count + 1
      #expect(number == key + 20 * count && value.member("count") == .number(count + 1), "\(value)")
      expect(value.member("source"), equals: .string("in"))
    }
  }

  @Test("machines share the request budget of a site, whichever of them polls")
  func budget() throws {
    // A pipeline that goes to the other machine between its permission and its call leaves one unused.
    for _ in 0..<4 { if try spendsBudget() { return } }
    Issue.record("the budget was not used up")
  }

  /// Whether two machines have used the budget of an hour; false where one has lost a pipeline meanwhile.
  private func spendsBudget() throws -> Bool {
    let server = try NATSServer()
    let site = try LoopbackServer { _ in [.reply("[]")] }
    return try site.serving {
      let places = try (0..<2).map { _ in try Place() }
      // That twelve tasks have the same owner is as likely as 1 in 2048.
      let names = (0..<12).map { "poll\($0)" }
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
      let logs = places.map { $0.text("err") }
      let hasMoved = logs.contains {
        $0.contains("released") || $0.contains("another machine has taken it over")
      }
      #expect(site.received.count <= 9 && (hasMoved || site.received.count == 9), "\(logs)")
      // Each machine has polled.
      #expect(eventually { places.allSatisfy { $0.text("err").contains("taken over") } })
      for run in runs { run.terminate() }
      for run in runs { run.waitUntilExit() }
      return site.received.count == 9
    }
  }

  @Test("a machine that takes a pipeline over again reports nothing from its own old cache")
  func cache() throws {
    let server = try NATSServer()
    let version = Locked(1)
    let site = try LoopbackServer { _ in
      let now = version.withLock(\.self)
      return [.reply(#"[{"id": 1, "v": \#(now)}]"#, status: now == 4 ? "500 Broken" : "200 OK")]
    }
    try site.serving {
      let places = try (0..<2).map { _ in try Place() }
      let bus = try Bus(server)
      try CountingPipeline.makeStreams(bus, replicas: 1)
      for place in places {
        try place.write(
          "p.yaml",
          """
          name: p
          sources: { in: { http: { url: '\(site.url)/x', cache: 1h }, every: 200ms } }
          steps: [{ changes: { key: .id, first: emit } }, { map: .after.v }]
          sinks: { bus: { nats: { servers: ['\(server.url)'], subject: 'out.x' } } }
          """)
      }
      func reported() throws -> [String] { try bus.contents(of: "OUT") }
      /// Runs the pipeline on a machine for as long as `isDone` is false.
      func run(on machine: Int, _ isDone: () throws -> Bool) throws {
        let run = try places[machine].start("run", "--cluster", server.url, "p.yaml")
        for _ in 0..<600 where try !isDone() { usleep(50_000) }
        #expect(try isDone(), "\(places[machine].text("err"))")
        run.terminate()
        run.waitUntilExit()
      }
      try run(on: 0) { try reported() == ["1"] }
      version.withLock { $0 = 2 }
      try run(on: 1) { try reported() == ["1", "2"] }
      // The response of the first machine is younger than an hour, and older than what was reported.
      version.withLock { $0 = 3 }
      try run(on: 0) { try reported() == ["1", "2", "3"] }
      // Without a response there is none, instead of a stale one.
      version.withLock { $0 = 4 }
      try run(on: 1) { places[1].text("err").contains("answered 500") }
      try expect(reported(), equals: ["1", "2", "3"])
      #expect(!places[1].text("err").contains("using the response of"), "\(places[1].text("err"))")
    }
  }

  /// How long nothing comes out while things die, with a message every 20 ms: the longest gap of a run.
  @Test("a worker that leaves, one that dies and a server that dies are made up for in time")
  func recovery() throws {
    let servers = try ClusterServer.start(3)
    let cluster = servers.map(\.url).joined(separator: ",")
    let places = try (0..<2).map { _ in try Place() }
    try CountingPipeline.write(places, servers.map { "'\($0.url)'" }.joined(separator: ", "))
    let bus = try Bus(servers.map(\.url))
    try CountingPipeline.makeStreams(bus, replicas: 3)
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
      try #require(places.indices.first { places[$0].hasPipeline && runs[$0].isRunning })
    }
    /// The seconds until what is published after `body` comes out.
    func gap(_ what: String, _ body: () throws -> Void) throws -> Double {
      try body()
      let start = Date()
      while Date().timeIntervalSince(start) < 150 {
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
      let last = Result { try bus.last(of: "OUT") }
      let streams = ["IN", "OUT", "FLOW_LOG", "FLOW_WORKERS", "FLOW_SHARED"].map {
        "\($0): \((try? bus.ask("$JS.API.STREAM.INFO.\($0)", "").member("cluster")?.description) ?? "no answer")"
      }
      let view = try Place()
      try view.flow("cluster", "status", cluster)
      Issue.record(
        """
        never: \(published) published, \(last) came out; \(places.map { $0.text("err") })
        \(streams)
        \(view.text("out")) \(view.text("err"))
        """)
      return 150
    }
    #expect(try gap("the start") {} < 30)
    for _ in 0..<100 where (try? owner()) == nil { usleep(100_000) }
    let first = try owner()
    let drained = try gap("a worker that leaves") {
      runs[first].terminate()
    }
    runs[first].waitUntilExit()
    expect(runs[first].terminationStatus, equals: 0)
    #expect(drained < 1 * Self.patience)
    runs[first] = try places[first].start("run", "--cluster", cluster, "p.yaml")
    sleep(3)
    let second = try owner()
    let killed = try gap("a worker that dies") { runs[second].kill() }
    #expect(killed < 6 * Self.patience)
    // The leader of a stream may be any of them. The others elect another after 4 to 9 s, and again where they did not
    // agree, so the target is for the long form, which measures.
    for server in ClusterChaosTests.isLong ? servers[...] : servers[..<1] {
      let lost = try gap("a server that dies") { server.kill() }
      #expect(lost < (ClusterChaosTests.isLong ? 7 : 120))
      try server.start()
      try server.waitUntilCurrent()
      sleep(1)
    }
    for run in runs where run.isRunning { run.terminate() }
    for run in runs { run.waitUntilExit() }
    let found = try bus.contents(of: "OUT")
    expect(found, equals: (0..<published).map { "{\"k\":\($0)}" })
  }
}
