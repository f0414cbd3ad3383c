import Expectations
import Foundation
import JSON
import Loopback
import Reactive
import TestSupport
import Testing

/// Four workers over three real servers, which are killed and frozen, one at a time and all at once, and whose disks
/// are full; a fifth joins and leaves, machines are updated, backups are taken, and one is restored after all that the
/// servers had of the cluster is gone.
///
/// `make cluster SECONDS=300` is the long form.
@Suite("Clusters in adversity", .realServer, .timeLimit(.minutes(30)))
struct ClusterChaosTests {
  static let seconds =
    ProcessInfo.processInfo.environment["FLOW_CLUSTER_SECONDS"].flatMap { Double($0) } ?? 60
  static var isLong: Bool { seconds >= 120 }

  @Test("nothing is lost, doubled or out of order, whatever happens to workers, servers and disks")
  func chaos() throws {
    let sky = SlippingLaunches()
    let service = try LoopbackServer { sky.answer($0) }
    try service.serving {
      let chaos = try Chaos(service.url, sky)
      try chaos.run(seconds: Self.seconds)
      try chaos.judge(isLong: Self.isLong)
    }
  }
}

/// A launch service whose launches slip by a day every second or so, and a service that gets messages about that.
private final class SlippingLaunches: Sendable {
  private static let count = 8
  static let rows = 40
  private static let start = Date()
  private let messages = Locked<[(id: String, text: String)]>([])
  private let isOver = Locked(false)

  /// What was sent, each message once, in order.
  var received: [String] {
    var seen: Set<String> = []
    return messages.withLock { $0 }.filter { seen.insert($0.id).inserted }.map(\.text)
  }

  /// The rows that are there, by id.
  var present: [Int: Int] { Self.present(slips.withLock { $0 }) }

  private static func present(_ slips: Int) -> [Int: Int] {
    let present = (0..<rows).filter { (slips + $0) % 12 < 9 }
    return Dictionary(uniqueKeysWithValues: present.map { ($0, (slips + $0) / 3) })
  }

  /// From now on nothing slips.
  func rest() { isOver.withLock { $0 = true } }

  private let slips = Locked(0)

  func answer(_ request: LoopbackServer.Received) -> [LoopbackServer.Step] {
    guard request.method == "GET" else {
      let id = request.headers["idempotency-key"] ?? ""
      messages.withLock { $0.append((id, String(decoding: request.body, as: UTF8.self))) }
      return [.reply("{}")]
    }
    let slips = slips.withLock { slips in
      if !isOver.withLock({ $0 }) { slips = Int(-Self.start.timeIntervalSinceNow) }
      return slips
    }
    if request.target.hasPrefix("/rows") {
      // Each comes, changes and goes.
      let texts = Self.present(slips).map { "{\"id\":\($0.key),\"n\":\($0.value)}" }
      return [.reply("[\(texts.joined(separator: ","))]")]
    }
    let launches = (0..<Self.count).map { number in
      // One launch after the other.
      let days = (slips + number) / Self.count
      let net = Date(timeIntervalSince1970: 1_893_456_000 + Double(days) * 86400).formatted(.iso8601)
      return
        #"{"id":"l\#(number)","name":"Launch\#(number)","net":"\#(net)","status":{"id":1,"abbrev":"Go"}}"#
    }
    return [
      .reply(
        "{\"count\":\(Self.count),\"next\":null,\"previous\":null,\"results\":[\(launches.joined(separator: ","))]}"
      )
    ]
  }

  /// What is wrong with the messages: each says from which day to which, and begins where the one before ended.
  func flaw(_ restores: [Int]) -> String? {
    var days: [Substring: Lineage<Substring>] = [:]
    for (index, text) in received.enumerated() {
      // As in “Launch3: net 2030-01-01 → 2030-01-02, slipped 1 day”.
      let dates = text.matches(of: /\d{4}-\d\d-\d\d/).map(\.output)
      guard let name = text.firstMatch(of: /Launch\d/)?.output, dates.count >= 2 else {
        return "cannot read \(text)"
      }
      let round = restores.count { $0 <= index }
      if days[name, default: Lineage(dates[0])].move(from: dates[0], to: dates[1], round) {
        return "\(text), after it was moved to \(days[name]?.last ?? "")"
      }
      if dates[0] >= dates[1] { return text }
    }
    return nil
  }
}

/// The states through which a thing went; after a restore it goes on from one that it had.
private struct Lineage<State: Hashable> {
  private(set) var last: State
  private var states: Set<State>
  private var round = 0

  init(_ first: State) { (last, states) = (first, [first]) }

