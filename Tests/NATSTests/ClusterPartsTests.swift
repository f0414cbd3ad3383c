import Expectations
import Foundation
import JSON
import Loopback
import TestSupport
import Testing

@testable import Connectors

/// Tasks of a partition that read their parts of a stream by themselves.
@Suite("Parts of a stream", .realServer, .serialized, .timeLimit(.minutes(20)))
struct ClusterPartsTests {
  private static let keys = 10
  private let bus: Bus
  private let server: NATSServer
  private let places: [Place]

  init() throws {
    server = try NATSServer()
    bus = try Bus(server)
    places = [try Place(), try Place()]
    // A year in nanoseconds is more than a double can count to.
    try bus.makeStream("IN", "orders.*", options: "\"max_age\":31536000000000001")
    try bus.makeStream("OUT", "out.>")
    for place in places { try write(place, into: 4) }
  }

  private func write(_ place: Place, into tasks: Int, name: String = "p") throws {
    try place.write(
      "\(name).yaml",
      """
      name: \(name)
      sources:
        in: { nats: { servers: ['\(server.url)'], stream: IN, subject: orders.*, partition_by: token 2, envelope: true } }
      steps:
        - partition: { by: .subject, into: \(tasks) }
        - scan: { key: .subject, init: null, update: '{subject: $event.subject, n: $event.data.n}' }
      sinks: { bus: { nats: { servers: ['\(server.url)'], subject: out.x } } }
      """)
  }

  private func publish(_ range: Range<Int>) throws {
    for number in range { try bus.publish("orders.k\(number % Self.keys)", "{\"n\":\(number / Self.keys)}") }
  }

  private func outputs() throws -> [String: [Int]] {
    var found: [String: [Int]] = [:]
    for text in try bus.contents(of: "OUT") {
      let value = try Value.parse(text)
      found[value.member("subject")?.string ?? "", default: []].append(
        value.member("n")?.double.map { Int($0) } ?? -1)
    }
    return found
  }

  private func expectOutputs(_ each: Int) throws {
    let count = each * Self.keys
    #expect(
      eventually(patience: 90) { (try? bus.contents(of: "OUT").count) ?? 0 >= count },
      "\(places.map { $0.text("err") })")
    for key in 0..<Self.keys { try expect(outputs()["orders.k\(key)"], equals: Array(0..<each)) }
    try expect(outputs().count, equals: Self.keys)
  }

  @Test("have all that was stored before and since, each key in order, also where a machine dies")
  func parts() throws {
    try publish(0..<200)
    let first = try places[0].start("run", "--cluster", server.url, "p.yaml")
    try expectOutputs(20)
    let second = try places[1].start("run", "--cluster", server.url, "p.yaml")
    try publish(200..<400)
    try expectOutputs(40)
    #expect(eventually(patience: 60) { places[1].text("err").contains("taken over") })
    first.kill()
    try publish(400..<600)
    try expectOutputs(60)
    second.terminate()
    second.waitUntilExit()
    // All of them were numbered, and nothing went by way of one machine.
    let info = try bus.ask("$JS.API.STREAM.INFO.IN", "").member("config")
    expect(info?.member("max_age")?.description, equals: "31536000000000001")
    expect(
      info?.member("subject_transform")?.member("dest")?.string,
      equals: "parts.4.{{partition(4,1)}}.orders.{{wildcard(1)}}")
    for (subject, _, _) in try bus.messages(of: "IN").suffix(400) {
      let tokens = subject.split(separator: ".")
      try #require(tokens.count == 5)
      expect(Int(tokens[2]), equals: SubjectParts.part(of: tokens[4], among: 4))
    }
    #expect(
      try bus.ask("$JS.API.STREAM.INFO.FLOW_PACKS", "").member("state")?.member("messages")?.double == 0)
  }

  @Test("are what one process reads as one, with the subjects that were published")
  func one() throws {
    try publish(0..<20)
    let run = try places[0].start("run", "--cluster", server.url, "p.yaml")
    try expectOutputs(2)
    run.terminate()
    run.waitUntilExit()
    try publish(20..<40)
    try write(places[1], into: 4, name: "q")
    try expect(places[1].flow("run", "--once", "q.yaml"), equals: 0)
    let found = try outputs()
    for key in 0..<Self.keys { expect(found["orders.k\(key)"], equals: [0, 1, 0, 1, 2, 3]) }
  }

  @Test("a stream is divided in one way, and a change of it is refused before anything moves")
  func divided() throws {
    let run = try places[0].start("run", "--cluster", server.url, "p.yaml")
    try publish(0..<20)
    try expectOutputs(2)
    try write(places[1], into: 3, name: "q")
    let other = try places[1].start("run", "--cluster", server.url, "q.yaml")
    #expect(
      eventually(patience: 60) { places[1].text("err").contains("one stream is divided in one way") },
      "\(places[1].text("err"))")
    other.terminate()
    other.waitUntilExit()
    try write(places[1], into: 3)
    try expect(places[1].flow("run", "--cluster", server.url, "p.yaml"), equals: 1)
    #expect(places[1].text("err").contains("cannot take its state along"), "\(places[1].text("err"))")
    run.terminate()
    run.waitUntilExit()
  }

  @Test("where the stream may not be changed, the error has the line that does so, and what is set is used")
  func rights() throws {
    let guarded = try NATSServer(
      """
      authorization { users: [
        { user: flow, password: x, permissions: { publish: { deny: "$JS.API.STREAM.UPDATE.*" } } }, { user: root, password: y }
      ] }
      """)
    let root = try Bus(guarded) { ($0.user, $0.password) = ("root", "y") }
    try root.makeStream("IN", "orders.*")
    try root.makeStream("OUT", "out.>")
    let url = guarded.url.replacingOccurrences(of: "//", with: "//flow:x@")
    let text = try String(contentsOfFile: "\(places[0].path)/p.yaml", encoding: .utf8)
    try places[0].write("p.yaml", text.replacingOccurrences(of: server.url, with: url))
    let run = try places[0].start("run", "--cluster", url, "p.yaml")
    let line =
      "nats stream edit IN --transform-source 'orders.*' --transform-destination 'parts.4.{{partition(4,1)}}.orders.{{wildcard(1)}}'"
    #expect(eventually(patience: 60) { places[0].text("err").contains(line) }, "\(places[0].text("err"))")
    let config = try #require(try root.ask("$JS.API.STREAM.INFO.IN", "").member("config")).description
    _ = try root.ask(
      "$JS.API.STREAM.UPDATE.IN",
      config.dropLast()
        + #","subject_transform":{"src":"orders.*","dest":"parts.4.{{partition(4,1)}}.orders.{{wildcard(1)}}"}}"#
    )
    for number in 0..<20 { try root.publish("orders.k\(number)", "{\"n\":0}") }
    #expect(
      eventually(patience: 60) { (try? root.contents(of: "OUT").count) ?? 0 >= 20 },
      "\(places[0].text("err"))")
    run.terminate()
    run.waitUntilExit()
  }
}
