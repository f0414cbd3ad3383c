import Expectations
import Foundation
import JSON
import Loopback
import System
import TestSupport
import Testing

/// The stream of what goes to the tasks below a partition, lost alone: the logs are whole.
@Suite("Lost packs of a cluster", .realServer, .serialized, .timeLimit(.minutes(20)))
struct ClusterPacksTests {
  private let server: NATSServer
  private let bus: Bus
  private let place: Place
  private let view: Place

  init() throws {
    server = try NATSServer()
    bus = try Bus(server)
    (place, view) = (try Place(), try Place())
    try CountingPipeline.makeStreams(bus, replicas: 1)
    try place.write(
      "p.yaml",
      """
      name: p
      sources: { in: { nats: { servers: ['\(server.url)'], stream: IN, from: beginning } } }
      steps: [{ partition: { by: .k, into: 2 } }, { dedupe: { key: .k } }]
      sinks: { bus: { nats: { servers: ['\(server.url)'], subject: out.x } } }
      """)
  }

  private func publish(_ range: Range<Int>) throws {
    for number in range { try bus.publish("in.x", CountingPipeline.input(number)) }
  }

  private func expectKeys(_ count: Int) throws {
    #expect(
      eventually(patience: 60) { (try? bus.contents(of: "OUT").count) ?? 0 >= count }, "\(place.text("err"))")
    let keys = try bus.contents(of: "OUT").map {
      try Value.parse($0).member("k")?.double.map { Int($0) } ?? -1
    }
    expect(keys.sorted(), equals: Array(0..<count))
  }

  /// Waits until the status of the cluster has that code, and what it prints contains a text.
  private func expectStatus(_ code: Int32, _ text: String) {
    #expect(
      eventually(patience: 90) {
        (try? view.flow("cluster", "status", "--json", server.url)) == code && view.text("out").contains(text)
      }, "\(view.text("out")) \(view.text("err")) \(place.text("err"))")
  }

  private func stop(_ run: TestProcess) {
    run.terminate()
    run.waitUntilExit()
  }

  @Test("where the stream is lost, everything says so; made again, it goes on, and what had not left comes")
  func lost() throws {
    let run = try place.start("run", "--cluster", server.url, "--metrics", "m.prom", "p.yaml")
    try publish(0..<60)
    try expectKeys(20)
    expectStatus(0, "\"state\":\"running\"")
    #expect(try bus.ask("$JS.API.STREAM.DELETE.FLOW_PACKS", "").member("success") == .bool(true))
    try expect(view.flow("cluster", "status", server.url), equals: 1)
    #expect(view.text("out").contains("the servers have lost the stream FLOW_PACKS"), "\(view.text("out"))")
    try expect(view.flow("cluster", "status", "--json", server.url), equals: 1)
    try expect(
      Value.parse(Array(view.text("out").utf8)).member("lost"), equals: .array([.string("FLOW_PACKS")]))
    // Each task by itself, too.
    expectStatus(1, "start flow run again on a machine, which makes the stream")
    #expect(
      place.text("err").contains("the servers have lost the stream FLOW_PACKS, and with it the packs"),
      "\(place.text("err"))")
    #expect(
      eventually(patience: 30) {
        place.text("m.prom").contains(/flow_cluster_tasks\{worker="[^"]*",phase="waiting"\} 2\n/)
      }, "\(place.text("m.prom"))")
    // These wait for it in the state of what is above.
    try publish(60..<120)
    stop(run)
    let again = try place.start("run", "--cluster", server.url, "p.yaml")
    try expectKeys(40)
    expectStatus(0, "\"state\":\"running\"")
    stop(again)
  }

  @Test("a stream that was replaced meanwhile is reported until a pack shows that none is missing")
  func replaced() throws {
    let run = try place.start("run", "--cluster", server.url, "p.yaml")
    try publish(0..<60)
    try expectKeys(20)
    stop(run)
    #expect(try bus.ask("$JS.API.STREAM.DELETE.FLOW_PACKS", "").member("success") == .bool(true))
    let again = try place.start("run", "--cluster", server.url, "p.yaml")
    expectStatus(1, "whether packs for this task are lost with it")
    try publish(60..<120)
    try expectKeys(40)
    expectStatus(0, "\"state\":\"running\"")
    stop(again)
  }

  @Test("packs that are lost with it are missed by the tasks that wait for them, which say so")
  func missing() throws {
    let run = try place.start("run", "--cluster", server.url, "p.yaml")
    try publish(0..<60)
    try expectKeys(20)
    // A stream that tasks cannot read takes what comes, and is lost with it.
    #expect(try bus.ask("$JS.API.STREAM.DELETE.FLOW_PACKS", "").member("success") == .bool(true))
    try bus.makeStream("FLOW_PACKS", "flow.pack.>", options: #""allow_direct":false"#)
    try publish(60..<120)
    #expect(eventually(patience: 60) { isPacked() }, "\(place.text("err"))")
    run.kill()
    run.waitUntilExit()
    #expect(try bus.ask("$JS.API.STREAM.DELETE.FLOW_PACKS", "").member("success") == .bool(true))
    let again = try place.start("run", "--cluster", server.url, "p.yaml")
    try publish(120..<180)
    expectStatus(1, "is missing, and those behind it wait for it")
    // A source that fails in another way than a minute before is in the log with its next report.
    #expect(
      eventually(patience: 150) { place.text("err").contains("flow cluster restore") }, "\(place.text("err"))"
    )
    stop(again)
  }

  /// Whether the stream has had packs for a second without another.
  private func isPacked() -> Bool {
    func count() -> Double? {
      (try? bus.ask("$JS.API.STREAM.INFO.FLOW_PACKS", ""))?.member("state")?.member("messages")?.double
    }
    guard let before = count(), before > 0 else { return false }
    sleep(1)
    return count() == before
  }
}
