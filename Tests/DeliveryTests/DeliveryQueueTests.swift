import Expectations
@testable import Delivery
import Trials
import TestSupport
import Store
import System
import Glibc
import JSON
import Language
import Reactive
import Testing

@testable import Engine

/// Delivery queues by themselves, mostly with commands; what sinks make of them is tested with the sinks.
@Suite(.serialized, .timeLimit(.minutes(30))) struct DeliveryQueueTests {
  private let log = Journal<String>()
  private let stop = StopSign()
  private let folder = Folder()

  private func context(_ waiting: Lane.Waiting = .acrossTurns) -> SinkContext {
    var world = World.real
    // The whole of each back-off.
    world.random = { 0 }
    return .lone(world, waiting: waiting, stop: stop) { [log] in log.note($0.message) }
  }

  private func queue(
    _ settings: DeliverySettings, _ waiting: Lane.Waiting = .acrossTurns
  ) -> DeliveryQueue {
    let context = context(waiting)
    return DeliveryQueue(settings, context, CommandTransport(context, timeout: .seconds(20)))
  }

  private func script(_ line: String) -> CommandItem {
    CommandItem(arguments: ["/bin/sh", "-c", "cd \(folder.path); \(line)"], event: nil)
  }

  private final class Seen {
    weak var document: TapeDocument?
    init(_ document: TapeDocument) { self.document = document }
  }

  private func lines(_ name: String) -> [String] {
    contents(of: "\(folder.path)/\(name)").split(separator: "\n").map(String.init)
  }

  @Test("ids are made of the turn and the place in it, and never come twice")
  func eventIDs() {
    var ids = EventIDs(pipeline: "p", sink: "s")
    let made = [0, 1.5, 1.5, 1.4, 2].map { ids.next(at: $0) }
    expect(made, equals: ["p/s/0-0", "p/s/1500-0", "p/s/1500-1", "p/s/1500-2", "p/s/2000-0"])
  }

  @Test("as many run at once as may, not one more, on threads with a name", arguments: [1, 3])
  func concurrency(_ number: Int) throws {
    let queue = queue(DeliverySettings(concurrency: number))
    // Each leaves a file while it runs, and notes how many there are.
    for _ in 1...6 { try queue.add(script(": > run.$$; sleep 0.15; ls run.* | wc -l >> seen; rm run.$$")) }
    let named = eventually {
      let tasks = names(in: "/proc/self/task").map { contents(of: "/proc/self/task/\($0)/comm") }
      return tasks.count { $0 == "flow-exec\n" } >= number
    }
    #expect(named)
    try queue.finish(by: .distantFuture)
    let seen = lines("seen").compactMap { Int($0) }
    #expect(seen.count == 6 && seen.max() == number)
  }

  @Test(
    "in virtual time, retries of a command wait within the turn, longer each time, before what came later")
  func retries() throws {
    let queue = queue(DeliverySettings(attempts: 3, backoff: .milliseconds(20)), .withinTurn)
    let took = try elapsed {
      try queue.add(script("echo 1 >> log; exit $(( $(wc -l < log) < 3 ))"))
      try queue.add(script("echo 2 >> log; exit 9"))
      try queue.add(CommandItem(arguments: ["/no/such"], event: nil))
      try queue.add(script("echo 4 >> log"))
      try queue.endTurn()
    }
    #expect(took >= .milliseconds(2 * 60))
    expect(lines("log"), equals: ["1", "1", "1", "2", "2", "2", "4"])
    expect(
      log.entries.filter { !$0.contains("; next try in ") },
      equals: [
        "“/bin/sh”: exit status 9 after 3 attempts", "cannot start /no/such: there is no /no/such",
      ])
    // The first, the second and the fourth in a row.
    #expect(log.entries.count { $0.contains("; next try in ") } >= 3, "\(log.entries)")
  }

  @Test("what waits keeps its event, and not the poll that it came in", arguments: [true, false])
  func held(isCommand: Bool) throws {
    let queue = queue(DeliverySettings(queue: 100))
    try queue.add(script("while [ ! -e go ]; do sleep 0.01; done"))
    var documents: [Seen] = []
    for number in 0..<20 {
      let rows = try #require(
        try Value.parse(
          "[" + (0..<50).map { "{\"row\":\"\($0) of \(number)\"}" }.joined(separator: ",") + "]"
        )
        .items)
      let event = Event(rows[0], Poll(source: "s", at: 0))
      if case .view(let document, _) = rows[0] { documents.append(Seen(document)) }
      let item: any DeliveryItem =
        isCommand ? CommandItem(arguments: ["/bin/true"], event: event) : RequestItem(event: event)
      try queue.add(item)
    }
    expect(documents.count { $0.document != nil }, equals: 0, "of \(documents.count)")
    close(creat("\(folder.path)/go", 0o600))
    try queue.finish(by: .distantFuture)
  }

  @Test("when as many wait as may, the next is added once there is room")
  func full() throws {
    let queue = queue(DeliverySettings(queue: 2))
    try queue.add(script(": > runs; while [ ! -e go ]; do sleep 0.01; done"))
    #expect(eventually { names(in: folder.path) == ["runs"] })
    for _ in 2...3 { try queue.add(script("exit 0")) }
    let path = folder.path
    inBackground {
      usleep(100_000)
      close(creat("\(path)/go", 0o600))
    }
    let took = try elapsed { try queue.add(script("exit 0")) }
    #expect(took >= .milliseconds(50) && names(in: folder.path).contains("go"))
    try queue.finish(by: .distantFuture)
    #expect(log.entries.isEmpty)
  }

  @Test("at the deadline what runs is killed, and the rest is reported as interrupted")
  func deadline() throws {
    let queue = queue(DeliverySettings(concurrency: 2))
    for _ in 1...3 { try queue.add(script("trap '' TERM; : > run.$$; sleep 100")) }
    #expect(eventually { names(in: folder.path).count == 2 })
    let took = try elapsed { try queue.finish(by: Instant() + .milliseconds(200)) }
    #expect(took >= .milliseconds(200) && took < .seconds(10))
    let words = ["stopped", "stopped", "not run"]
    expect(log.entries, equals: words.map { "“/bin/sh” was \($0): the pipeline ended" })
  }

  @Test("a stop ends a wait for room and a wait for a retry")
  func stopped() throws {
    let queue = queue(DeliverySettings(queue: 1, attempts: 5, backoff: .seconds(50)))
    try queue.add(script(": > ran; exit 1"))
    #expect(eventually { names(in: folder.path) == ["ran"] })
    try queue.add(script("exit 0"))
    inBackground { [stop] in
      usleep(100_000)
      stop.set()
    }
    let took = try elapsed {
      try queue.add(script("exit 0"))
      try queue.finish(by: .distantFuture)
    }
    #expect(took >= .milliseconds(50) && took < .seconds(10))
    let words = ["not run", "stopped", "not run"]
    expect(log.entries.first, equals: "“/bin/sh”: exit status 1; next try in 50s")
    expect(Array(log.entries.dropFirst()), equals: words.map { "“/bin/sh” was \($0): the pipeline ended" })
  }

  @Test("a released queue ends what runs")
  func released() throws {
    do {
      let queue = queue(DeliverySettings())
      try queue.add(script("echo $$ > pid; exec sleep 100"))
      #expect(eventually { !lines("pid").isEmpty })
    }
    let process = try #require(lines("pid").first)
    #expect(eventually { isDead(process) })
  }

  /// Ends attempts at a command of the test.
  private final class HandWorker: SingleTransport {
    let delivers = Deliverable.command
    let retriesInRealTime = true
    private(set) var ends: [DeliveryEnd] = []
    private(set) var bodies: [String] = []

    func begin(_ task: RequestItem, id: String, _ end: @escaping DeliveryEnd) -> Subscription {
      ends.append(end)
      bodies.append(task.body ?? "")
      return Subscription()
    }
  }

  @Test("a result counts once, and what says nothing of the task costs no attempt")
  func results() throws {
    let worker = HandWorker()
    let queue = DeliveryQueue(DeliverySettings(attempts: 2, backoff: .zero), context(), worker)
    try queue.add(RequestItem(event: nil))
    var unpaid = DeliveryFailure("no budget", mayPass: true)
    unpaid.isAttempt = false
    let failed = DeliveryFailure("no", mayPass: true)
    for (number, failure) in [unpaid, unpaid, failed, failed].enumerated() {
      expect(worker.ends.count, equals: number + 1)
      for _ in 1...2 { worker.ends.last?(failure) }
      try queue.wake()
    }
    #expect(worker.ends.count == 4 && log.entries.last == "no after 2 attempts")
  }

  @Test(
    "a delivery costs the same however many wait and run, and they begin in the order in which they were added"
  )
  func proportional() throws {
    func time(waiting count: Int, concurrency: Int) throws -> Duration {
      let worker = HandWorker()
      let queue = DeliveryQueue(
        DeliverySettings(concurrency: concurrency, queue: 65536), context(), worker)
      for number in 1...count { try queue.add(RequestItem(body: "\(number)", event: nil)) }
      // All of them: with the first, each that has come until then moves once, from where it came in to where it goes out.
      let time = try processorTime {
        for number in 0..<count {
          worker.ends[number](nil)
          try queue.wake()
        }
      }
      Expectations.expect(worker.bodies, equals: (1...count).map { "\($0)" })
      return time / count
    }
    // A slow moment of the machine is no slow queue.
    func expect(_ more: () throws -> Duration, within factor: Int, of once: () throws -> Duration) rethrows {
      let pairs = try (1...5).map { _ in (try once(), try more()) }
      #expect(pairs.contains { $0.1 < $0.0 * factor }, "\(pairs)")
    }
    try expect({ try time(waiting: 60_000, concurrency: 1) }, within: 4) {
      try time(waiting: 1000, concurrency: 1)
    }
    try expect({ try time(waiting: 1000, concurrency: 64) }, within: 6) {
      try time(waiting: 1000, concurrency: 1)
    }
  }

  @Test("a delivery that has failed fails in status; one that the server asks to wait only waits")
  func waits() throws {
    for retryAt in [nil, World.real.wallClock() + 300] {
      let (worker, context) = (HandWorker(), context())
      let queue = DeliveryQueue(DeliverySettings(attempts: 5, backoff: .seconds(50)), context, worker)
      try queue.add(RequestItem(event: nil))
      var failure = DeliveryFailure("not now", mayPass: true)
      failure.retryAt = retryAt
      worker.ends.last?(failure)
      try queue.wake()
      let wait = try #require(context.meter.wait)
      #expect(wait.events == 1 && wait.reason == "not now" && wait.isFailing == (retryAt == nil))
    }
  }

  /// A stream that is not available, by hand: each attempt is answered by the test.
  private func unavailable(_ reason: String = "no leader") -> DeliveryFailure {
    var failure = DeliveryFailure(reason, mayPass: true)
    failure.isUnavailable = true
    return failure
  }

  @Test(
    "while a receiver is not available one item at a time is tried, which is no attempt; then all are at once"
  )
  func probes() throws {
    let worker = HandWorker()
    let queue = DeliveryQueue(
      DeliverySettings(concurrency: 3, attempts: 2, backoff: .seconds(50)), context(.withinTurn), worker)
    for number in 1...3 { try queue.add(RequestItem(body: "\(number)", event: nil)) }
    for number in 0..<3 { worker.ends[number](unavailable()) }
    try queue.wake()
    expect(worker.bodies, equals: ["1", "2", "3"])
    // The first, again and again, and never given up for that.
    for round in 4...8 {
      #expect(
        eventually {
          try? queue.wake()
          return worker.bodies.count == round
        })
      expect(worker.bodies.last, equals: "1")
      if round < 8 { worker.ends[round - 1](unavailable()) }
      try queue.wake()
      expect(worker.bodies.count, equals: round)
    }
    worker.ends[7](nil)
    try queue.wake()
    expect(Array(worker.bodies.dropFirst(8)), equals: ["2", "3"])
    for number in 8...9 { worker.ends[number](nil) }
    try queue.finish(by: .distantFuture)
    expect(log.entries, equals: ["no leader; next try in 50s"])
  }

  @Test("where a failure holds up the others, they begin when its retry has succeeded, in order")
  func holdsBack() throws {
    let worker = HandWorker()
    var settings = DeliverySettings(concurrency: 3, attempts: 3, backoff: .milliseconds(50))
    settings.holdsBack = true
    let queue = DeliveryQueue(settings, context(.withinTurn), worker)
    for number in 1...6 { try queue.add(RequestItem(body: "\(number)", event: nil)) }
    worker.ends[1](nil)
    worker.ends[0](DeliveryFailure("no", mayPass: true))
    try queue.wake()
    // One has succeeded, so that there is room.
    expect(worker.bodies, equals: ["1", "2", "3"])
    worker.ends[2](DeliveryFailure("no", mayPass: true))
    #expect(
      eventually {
        try? queue.wake()
        return worker.bodies.count > 3
      })
    expect(Array(worker.bodies.dropFirst(3)), equals: ["1", "3"])
    worker.ends[4](nil)
    try queue.wake()
    expect(worker.bodies.count, equals: 5)
    worker.ends[3](nil)
    try queue.wake()
    expect(Array(worker.bodies.dropFirst(5)), equals: ["4", "5", "6"])
  }

  @Test("at the end what a retry holds up, which is for the next run, is not waited for")
  func endsHeldBack() throws {
    let worker = HandWorker()
    var settings = DeliverySettings(concurrency: 3, attempts: 3)
    settings.holdsBack = true
    let queue = DeliveryQueue(settings, context(), worker)
    try queue.add(RequestItem(body: "1", event: nil))
    var away = DeliveryFailure("no server", mayPass: true)
    (away.isAttempt, away.retryAt) = (false, World.real.wallClock() + 3600)
    worker.ends[0](away)
    try queue.wake()
    try queue.add(RequestItem(body: "2", event: nil))
    try queue.finish(by: .distantFuture)
    expect(worker.bodies, equals: ["1"])
  }

  @Test("an answer that has not come for a while holds up the others too, until it comes")
  func holdsBackInDoubt() throws {
    let worker = HandWorker()
    var settings = DeliverySettings(concurrency: 4, attempts: 3, backoff: .milliseconds(50))
    settings.holdsBack = true
    let queue = DeliveryQueue(settings, context(), worker)
    for number in 1...2 { try queue.add(RequestItem(body: "\(number)", event: nil)) }
    try queue.endTurn()
    expect(worker.bodies, equals: ["1", "2"])
    worker.ends[1](nil)
    usleep(300_000)
    try queue.add(RequestItem(body: "3", event: nil))
    try queue.endTurn()
    expect(worker.bodies, equals: ["1", "2"])
    worker.ends[0](nil)
    try queue.wake()
    expect(worker.bodies, equals: ["1", "2", "3"])
  }

  @Test(
    "without a connection nothing is logged or counted, and the status has the next try of the connection")
  func noConnection() throws {
    let (worker, context) = (HandWorker(), context())
    let queue = DeliveryQueue(DeliverySettings(attempts: 1), context, worker)
    try queue.add(RequestItem(event: nil))
    var away = DeliveryFailure("no server", mayPass: true)
    (away.isAttempt, away.nextTry) = (false, 1_900_000_000)
    worker.ends[0](away)
    try queue.wake()
    let wait = try #require(context.meter.wait)
    #expect(wait.reason == "no server" && wait.until == 1_900_000_000 && wait.isFailing)
    #expect(log.entries.isEmpty && worker.ends.count == 2)
  }

  @Test("a retry that the run before has stored waits for its time, and holds up no other")
  func storedRetry() throws {
    let worker = HandWorker()
    let queue = DeliveryQueue(
      DeliverySettings(concurrency: 2, attempts: 3, backoff: .seconds(50)), context(), worker)
    func entry(_ body: String, index: Int64, due: Double) -> OutboxEntry {
      OutboxEntry(
        sink: "it", place: OutputPlace(epoch: 1, index: index), id: body, attempts: due > 0 ? 1 : 0, due: due,
        bytes: RequestItem(body: body).stored)
    }
    let soon = World.real.wallClock() + 40
    try queue.run([entry("a", index: 0, due: soon), entry("b", index: 1, due: 0)])
    expect(worker.bodies, equals: ["b"])
    // One that is over begins at once.
    try queue.run([entry("c", index: 2, due: 1)])
    worker.ends[0](nil)
    try queue.wake()
    expect(worker.bodies, equals: ["b", "c"])
  }

  @Test("attempts at a receiver that stays away end, with its reason")
  func awayForGood() throws {
    let worker = HandWorker()
    let queue = DeliveryQueue(DeliverySettings(attempts: 3, backoff: .zero), context(), worker)
    try queue.add(RequestItem(event: nil))
    for number in 0..<3 {
      worker.ends[number](unavailable())
      try queue.wake()
    }
    #expect(worker.ends.count == 3 && log.entries.last == "no leader after 3 attempts")
  }

  @Test("an answer to an attempt that is over is none to the next")
  func lateAnswer() throws {
    let worker = HandWorker()
    let queue = DeliveryQueue(DeliverySettings(attempts: 3, backoff: .zero), context(), worker)
    try queue.add(RequestItem(event: nil))
    worker.ends[0](DeliveryFailure("no", mayPass: true))
    try queue.wake()
    worker.ends[0](nil)
    try queue.wake()
    // It is still under way.
    #expect(worker.ends.count == 2 && !log.entries.contains { $0.has("after") })
    worker.ends[1](DeliveryFailure("no", mayPass: false))
    try queue.wake()
    expect(log.entries.last, equals: "no after 2 attempts")
  }

  @Test("many failures that come together are one line")
  func together() throws {
    let worker = HandWorker()
    let queue = DeliveryQueue(
      DeliverySettings(concurrency: 64, attempts: 2, backoff: .seconds(50)), context(), worker)
    for _ in 1...64 { try queue.add(RequestItem(event: nil)) }
    for end in worker.ends { end(DeliveryFailure("full", mayPass: true)) }
    try queue.wake()
    expect(log.entries, equals: ["full; next try in 50s"])
  }
}