  /// Whether a move does not begin where the one before ended or, where it is the first of its round, at a state before that.
  mutating func move(from before: State, to after: State, _ round: Int) -> Bool {
    let isWrong = before != last && (round == self.round || !states.contains(before))
    (last, self.round) = (after, round)
    states.insert(after)
    return isWrong
  }
}

/// What was there when a backup was restored, by index: what comes behind may begin with what had come before.
private struct Restores {
  var out: [Int] = []
  var changes: [Int] = []
  var parts: [Int] = []
  var messages: [Int] = []
}

/// The workers, the servers, and what they go through.
private final class Chaos {
  private let servers: [ClusterServer]
  private let places: [Place]
  private let bus: Bus
  private let sky: SlippingLaunches
  private var runs: [TestProcess] = []
  private var logs: [String]
  private var dice = SplitMix64(seed: UInt64(ProcessInfo.processInfo.processIdentifier))
  private var published = 0
  private var events: [String: Int] = [:]
  private let disk: SmallDisk?
  /// Where commands run, and backups are.
  private let view: Place
  private var backups: [String] = []
  private var restores = Restores()
  /// The fifth worker; nil while it is away.
  private var guest: TestProcess?
  /// The keys come on so many subjects.
  private static let parts = 7

  init(_ service: String, _ sky: SlippingLaunches) throws {
    self.sky = sky
    servers = try ClusterServer.start(3)
    places = try (0..<5).map { _ in try Place() }
    view = try Place()
    disk = try? SmallDisk(at: "\(places[0].path)/state", bytes: 16 << 20)
    logs = places.map { _ in "" }
    bus = try Bus(servers.map(\.url))
    bus.patience = 2
    try CountingPipeline.write(places, servers.map { "'\($0.url)'" }.joined(separator: ", "))
    try CountingPipeline.makeStreams(bus, replicas: 3)
    // A shipped pipeline, faster than a year.
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
      path: "../../pipelines")
    var phone = try String(contentsOf: folder.appending(path: "phone.yaml"), encoding: .utf8)
    for (text, faster) in [
      ("every: 6h", "every: 1s"), ("jitter: 1m", "jitter: 0s"), ("settle: 2m", "settle: 100ms"),
      ("at_most: 10 in 1h", "at_most: 10000 in 1h"), ("limit: 1000", "limit: 1000, cache: 0s"),
      ("${NOTIFY_TO:-ntfy+http://127.0.0.1:2586/launches}", "ntfy+\(service)/messages"),
    ] {
      try #require(phone.contains(text), "\(text) is not in phone.yaml")
      phone.replace(text, with: faster)
    }
    let library = try String(contentsOf: folder.appending(path: "lib/launch.jq"), encoding: .utf8)
    let site = service.dropFirst("http://".count)
    try bus.makeStream(
      "CHANGES", "changes.>", options: "\"num_replicas\":3,\"duplicate_window\":120000000000")
    try bus.makeStream(
      "PARTS", "parts.>", options: "\"num_replicas\":3,\"duplicate_window\":120000000000")
    let urls = servers.map { "'\($0.url)'" }.joined(separator: ", ")
    for place in places {
      try place.write(
        "rows.yaml",
        """
        name: rows
        sources: { in: { http: { url: '\(service)/rows', cache: 0s }, every: 300ms } }
        steps:
          - partition: { by: .id, into: 4 }
          - changes: { key: .id, sudden_loss: off, first: emit }
        sinks: { bus: { nats: { servers: [\(urls)], subject: changes.x, concurrency: 1 } } }
        """)
      try place.write(
        "parts.yaml",
        """
        name: parts
        sources: { in: { nats: { servers: [\(urls)], stream: IN, subject: in.*, partition_by: token 2 } } }
        steps: [{ partition: { by: .k, into: 4 } }, { dedupe: { key: .k } }]
        sinks: { bus: { nats: { servers: [\(urls)], subject: parts.x, concurrency: 1 } } }
        """)
      try place.write("phone.yaml", phone)
      try FileManager.default.createDirectory(atPath: "\(place.path)/lib", withIntermediateDirectories: true)
      try place.write("lib/launch.jq", library)
      try place.write(
        "config.yaml",
        "budgets: { '\(site)': 100000 in 1h }\ndefaults: { launch_library: { url: '\(service)' } }\n")
    }
    for index in 0..<4 { runs.append(try start(index)) }
  }

  private var urls: String { servers.map(\.url).joined(separator: ",") }

  private func start(_ index: Int) throws -> TestProcess {
    logs[index] += places[index].text("err")
    return try places[index].start(
      "run", "--cluster", urls, "p.yaml", "phone.yaml", "rows.yaml", "parts.yaml")
  }

  private func publish() throws {
    for _ in 0..<60 {
      // Each number is published until it is stored; a repeat has the same id.
      var isStored = false
      let end = Date(timeIntervalSinceNow: 90)
      while !isStored, Date() < end {
        let id = ["Nats-Msg-Id": "\(published)"]
        let answer = try? bus.publish(
          "in.k\(published / 3 % Self.parts)", CountingPipeline.input(published), headers: id)
        isStored = answer?.member("seq") != nil
        if !isStored { usleep(100_000) }
      }
      try #require(isStored)
      published += 1
    }
  }

  func run(seconds: Double) throws {
    let end = Date(timeIntervalSinceNow: seconds)
    var round = 0
    while Date() < end {
      try publish()
      // Each thing once, then at random.
      let kinds = [
        "backup", "kill", "freeze", "backup", "guest", "restore", "server", "update", "disk", "guest",
        "servers",
        "backup",
        "kill", "freeze", "kill", "nothing",
      ]
      var kind = round < 11 ? kinds[round] : kinds.randomElement(using: &dice) ?? "kill"
      // What rows are at the end is seen by polls behind it.
      if kind == "restore", seconds < 120 || end.timeIntervalSinceNow < 30 { kind = "kill" }
      round += 1
      events[kind, default: 0] += 1
      try happen(kind, to: Int.random(in: 0..<4, using: &dice))
      usleep(1_500_000)
    }
  }

  private func happen(_ kind: String, to index: Int) throws {
    switch kind {
    case "kill":
      runs[index].kill()
      runs[index] = try start(index)
    case "freeze":
      Foundation.kill(runs[index].processIdentifier, SIGSTOP)
      let end = Date(timeIntervalSinceNow: Double.random(in: 5...13, using: &dice))
      while Date() < end {
        try publish()
        usleep(400_000)
      }
      Foundation.kill(runs[index].processIdentifier, SIGCONT)
    case "server":
      let server = servers[index % 3]
      server.kill()
      usleep(300_000)
      try server.start()
    case "servers":
      for server in servers { server.kill() }
      usleep(500_000)
      for server in servers { try server.start() }
    case "backup":
      let name = "backup\(backups.count)"
      // While servers are away it is none.
      for _ in 0..<5 {
        if try view.flow("cluster", "backup", urls, name) == 0 { return backups.append(name) }
        try? FileManager.default.removeItem(atPath: "\(view.path)/\(name)")
        sleep(1)
      }
    case "restore": try restore()
    case "guest":
      if let guest {
        guest.terminate()
        guest.waitUntilExit()
      }
      guest = guest == nil ? try start(4) : nil
    case "update":
      // Drained, and back as another version.
      try view.flow("cluster", "status", urls)
      let machine = try Regex("\\S+/\(runs[index].processIdentifier)-\\w+")
      let text = view.text("out")
      if let name = text.firstMatch(of: machine) {
        try view.flow("cluster", "drain", urls, String(text[name.range]))
      }
      if runs[index].isRunning { runs[index].kill() }
      places[index].environment["FLOW_TEST_VERSION"] = "0.3.0-\(index)"
      runs[index] = try start(index)
    case "disk":
      guard let disk else { break }
      disk.fill()
      for _ in 0..<4 {
        try publish()
        usleep(500_000)
      }
      disk.empty()
    default: break
    }
  }

  /// All that the servers had of the cluster goes, with all workers stopped, and the last backup comes back.
  private func restore() throws {
    guard let backup = backups.last else { return }
    for run in runs { run.kill() }
    guest?.kill()
    // Without a leader they answer with errors, or not at all.
    for server in servers { try server.waitUntilCurrent() }
    for name in try bus.streams() where name.hasPrefix("FLOW_") { try bus.deleteStream(name) }
    let status = try view.flow("cluster", "restore", urls, backup)
    expect(status, equals: 0, "\(view.text("err"))")
    restores.out.append(try bus.contents(of: "OUT").count)
    restores.changes.append(try bus.contents(of: "CHANGES").count)
    restores.parts.append(try bus.contents(of: "PARTS").count)
    restores.messages.append(sky.received.count)
    for index in runs.indices { runs[index] = try start(index) }
    if guest != nil { guest = try start(4) }
  }

  /// What is wrong with the messages of a pipeline that counts: each once, in order; after a restore, from an earlier
  /// one on.
  private func flaw(inOut found: [String], _ expected: [String]) -> String? {
    let numbers = Dictionary(uniqueKeysWithValues: zip(expected, expected.indices))
    var last = -1
    for (index, text) in found.enumerated() {
      guard let number = numbers[text] else { return "\(text) is none of them" }
      guard number == last + 1 || number <= last && restores.out.contains(index) else {
        return "\(text) at \(index), after number \(last)"
      }
      last = number
    }
    return last == expected.count - 1 ? nil : "\(last + 1) of \(expected.count)"
  }

  /// What is wrong with changes: each begins where the one before of its row ended, and the last ones lead to what is
  /// there at the end.
  private func flaw(in changes: [String], _ present: [Int: Int]) -> String? {
    var rows: [Int: Lineage<Double?>] = [:]
    for (index, text) in changes.enumerated() {
      guard let change = try? Value.parse(text), let key = change.member("key")?.double.map({ Int($0) })
      else {
        return "cannot read \(text)"
      }
      let (before, after) = (change.member("before")?.member("n"), change.member("after")?.member("n"))
      let round = restores.changes.count { $0 <= index }
      if rows[key, default: Lineage(nil)].move(from: before?.double, to: after?.double, round) {
        return "\(index): \(text), which begins where none has ended"
      }
    }
    let (expected, left) = (present.mapValues { Double($0) }, rows.compactMapValues(\.last))
    return left == expected ? nil : "\(left) is left of \(expected)"
  }

  /// What is wrong with the messages of tasks that read their parts by themselves: each once, in the order of its
  /// subject; after a restore, from an earlier one of the subject on.
  private func flaw(inParts found: [String], of expected: [String]) -> String? {
    var (last, rounds): ([Int: Int], [Int: Int]) = ([:], [:])
    for (index, text) in found.enumerated() {
      guard let key = try? Value.parse(text).member("k")?.double.map({ Int($0) }) else {
        return "cannot read \(text)"
      }
      let (part, round) = (key % Self.parts, restores.parts.count { $0 <= index })
      let next = last[part].map { $0 + Self.parts } ?? part
      guard key == next || key < next && rounds[part, default: 0] < round else {
        let late = found.indices.filter { (try? Value.parse(found[$0]).member("k")?.double) == Double(next) }
        return
          "\(text) at \(index), where \(next) was to come, which is at \(late)"
      }
      (last[part], rounds[part]) = (key, round)
    }
    let missing = Set(expected).subtracting(found)
    return missing.isEmpty ? nil : "\(missing.count) of \(expected.count) are missing"
  }

  func judge(isLong: Bool) throws {
    sky.rest()
    while published % 3 != 0 { try publish() }
    let expected = (0..<published / 3).map { CountingPipeline.input($0 * 3) }
    var found: [String] = []
    // Beside other tests on two cores, everything may take long.
    for _ in 0..<2400 {
      if let contents = try? bus.contents(of: "OUT") { found = contents }
      if flaw(inOut: found, expected) == nil { break }
      usleep(100_000)
    }
    let start = Date()
    while -start.timeIntervalSinceNow < 240 {
      if let changes = try? bus.contents(of: "CHANGES"), flaw(in: changes, sky.present) == nil { break }
      usleep(200_000)
    }
    while -start.timeIntervalSinceNow < 240 {
      if let parts = try? bus.contents(of: "PARTS"), flaw(inParts: parts, of: expected) == nil { break }
      usleep(200_000)
    }
    print("all was done after \(Int(-start.timeIntervalSinceNow)) s more")
    if let guest { runs.append(guest) }
    for run in runs { run.terminate() }
    for run in runs { run.waitUntilExit() }
    for name in backups {
      try expect(view.flow("state", "ls", "--state", "\(name)/states"), equals: 0, "\(view.text("err"))")
    }
    // The first may have been before anything was committed.
    if backups.count > 1 { #expect(view.text("out").contains("phone"), "\(view.text("out"))") }
    for index in places.indices { logs[index] += places[index].text("err") }
    let log = logs.joined(separator: "\n---\n")
    expectNil(flaw(inOut: found, expected), "\(log)")
    expectNil(sky.flaw(restores.messages), "\(log)")
    let changes = try bus.contents(of: "CHANGES")
    expectNil(flaw(in: changes, sky.present), "\(log)")
    expectNil(flaw(inParts: try bus.contents(of: "PARTS"), of: expected), "\(log)")
    let takeovers = log.components(separatedBy: "taken over").count - 1
    let fenced = log.components(separatedBy: "another machine has taken it over").count - 1
    print(
      "chaos \(events.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")): "
        + "\(published) in, \(found.count) out, \(sky.received.count) messages, \(changes.count) changes, \(takeovers) takeovers, \(fenced) fenced"
    )
    // Otherwise nothing was tested.
    if events["backup"] != nil { #expect(!backups.isEmpty, "\(view.text("err"))") }
    #expect(takeovers > 3 && sky.received.count > 5 && changes.count > 100)
    if isLong { #expect(fenced > 0, "no commit was refused") }
  }
}
