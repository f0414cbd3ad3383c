import Expectations
import Foundation
import TestScale
import TestSupport
import Testing

/// `flow run` where there is no room for what it writes.
@Suite(.timeLimit(.minutes(30))) struct RunFullDiskTests {
  static func pipeline(_ path: String) -> String {
    "name: p\nsources: { in: { file: in.jsonl } }\nsteps: []\nsinks: { log: { jsonl: \(path) } }\n"
  }

  @Test(
    "with a full disk it waits and says so; with room made it goes on, and every line is there once",
    .enabled(if: SmallDisk.isPossible, .init(rawValue: SmallDisk.missing)))
  func roomIsMade() throws {
    let lines = (1...100_000).map { "{\"n\":\($0)}" }
    let place = try Workplace(
      Self.pipeline("disk/log.jsonl"), input: lines.map { $0 + "\n" }.joined())
    let disk = try SmallDisk(at: place["disk"], bytes: 512 << 10)
    let running = try place.start()
    try running.waitForErrors(
      "log: error: disk/log.jsonl: cannot write: No space left on device; the pipeline waits")
    #expect(disk.resize(to: 8 << 20))
    let outcome = try running.end()
    expect(outcome.status, equals: 0)
    #expect(outcome.errors.contains("disk/log.jsonl can be written again"))
    expect(place.lines("disk/log.jsonl"), equals: lines)
  }

  @Test(
    "a stop while the disk is full takes no line, as a kill takes none: the next run writes them",
    .enabled(if: SmallDisk.isPossible, .init(rawValue: SmallDisk.missing)),
    arguments: [
      ("in.jsonl", "jsonl: disk/log.jsonl"), ("{ path: in.jsonl, follow: true }", "jsonl: disk/log.jsonl"),
      ("in.jsonl", "csv: { path: disk/log.jsonl, columns: { n: .n } }"),
    ])
  func stoppedFull(_ input: String, _ sink: String) throws {
    let numbers = 1...100_000
    let place = try Workplace(
      "name: p\nsources: { in: { file: \(input) } }\nsteps: []\nsinks: { log: { \(sink) } }\n",
      input: numbers.map { "{\"n\":\($0)}\n" }.joined())
    let disk = try SmallDisk(at: place["disk"], bytes: 512 << 10)
    let running = try place.start("--grace", "300ms")
    try running.waitForErrors("No space left on device; the pipeline waits")
    let (stopped, _) = try running.end(by: SIGTERM)
    #expect(
      stopped.errors.contains("could not be written before the end; the next run writes them"),
      "\(stopped.errors)")
    #expect(disk.resize(to: 8 << 20))
    let outcome = try place.run("--for", "3s")
    expect(outcome.status, equals: 0, "\(outcome.errors)")
    let isTable = sink.hasPrefix("csv")
    expect(
      place.lines("disk/log.jsonl"),
      equals: (isTable ? ["n"] : []) + numbers.map { isTable ? "\($0)" : "{\"n\":\($0)}" })
  }

  @Test(
    "a run that is started on a full disk waits, and goes on when there is room",
    .enabled(if: SmallDisk.isPossible, .init(rawValue: SmallDisk.missing)))
  func startedFull() throws {
    let place = try Workplace(Self.pipeline("log.jsonl"), input: "1\n2\n")
    let disk = try SmallDisk(at: place["disk"], bytes: 512 << 10)
    disk.fill()
    let running = try place.start("--state", "disk/st")
    try running.waitForErrors("the pipeline waits until the state can be written")
    #expect(place.lines("log.jsonl").isEmpty)
    disk.empty()
    let outcome = try running.end()
    #expect(outcome.status == 0 && outcome.errors.contains("the state can be written again"))
    expect(place.lines("log.jsonl"), equals: ["1", "2"])
  }

  @Test(
    "the write-ahead log of the state does not fill a small disk",
    .enabled(if: SmallDisk.isPossible, .init(rawValue: SmallDisk.missing)))
  func smallDisk() throws {
    let place = try Workplace(
      """
      name: p
      epoch: { events: 50, time: 20ms }
      sources: { in: { file: in.jsonl } }
      steps: [ { changes: { key: .k } } ]
      sinks: { n: { 'null': {} } }
      """,
      input: (1...20_000).map {
        "{\"k\":\($0 % 300),\"n\":\($0),\"pad\":\"\(String(repeating: "x", count: 300))\"}\n"
      }
      .joined())
    let disk = try SmallDisk(at: place["disk"], bytes: 2 << 20)
    let outcome = try place.run("--state", "\(disk.path)/st", "--for", "60s")
    expect(outcome, equals: Outcome(status: 0, output: "", errors: ""))
  }

  @Test("where there never is room, Ctrl-C ends it, and it says how much was lost")
  func neverRoom() throws {
    let place = try Workplace(Self.pipeline("/dev/full"), input: "1\n22\n")
    let running = try place.start("--grace", "300ms")
    try running.waitForErrors(
      "log: error: /dev/full: cannot write: No space left on device; the pipeline waits")
    let (outcome, seconds) = try running.end(by: SIGINT)
    #expect(outcome.status == 130 && seconds < 10)
    #expect(outcome.errors.contains("flow: error: not everything could be written in time\n"))
    #expect(outcome.errors.contains("; 5 bytes could not be written before the end"), "\(outcome.errors)")
  }

  @Test(
    "a file that may grow no larger is like a full disk, and no reason to be killed",
    .disabled(if: TestScale.isSanitized, "a sanitizer writes files of its own"))
  func limitedFile() throws {
    let place = try Workplace(
      Self.pipeline("log.jsonl"), input: (1...2000).map { "{\"n\":\($0)}\n" }.joined())
    let outcome = try place.shell(
      """
      (ulimit -f 8; exec env --default-signal=XFSZ "$0" run --no-state --grace 100ms p.yaml) & flow=$!
      until [ -s log.jsonl ]; do sleep 0.1; done
      sleep 0.5; kill -INT $flow; wait $flow
      """)
    #expect(outcome.errors.contains("log.jsonl: cannot write: File too large; the pipeline waits"))
    expect(outcome.status, equals: 130)
  }
}
