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
    first.kill()
    try publish(400..<600)
    try expectOutputs(60)
    second.terminate()
    second.waitUntilExit()
    // Nothing went by way of one machine, and the stream is as it was.
    #expect(
      try bus.ask("$JS.API.STREAM.INFO.FLOW_PACKS", "").member("state")?.member("messages")?.double == 0)
    let info = try bus.ask("$JS.API.STREAM.INFO.IN", "").member("config")
    expectNil(info?.member("subject_transform"))
    let streams = try bus.ask("$JS.API.STREAM.LIST", "").member("streams")?.items ?? []
    let copies = streams.compactMap { $0.member("config") }.filter { $0.member("sources") != nil }
    expect(copies.map { $0.member("max_age")?.description }, equals: ["31536000000000001"])
    let name = try #require(copies.first?.member("name")?.string)
    for (subject, _, _) in try bus.messages(of: name) { #expect(subject.contains(/^[0-3]\.orders\.k[0-9]$/)) }
  }

  @Test("a stream that replaces the one that was read is read from its beginning", arguments: [true, false])
  func replaced(isRunning: Bool) throws {
    try publish(0..<20)
    var run = try places[0].start("run", "--cluster", server.url, "p.yaml")
    try expectOutputs(2)
    try bus.deleteStream("IN")
    if !isRunning {
      run.terminate()
      run.waitUntilExit()
    }
    try bus.makeStream("IN", "orders.*")
    try publish(0..<30)
    if !isRunning { run = try places[0].start("run", "--cluster", server.url, "p.yaml") }
    #expect(
      eventually(patience: 60) { (try? bus.contents(of: "OUT").count) ?? 0 >= 50 }, "\(places[0].text("err"))"
    )
    for key in 0..<Self.keys { try expect(outputs()["orders.k\(key)"], equals: [0, 1, 0, 1, 2]) }
    #expect(places[0].text("err").contains("the stream IN was replaced since it was read"))
    // Nothing comes twice.
    try publish(30..<40)
    #expect(eventually(patience: 60) { (try? bus.contents(of: "OUT").count) ?? 0 >= 60 })
    for key in 0..<Self.keys { try expect(outputs()["orders.k\(key)"], equals: [0, 1, 0, 1, 2, 3]) }
    run.terminate()
    run.waitUntilExit()
  }

  @Test("where a run begins without a position is decided once: another from changes nothing")
  func begun() throws {
    try publish(0..<20)
    let run = try places[0].start("run", "--cluster", server.url, "p.yaml")
    try expectOutputs(2)
    run.terminate()
    run.waitUntilExit()
    try publish(20..<30)
    let text = try String(contentsOfFile: "\(places[0].path)/p.yaml", encoding: .utf8)
    try places[0].write("p.yaml", text.replacingOccurrences(of: "stream: IN,", with: "stream: IN, from: 5,"))
    let again = try places[0].start("run", "--cluster", server.url, "p.yaml")
    try publish(30..<40)
    try expectOutputs(4)
    #expect(!places[0].text("err").contains("was replaced"), "\(places[0].text("err"))")
    again.terminate()
    again.waitUntilExit()
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

  @Test("a change of the division is refused before anything moves, to parts and from them too")
  func divided() throws {
    let run = try places[0].start("run", "--cluster", server.url, "p.yaml")
    try publish(0..<20)
    try expectOutputs(2)
    let text = try String(contentsOfFile: "\(places[1].path)/p.yaml", encoding: .utf8)
    for (part, other) in [(", partition_by: token 2", ""), ("into: 4", "into: 3")] {
      try places[1].write("p.yaml", text.replacingOccurrences(of: part, with: other))
      try expect(places[1].flow("run", "--cluster", server.url, "p.yaml"), equals: 1)
      #expect(places[1].text("err").contains("cannot take its state along"), "\(places[1].text("err"))")
    }
    run.terminate()
    run.waitUntilExit()
    // A pipeline whose tasks have what a task above them sends.
    let packs = text.replacingOccurrences(of: ", partition_by: token 2", with: "")
      .replacingOccurrences(of: "name: p", with: "name: q")
    try places[0].write("q.yaml", packs)
    let other = try places[0].start("run", "--cluster", server.url, "q.yaml")
    #expect(eventually(patience: 60) { (try? bus.contents(of: "OUT").count) ?? 0 >= 40 })
    other.terminate()
    other.waitUntilExit()
    try places[0].write("q.yaml", text.replacingOccurrences(of: "name: p", with: "name: q"))
    try expect(places[0].flow("run", "--cluster", server.url, "q.yaml"), equals: 1)
    #expect(places[0].text("err").contains("cannot take its state along"), "\(places[0].text("err"))")
  }

  @Test("where no stream may be made, the error has the request that does so, and what it makes is used")
  func rights() throws {
    let guarded = try NATSServer(
      """
      authorization { users: [
        { user: flow, password: x, permissions: { publish: { deny: "$JS.API.STREAM.CREATE.*" } } },
        { user: root, password: y }
      ] }
      """)
    let root = try Bus(guarded) { ($0.user, $0.password) = ("root", "y") }
    try root.makeStream("IN", "orders.*")
    try root.makeStream("OUT", "out.>")
    let url = guarded.url.replacingOccurrences(of: "//", with: "//flow:x@")
    let text = try String(contentsOfFile: "\(places[0].path)/p.yaml", encoding: .utf8)
    try places[0].write("p.yaml", text.replacingOccurrences(of: server.url, with: url))
    let run = try places[0].start("run", "--cluster", server.url, "p.yaml")
    let line =
      #/nats req '(?<subject>\$JS\.API\.STREAM\.CREATE\.FLOW_PARTS_[0-9a-z]+)' '(?<settings>\{[^']+\})'/#
    #expect(eventually(patience: 60) { places[0].text("err").contains(line) }, "\(places[0].text("err"))")
    let said = try #require(places[0].text("err").firstMatch(of: line))
    try #require(try root.ask(String(said.subject), String(said.settings)).member("error") == nil)
    for number in 0..<20 { try root.publish("orders.k\(number)", "{\"n\":0}") }
    #expect(
      eventually(patience: 60) { (try? root.contents(of: "OUT").count) ?? 0 >= 20 },
      "\(places[0].text("err"))")
    run.terminate()
    run.waitUntilExit()
  }
}
