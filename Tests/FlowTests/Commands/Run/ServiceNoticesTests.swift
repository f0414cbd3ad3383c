import TestSupport
import Expectations
import Foundation
import Glibc
import Testing

/// The notices of a run to the manager of its service, over the socket that it gives.
@Suite("Service notices", .timeLimit(.minutes(30)))
struct ServiceNoticesTests {
  private static let pipeline = """
    name: watch
    sources: { numbers: { generate: '{ n: 1 }', every: 1h } }
    sinks: { log: { jsonl: log.jsonl } }
    """

  private func start(_ place: Workplace, _ manager: ManagerSocket, watchdog: Int? = nil) throws -> Running {
    var environment = ["NOTIFY_SOCKET": manager.name]
    environment["WATCHDOG_USEC"] = watchdog.map { "\($0)" }
    return try Running(["run", "p.yaml"], in: place, input: .file("/dev/null"), environment)
  }

  @Test("a run reports its start, a reload, its status and its end", arguments: [false, true])
  func life(isAbstract: Bool) throws {
    let place = try Workplace(Self.pipeline)
    let manager = ManagerSocket(isAbstract: isAbstract)
    let running = try start(place, manager)
    expect(manager.next(), equals: "READY=1")
    #expect(manager.notice(with: "STATUS=") != nil)
    try running.waitForLines(1, in: "log.jsonl")
    try place.write("p.yaml", Self.pipeline.replacing("n: 1", with: "n: 2"))
    running.send(SIGHUP)
    let reload = try #require(manager.notice(with: "RELOADING=1"))
    let time = try #require(reload.split(separator: "MONOTONIC_USEC=").last.flatMap { Int($0) })
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    #expect((0..<60_000_000).contains(now.tv_sec * 1_000_000 + now.tv_nsec / 1000 - time))
    expect(manager.next(), equals: "READY=1")
    #expect(manager.notice(with: "STATUS=") != nil)
    // A file that is wrong: the pipeline that runs is ready at once.
    try place.write("p.yaml", "sources: {}")
    running.send(SIGHUP)
    #expect(manager.notice(with: "RELOADING=1") != nil && manager.notice(with: "READY=1") != nil)
    running.send(SIGTERM)
    #expect(manager.notice(with: "STOPPING=1") != nil)
    try expect(running.end().status, equals: 0)
    #expect(!manager.received.contains { $0.contains("WATCHDOG") })
  }

  @Test("the watchdog hears each lane, and the status names the next poll")
  func watchdog() throws {
    let place = try Workplace(Self.pipeline)
    let manager = ManagerSocket()
    let running = try start(place, manager, watchdog: 100_000)
    let notice = try #require(manager.notice(with: "next poll of numbers at 2"))
    #expect(notice.hasPrefix("WATCHDOG=1\nSTATUS="))
    _ = try running.end(by: SIGTERM)
  }

  @Test("while a lane hangs, the watchdog hears nothing; it does again once the lane goes on")
  func hangingLane() throws {
    let place = try Workplace(
      """
      name: hang
      sources: { numbers: { generate: 'range(50000)', every: 1h } }
      sinks: { out: { console: 'line \\(.)' } }
      """)
    let manager = ManagerSocket()
    try place.write("stdin", "")
    // A pipe that nobody reads: its end 9 keeps it open.
    let running = try Running(
      ["-c", "mkfifo pipe && exec 9<>pipe && exec \"$0\" run p.yaml >pipe", try flowCommand().path],
      of: "/bin/sh",
      in: place, input: .file(place["stdin"]),
      ["NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "100000"])
    expect(manager.next(), equals: "READY=1")
    var isQuiet = false
    for _ in 0..<1000 where !isQuiet { isQuiet = manager.next(within: 0.5) == nil }
    #expect(isQuiet && manager.next(within: 1) == nil)
    let pipe = open(place["pipe"], O_RDONLY | O_NONBLOCK)
    defer { close(pipe) }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var answer: String?
    for _ in 0..<6000 where answer == nil {
      while read(pipe, &buffer, buffer.count) > 0 {}
      answer = manager.next(within: 0.01)
    }
    expect(answer?.hasPrefix("WATCHDOG=1"), equals: true)
    _ = try running.end(by: SIGTERM)
  }

  @Test("a watchdog of another process is not ours, and commands do not inherit the manager's socket")
  func environment() throws {
    let place = try Workplace(
      """
      name: watch
      sources: { numbers: { generate: '{ n: 1 }', every: 1h } }
      sinks: { out: { exec: [sh, -c, 'env > env.txt; mv env.txt done.txt'] } }
      """)
    let manager = ManagerSocket()
    let running = try Running(
      ["run", "p.yaml"], in: place, input: .file("/dev/null"),
      ["NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "100000", "WATCHDOG_PID": "1"])
    try running.wait(for: "the command") { place.has("done.txt") }
    #expect(!place.text("done.txt").contains("NOTIFY_SOCKET") && place.text("done.txt").contains("PATH="))
    #expect(!place.text("done.txt").contains("WATCHDOG"))
    running.send(SIGTERM)
    #expect(manager.notice(with: "STOPPING=1") != nil)
    #expect(!manager.received.contains { $0.contains("WATCHDOG") })
    _ = try running.end()
  }
}
