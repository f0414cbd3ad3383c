import Expectations
import Foundation
import JSON
import Reactive
import System
import TestSupport
import Testing

/// Clusters whose servers lose what they have stored, or come back with older copies of it.
///
/// Events come meanwhile; the file that they lead to has each key, in order.
@Suite("Lost disks of servers", .realServer, .serialized, .timeLimit(.minutes(20)))
struct ClusterDisksTests {
  @Test("a server whose disk is lost is filled by the others; two get copies of the disk that is left")
  func filled() throws {
    let trial = try Trial()
    try trial.expectProgress("the start")
    try trial.servers[0].loseDisk()
    try trial.servers[0].start()
    try trial.expectProgress("one disk")
    try trial.servers[0].waitUntilCurrent()
    // Two empty servers might agree that there is nothing, and one waits for the other.
    let left = try trial.servers[2].copyDisk()
    for server in trial.servers[..<2] { try server.replaceDisk(by: left) }
    for server in trial.servers { try server.start() }
    try trial.expectProgress("two disks")
    try trial.end()
    try expect(trial.keys(), equals: trial.published)
    #expect(!trial.log.contains("the servers have lost"), "\(trial.log)")
  }

  @Test("what most servers have lost, having older copies, is stored again by the machine that has it")
  func older() throws {
    // Another would take over where it is sooner: old leases are lost as well.
    let trial = try Trial(machines: 1)
    try trial.expectProgress("the start")
    let copies = try trial.servers[..<2].map { server in
      let copy = try server.copyDisk()
      try server.start()
      return copy
    }
    try trial.expectProgress("the copies")
    for server in trial.servers[..<2] { try server.waitUntilCurrent() }
    sleep(1)
    try trial.expectProgress("what is lost")
    for server in trial.servers { server.kill() }
    for (server, copy) in zip(trial.servers, copies) {
      try server.replaceDisk(by: copy)
      try server.start()
    }
    try trial.expectProgress("the older copies")
    try trial.servers[2].start()
    try trial.expectProgress("the third")
    try trial.end()
    try expect(trial.keys(), equals: trial.published)
    let said = trial.log
    #expect(
      said.contains(/the servers have lost the transactions \d+ to \d+ of its log, which they had stored\n/),
      "\(said)")
    #expect(said.contains("this machine had them, and has stored them again"), "\(said)")
    #expect(!said.contains("another worker has written"), "\(said)")
  }

  @Test("where the stream of logs is lost, everything waits and says so, and nothing starts over")
  func stream() throws {
    let trial = try Trial()
    try trial.expectProgress("the start")
    trial.expectMachines()
    let bus = try Bus(trial.servers.map(\.url))
    #expect(try bus.ask("$JS.API.STREAM.DELETE.FLOW_LOG", "").member("success") == .bool(true))
    #expect(
      eventually(patience: 60) {
        trial.log.contains("no stream takes flow.log.p: it has no leader, or is lost")
      },
      "\(trial.log)")
    for command in ["status", "drain"] {
      try expect(trial.view.flow("cluster", command, trial.urls), equals: 1)
      #expect(
        trial.view.text("err").contains("the servers have lost the stream FLOW_LOG"),
        "\(trial.view.text("err"))")
    }
    try expect(trial.view.flow("cluster", "backup", trial.urls, "b"), equals: 1)
    trial.killMachines()
    let again = try trial.start(0)
    again.waitUntilExit()
    expect(again.terminationStatus, equals: 1)
    #expect(trial.log.contains("the servers have lost the stream FLOW_LOG"), "\(trial.log)")
    #expect(try bus.ask("$JS.API.STREAM.INFO.FLOW_LOG", "").member("error") != nil, "it was made again")
    // What had come out before is there, once.
    let keys = try trial.keys()
    expect(keys, equals: Array(0..<keys.count))
  }

  @Test("where all disks are lost, nothing starts over, and a backup is continued")
  func all() throws {
    let trial = try Trial()
    try trial.expectProgress("the start")
    // What comes out while the backup is made may be in it, or not.
    let copied = try trial.keys().count
    try expect(trial.view.flow("cluster", "backup", trial.urls, "b"), equals: 0, "\(trial.view.text("err"))")
    trial.expectMachines()
    try trial.expectProgress("the backup")
    for server in trial.servers { try server.loseDisk() }
    for server in trial.servers { try server.start() }
    _ = try Bus(trial.servers.map(\.url))
    #expect(
      eventually(patience: 60) {
        (try? trial.view.flow("cluster", "status", trial.urls)) == 1
          && trial.view.text("err").contains("the servers have nothing of a cluster")
      }, "\(trial.view.text("err"))")
    trial.killMachines()
    let before = try trial.keys()
    expect(before, equals: Array(0..<before.count))
    // A machine with a state of it does not begin anew.
    for index in 0..<2 {
      let again = try trial.start(index)
      if FileManager.default.fileExists(atPath: "\(trial.places[index].path)/state/flow/cluster/p.db") {
        again.waitUntilExit()
        expect(again.terminationStatus, equals: 1)
        #expect(trial.log.contains("and this machine has states of one in"), "\(trial.log)")
        break
      }
      again.kill()
    }
    // A machine without one may have begun.
    try trial.servers.forEach { try $0.loseDisk() }
    try trial.servers.forEach { try $0.start() }
    var restored: Int32 = 1
    for _ in 0..<60 where restored != 0 {
      restored = try trial.view.flow("cluster", "restore", trial.urls, "b")
      if restored != 0 { usleep(500_000) }
    }
    expect(restored, equals: 0, "\(trial.view.text("err"))")
    try trial.startMachines()
    try trial.expectProgress("the backup, continued")
    try trial.end()
    // The file has lines that its state does not know of yet: they come again.
    let found = try trial.keys()
    expect(Set(found), equals: Set(trial.published))
    let repeated = Dictionary(found.map { ($0, 1) }, uniquingKeysWith: +).filter { $0.value > 1 }.keys
    #expect(repeated.allSatisfy { $0 >= copied - 1 && $0 < before.count }, "\(repeated.sorted()), \(copied)")
  }
}

