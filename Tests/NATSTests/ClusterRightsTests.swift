import Expectations
import Foundation
import Loopback
import TestSupport
import Testing

/// What the servers of a cluster allow its machines.
@Suite("Rights in a cluster", .realServer, .serialized, .timeLimit(.minutes(20)))
struct ClusterRightsTests {
  @Test("the account of the configuration that is printed suffices for a cluster, and for nothing else")
  func rights() throws {
    try expect(Place().flow("cluster", "config"), equals: 0)
    let place = try Place()
    try place.flow("cluster", "config")
    // The comments behind the mark are a part of the file once their marks are taken away.
    let lines = place.lines("out").map { $0.hasPrefix("#: ") ? String($0.dropFirst(3)) : $0 }
    let start = try #require(lines.firstIndex { $0.hasPrefix("authorization") })
    let end = try #require(lines[start...].firstIndex(of: "}"))
    let block = lines[start...end].joined(separator: "\n").replacing("$FLOW_PASSWORD", with: "\"secret\"")
    let server = try NATSServer(block)
    let url = server.url.replacing("nats://", with: "nats://flow:secret@")
    let busServer = try NATSServer()
    let bus = try Bus(busServer)
    try CountingPipeline.makeStreams(bus, replicas: 1)
    try place.write(
      "p.yaml",
      """
      name: p
      sources: { in: { nats: { servers: ['\(busServer.url)'], stream: IN, from: beginning } } }
      steps: [{ partition: { by: .k, into: 2 } }, { dedupe: { key: .k } }]
      sinks: { bus: { nats: { servers: ['\(busServer.url)'], subject: out.x } } }
      """)
    let view = try Place()
    try expect(view.flow("cluster", "check", url), equals: 0, "\(view.text("err"))")
    let run = try place.start("run", "--cluster", url, "p.yaml")
    for number in 0..<30 { try bus.publish("in.x", CountingPipeline.input(number)) }
    for _ in 0..<300 where try bus.contents(of: "OUT").count < 10 { usleep(100_000) }
    try expect(bus.contents(of: "OUT").count, equals: 10, "\(place.text("err"))")
    try expect(view.flow("cluster", "status", url), equals: 0, "\(view.text("out"))")
    try expect(view.flow("cluster", "backup", url, "b"), equals: 0, "\(view.text("err"))")
    try expect(view.flow("cluster", "drain", url), equals: 0, "\(view.text("err"))")
    run.waitUntilExit()
    #expect(!place.text("err").contains("ermission"), "\(place.text("err"))")
    // A wrong password, and what the account may not do.
    try expect(view.flow("cluster", "status", url.replacing("secret", with: "other")), equals: 1)
    #expect(!view.text("err").contains("other@") && !view.text("err").isEmpty, "\(view.text("err"))")
    let other = try Bus([url])
    #expect(try other.ask("$JS.API.STREAM.INFO.FLOW_LOG", "").member("error") == nil)
    // What is not allowed is not answered.
    other.patience = 1
    for subject in ["$JS.API.STREAM.DELETE.FLOW_LOG", "$JS.API.STREAM.CREATE.MINE", "$JS.API.STREAM.NAMES"] {
      #expect(throws: (any Error).self, "\(subject)") { _ = try other.ask(subject, "{\"name\":\"MINE\"}") }
    }
  }

  @Test("a machine that is not answered at its start says so and waits, as one does whose servers are away")
  func unanswered() throws {
    // What is not allowed is not answered, as servers that elect do not answer.
    let server = try NATSServer(
      """
      authorization { users: [{ user: flow, password: x, permissions: { publish: {
        deny: "$JS.API.STREAM.MSG.GET.FLOW_SHARED" } } }] }
      """)
    let place = try Place()
    try CountingPipeline.write([place], "'\(server.url)'")
    let run = try place.start("run", "--cluster", server.url.replacing("//", with: "//flow:x@"), "p.yaml")
    let line = "was not answered; waiting for the cluster's servers"
    #expect(eventually { place.text("err").contains(line) }, "\(place.text("err"))")
    usleep(300_000)
    #expect(run.isRunning)
    run.interrupt()
    run.waitUntilExit()
    expect(run.terminationStatus, equals: 130)
  }
}
