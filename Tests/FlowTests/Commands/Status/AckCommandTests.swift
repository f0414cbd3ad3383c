import Expectations
import Foundation
import Testing

@testable import flow

/// `flow ack` against real processes.
@Suite("flow ack", .timeLimit(.minutes(30)))
struct AckCommandTests {
  private static let pipeline = """
    name: alarm
    sources: { disks: { file: { path: in.jsonl, follow: true } } }
    sinks:
      tell:
        notify:
          title: 'disk \\(.disk) is full'
          key: '\\(.disk)'
          until: acknowledged
          repeat: 100ms
          command: [sh, -c, 'echo "$0" >> told']
    """

  /// How often a disk was reported.
  private func count(_ disk: String, _ place: Workplace) -> Int {
    place.lines("told").count { $0 == "disk \(disk) is full" }
  }

  @Test(
    "a notification is repeated, over kill -9 too, until its key is acknowledged; that holds in the next run")
  func acknowledged() throws {
    let place = try Workplace(Self.pipeline)
    try place.write("in.jsonl", "{\"disk\":\"sda\"}\n{\"disk\":\"sdb\"}\n")
    let first = try place.start()
    try first.wait(for: "repetitions") { count("sda", place) >= 2 && count("sdb", place) >= 2 }
    _ = try first.end(by: SIGKILL)
    let (before, second) = (count("sda", place), try place.start())
    try second.wait(for: "more repetitions") { count("sda", place) >= before + 2 }
    let list = try place.flow("ack")
    expect(list.status, equals: 0)
    #expect(list.output.contains("sda  alarm/tell  since ") && list.output.contains("disk sdb is full"))

    let unknown = try place.flow("ack", "sdx")
    expect(unknown.status, equals: 1)
    #expect(unknown.errors.contains("nothing with the key “sdx” is repeated; did you mean “sd"))
    let ack = try place.flow("ack", "sda")
    #expect(ack.status == 0 && ack.output == "acknowledged sda (alarm/tell)\n", "\(ack)")
    // The commit of the acknowledgement has come before the answer.
    _ = try second.end(by: SIGKILL)

    let third = try place.start()
    /// Waits for four of the other key; returns how many have come of the one that was acknowledged.
    func waitForOther() throws -> Int {
      let (sda, sdb) = (count("sda", place), count("sdb", place))
      try third.wait(for: "the other one") { count("sdb", place) >= sdb + 4 }
      return count("sda", place) - sda
    }
    // What was on its way before the acknowledgement may still come: on a busy machine that is a queue.
    _ = try (0..<5).first { _ in try waitForOther() == 0 }
    try expect(waitForOther(), equals: 0)
    #expect(try !place.flow("ack").output.contains("sda"))
    try expect(place.flow("ack", "--all").output, equals: "acknowledged sdb (alarm/tell)\n")
    try expect(place.flow("ack").errors, equals: "nothing waits to be acknowledged\n")
    try expect(third.end(by: SIGTERM).outcome.status, equals: 0)
  }

  @Test("all keys are acknowledged at once, however long they are")
  func longKeys() throws {
    let place = try Workplace(Self.pipeline)
    let name = String(repeating: "x", count: 10_000)
    try place.write("in.jsonl", (1...9).map { "{\"disk\":\"\($0)\(name)\"}\n" }.joined())
    let run = try place.start()
    try run.waitForLines(9, in: "told")
    let ack = try place.flow("ack", "--all")
    #expect(ack.status == 0 && ack.output.split(separator: "\n").count == 9, "\(ack.errors)")
    try expect(place.flow("ack").errors, equals: "nothing waits to be acknowledged\n")
    try expect(run.end(by: SIGTERM).outcome.status, equals: 0)
  }

  @Test("the page of the sink lists what is repeated, and acknowledges it")
  func page() throws {
    let place = try Workplace(Self.pipeline)
    try place.write("in.jsonl", "{\"disk\":\"sda\"}\n{\"disk\":\"sdb\"}\n")
    let run = try place.start("--page=unix:page.sock")
    try run.wait(for: "repetitions") { count("sda", place) >= 2 && count("sdb", place) >= 2 }
    let address = "--unix-socket page.sock http://localhost/p/alarm/tell"
    #expect(try place.shell("curl -s \(address)").output.contains("Acknowledge sda"))
    func acknowledge(_ key: String) throws -> String {
      try place.shell("curl -s -o /dev/null -w '%{http_code}' -d 'key=\(key)' \(address)").output
    }
    try expect(acknowledge("sda"), equals: "303")
    try expect(acknowledge("sda"), equals: "409")
    let page = try place.shell("curl -s \(address)").output
    #expect(page.contains("Acknowledge sdb") && !page.contains("Acknowledge sda"))
    #expect(
      try place.flow("ack").output.contains("sdb  alarm/tell") && !place.flow("ack").output.contains("sda"))
    try expect(run.end(by: SIGTERM).outcome.status, equals: 0)
  }

  @Test("a pipeline that is busy is named, since it has not said that nothing is repeated")
  func late() throws {
    let place = try Workplace(
      Self.pipeline.replacing(
        "sinks:",
        with:
          "steps: [{ map: 'if .disk == \"slow\" then reduce range(1e9) as $i (0; . + $i) else . end' }]\nsinks:"
      ))
    try place.write("in.jsonl", "{\"disk\":\"sda\"}\n")
    let run = try place.start()
    try run.wait(for: "a notification") { count("sda", place) >= 1 }
    // Each takes the steps that an event may have: about a second.
    try place.append("in.jsonl", String(repeating: "{\"disk\":\"slow\"}\n", count: 40))
    var seen = try place.flow("ack")
    try run.wait(for: "the lane to be busy") {
      seen = (try? place.flow("ack")) ?? seen
      return seen.status != 0
    }
    #expect(seen.status == 1 && seen.output.isEmpty, "\(seen)")
    #expect(seen.errors.hasPrefix("flow: alarm did not answer in time; it is busy"), "\(seen)")
    let all = try place.flow("ack", "--all")
    #expect(all.status == 1 && !all.errors.contains("nothing waits"), "\(all)")
    _ = try run.end(by: SIGKILL)
  }

  @Test("without a run there is nothing to acknowledge, and the message says so")
  func nothing() throws {
    let place = try Workplace(Self.pipeline)
    let list = try place.flow("ack")
    #expect(list.status == 0 && list.errors.hasPrefix("no pipeline runs with state in "))
    try expect(place.flow("ack", "x").status, equals: 1)
    try expect(place.flow("ack", "--all", "x").status, equals: 2)
  }
}