/// Three servers, two machines, a pipeline from a stream elsewhere to a file, and events that keep coming.
private final class Trial {
  let servers: [ClusterServer]
  let places: [Place]
  let view: Place
  private let source: NATSServer
  private var runs: [TestProcess] = []
  private var logs = ["", ""]
  private final class Count: Sendable { let value = Locked(0) }
  private let count = Count()
  private let stop = StopSign()
  private var publishing: Thread?

  var urls: String { servers.map(\.url).joined(separator: ",") }
  var log: String { zip(logs, places).map { $0 + $1.text("err") }.joined(separator: "---\n") }
  /// The keys that were published.
  var published: [Int] { Array(0..<(count.value.withLock { $0 } + 2) / 3) }
  private var file: String { "\(view.path)/out.jsonl" }

  init(machines: Int = 2) throws {
    servers = try ClusterServer.start(3)
    places = try (0..<machines).map { _ in try Place() }
    view = try Place()
    source = try NATSServer()
    try CountingPipeline.makeStreams(Bus(source), replicas: 1)
    for place in places {
      try place.write(
        "p.yaml",
        """
        name: p
        at: \(hostName())
        sources: { in: { nats: { servers: ['\(source.url)'], stream: IN, from: beginning } } }
        steps: [{ dedupe: { key: .k } }]
        sinks: { log: { jsonl: '\(file)' } }
        """)
    }
    try startMachines()
    let (url, count, stop) = (source.url, count, stop)
    let publishing = Thread {
      guard let bus = try? Bus([url]) else { return }
      var number = 0
      while !stop.wait(seconds: 0.01) {
        let id = ["Nats-Msg-Id": "\(number)"]
        guard let answer = try? bus.publish("in.x", CountingPipeline.input(number), headers: id),
          answer.member("seq") != nil
        else { continue }
        number += 1
        count.value.withLock { [number] in $0 = number }
      }
    }
    publishing.start()
    self.publishing = publishing
  }

  deinit { stop.set() }

  func start(_ index: Int) throws -> TestProcess {
    logs[index] += places[index].text("err")
    let run = try places[index].start("run", "--cluster", urls, "p.yaml")
    runs.append(run)
    return run
  }

  func startMachines() throws { for index in places.indices { _ = try start(index) } }

  func stopMachines() {
    for run in runs where run.isRunning { run.terminate() }
    for run in runs { run.waitUntilExit() }
  }

  /// Where the servers do not answer, they would end no sooner than their grace does.
  func killMachines() {
    for run in runs where run.isRunning { run.kill() }
  }

  func keys() throws -> [Int] {
    try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
      .map { try Int(Value.parse(Array($0.utf8)).member("k")?.double ?? -1) }
  }

  /// Waits until both machines are there: one that still starts makes streams.
  func expectMachines() {
    #expect(
      eventually(patience: 60) {
        (try? view.flow("cluster", "status", urls)) == 0 && view.text("out").contains("2 machines")
      }, "\(view.text("out"))")
  }

  /// Waits until what is published now comes out.
  func expectProgress(_ what: String) throws {
    let wanted = published.count + 1
    #expect(
      eventually(patience: 60) { ((try? keys())?.max() ?? 0) >= wanted },
      "nothing came out after \(what): \(log.replacing("\n", with: " | "))")
  }

  /// Ends everything when what was published has come out.
  func end() throws {
    stop.set()
    while publishing?.isFinished == false { usleep(20_000) }
    let all = published
    #expect(eventually(patience: 60) { ((try? keys())?.max() ?? 0) >= all.count - 1 }, "\(log)")
    stopMachines()
  }
}
