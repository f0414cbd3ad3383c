import Expectations
import Foundation
import JSON
import TestSupport
import Testing

/// Machines of two versions of flow, and of a pipeline file, in one cluster, while events come.
@Suite("Updates of clusters", .realServer, .serialized, .timeLimit(.minutes(20)))
struct ClusterUpdateTests {
  private let server: NATSServer
  private let bus: Bus
  private let places: [Place]
  private let view: Place

  init() throws {
    server = try NATSServer()
    bus = try Bus(server)
    places = try (0..<3).map { _ in try Place() }
    view = try Place()
    try CountingPipeline.makeStreams(bus, replicas: 1)
  }

  private func write(_ place: Place, _ steps: String) throws {
    try place.write(
      "p.yaml",
      """
      name: p
      sources: { in: { nats: { servers: ['\(server.url)'], stream: IN, from: beginning } } }
      steps: [\(steps)]
      sinks: { bus: { nats: { servers: ['\(server.url)'], subject: out.x } } }
      """)
  }

  private func start(_ place: Place) throws -> TestProcess {
    try place.start("run", "--cluster", server.url, "p.yaml")
  }

  private func publish(_ range: Range<Int>) throws {
    for number in range { try bus.publish("in.x", CountingPipeline.input(number)) }
  }

  private func outputs() throws -> [Value] { try bus.contents(of: "OUT").map { try Value.parse($0) } }

  private func wait(for count: Int) throws {
    #expect(
      eventually(patience: 60) { (try? bus.contents(of: "OUT").count) ?? 0 >= count },
      "\((try? bus.contents(of: "OUT").count) ?? 0) of \(count); \(places.map { $0.text("err") })")
  }

  /// Waits until the status has so many machines, and a text.
  private func status(_ count: Int, _ text: String, _ isThere: Bool = true) throws {
    let found = eventually(patience: 30) {
      _ = try? view.flow("cluster", "status", server.url)
      let machines = view.lines("out").first?.split(separator: "/").count ?? 0
      return machines == count + 1 && view.text("out").contains(text) == isThere
    }
    #expect(found, "\(text): \(view.text("out"))")
  }

  /// The generations in which machines have had a task; each is taken by one of them.
  private func generations(_ logs: [String]) -> [String] {
    logs.joined(separator: "\n").matches(of: /(\S+): taken over.*generation (\d+)/).map { "\($0.1) \($0.2)" }
  }

  @Test(
    "machines are drained, updated and back, one by one, and each key comes once and in order",
    arguments: ["{ dedupe: { key: .k } }", "{ partition: { by: .k, into: 3 } }, { dedupe: { key: .k } }"])
  func version(_ steps: String) throws {
    var logs: [String] = []
    for place in places {
      try write(place, steps)
      place.environment["FLOW_TEST_VERSION"] = "0.3.0-old"
    }
    var runs = try places.map { try start($0) }
    try publish(0..<300)
    try wait(for: 100)
    for (number, place) in places.enumerated() {
      let machine = "\(runs[number].processIdentifier)-"
      try view.flow("cluster", "status", server.url)
      let name = try #require(view.text("out").firstMatch(of: try Regex("\\S+/\(machine)\\w+")))
      try expect(
        view.flow("cluster", "drain", server.url, String(view.text("out")[name.range])), equals: 0,
        "\(view.text("err"))")
      runs[number].waitUntilExit()
      expect(runs[number].terminationStatus, equals: 0)
      try publish(300 + number * 300..<450 + number * 300)
      logs.append(place.text("err"))
      place.environment = [:]
      runs[number] = try start(place)
      try publish(450 + number * 300..<600 + number * 300)
      if number < 2 { try status(3, "versions 0.3.0, 0.3.0-old") } else { try status(3, "versions", false) }
      try wait(for: 200 + number * 100)
    }
    try wait(for: 400)
    for run in runs { run.terminate() }
    for run in runs { run.waitUntilExit() }
    logs += places.map { $0.text("err") }
    let keys = try outputs().map { Int($0.member("k")?.double ?? -1) }
    if steps.contains("partition") {
      expect(keys.sorted(), equals: Array(0..<400), "\(logs)")
    } else {
      expect(keys, equals: Array(0..<400), "\(logs)")
    }
    let taken = generations(logs)
    expect(Set(taken).count, equals: taken.count, "\(taken)")
    #expect(taken.count > 1, "\(logs)")
  }

  @Test("a pipeline file is changed on one machine after the other, in any order; the state goes along")
  func file() throws {
    func steps(_ version: Int) -> String {
      "{ dedupe: { key: .k } }, { map: { k: .k, version: '\(version)' } }"
    }
    for place in places { try write(place, steps(1)) }
    var logs: [String] = []
    var runs = try places.map { try start($0) }
    try publish(0..<300)
    try wait(for: 100)
    try status(3, "versions of the pipeline files", false)
    for (number, index) in [2, 0, 1].enumerated() {
      runs[index].terminate()
      runs[index].waitUntilExit()
      logs.append(places[index].text("err"))
      try write(places[index], steps(2))
      runs[index] = try start(places[index])
      try publish(300 + number * 300..<600 + number * 300)
      if number < 2 {
        try status(3, "2 versions of the pipeline files")
        #expect(view.text("out").matches(of: /, files [0-9a-f]{6}/).count == 3, "\(view.text("out"))")
      } else {
        try status(3, "versions of the pipeline files", false)
      }
      try wait(for: 200 + number * 100)
    }
    try publish(1200..<1500)
    try wait(for: 500)
    for run in runs { run.terminate() }
    for run in runs { run.waitUntilExit() }
    logs += places.map { $0.text("err") }
    let found = try outputs()
    expect(found.map { Int($0.member("k")?.double ?? -1) }, equals: Array(0..<500), "\(logs)")
    let versions = found.map { Int($0.member("version")?.double ?? 0) }
    #expect(versions.prefix(100).allSatisfy { $0 == 1 } && versions.suffix(100).allSatisfy { $0 == 2 })
    let taken = generations(logs)
    expect(Set(taken).count, equals: taken.count, "\(taken)")
  }

  @Test("a file that divides a pipeline otherwise is refused before anything moves")
  func shape() throws {
    func steps(_ count: Int) -> String {
      "{ partition: { by: .k, into: \(count) } }, { dedupe: { key: .k } }"
    }
    for place in places { try write(place, steps(3)) }
    let runs = try [start(places[0]), start(places[1])]
    try publish(0..<300)
    try wait(for: 100)
    try status(2, "all is well")
    for other in [
      steps(5), "{ dedupe: { key: .k } }", "{ partition: { by: .n, into: 3 } }, { dedupe: { key: .n } }",
    ] {
      try write(places[2], other)
      try expect(places[2].flow("run", "--cluster", server.url, "p.yaml"), equals: 1)
      #expect(
        places[2].text("err").contains("p cannot take its state along: it is divided (")
          && places[2].text("err").contains("give the pipeline another name to begin anew")
          && !places[2].text("err").contains("taken over"),
        "\(places[2].text("err"))")
    }
    try write(places[2], steps(3))
    let third = try start(places[2])
    try publish(300..<600)
    try wait(for: 200)
    for run in runs + [third] { run.terminate() }
    for run in runs + [third] { run.waitUntilExit() }
    let keys = try outputs().map { Int($0.member("k")?.double ?? -1) }
    expect(keys.sorted(), equals: Array(0..<200), "\(places.map { $0.text("err") })")
  }
}
