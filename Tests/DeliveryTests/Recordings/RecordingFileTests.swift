import Expectations
import Trials
import TestSupport
import JSON
import Engine
import Language
import Reactive
import Testing

@testable import Delivery
import System

@Suite struct RecordingFileTests {
  let folder: TemporaryFolder
  let told = Journal<String>()

  init() throws { folder = try TemporaryFolder() }

  private func file(_ disk: any Disk = SystemDisk()) -> RecordingFile {
    let log = NodeLog(log: Log { [told] in told.note($0.message) }, pipeline: "p", node: "in")
    return RecordingFile(folder["a/x.jsonl"], on: disk, log)
  }

  private func poll(_ at: Double, _ rows: Int...) -> RecordedPoll {
    RecordedPoll(at: at, .rows(rows.map { .number($0) }))
  }

  private func lines() throws -> [String] {
    try folder.text("a/x.jsonl").split(separator: "\n").map(String.init)
  }

  @Test("a line a poll, in a folder that is made; the next run goes on behind it")
  func lineByLine() throws {
    file().add(poll(0, 1, 2))
    file().add(RecordedPoll(at: 1, .error("no")))
    try expect(
      lines(),
      equals: [
        #"{"at":"1970-01-01T00:00:00Z","rows":[1,2]}"#, #"{"at":"1970-01-01T00:00:01Z","error":"no"}"#,
      ])
    expect(told.entries, equals: [])
  }

  @Test("by a clock that was set back, in this run or between two, the time stands still")
  func clock() throws {
    let first = file()
    first.add(poll(100, 1))
    first.add(poll(50, 2))
    file().add(poll(60, 3))
    file().add(poll(101, 4))
    try expect(lines().map { String($0.dropFirst(24).prefix(3)) }, equals: ["40Z", "40Z", "40Z", "41Z"])
  }

  @Test("the last time is found behind a line that was cut off, and before a long one")
  func lastTime() throws {
    let long = Value.string(String(repeating: "x", count: 200_000))
    file().add(RecordedPoll(at: 100, .rows([long])))
    try folder.append("a/x.jsonl", #"{"at":"1970-01-01T00:02"#)
    file(WatchedDisk()).add(poll(7, 1))
    try expect(lines().count, equals: 3)
    try expect(lines().last, equals: #"{"at":"1970-01-01T00:01:40Z","rows":[1]}"#)
  }

  @Test("where it cannot be written that is told once, as is that it can be again; lines are whole then")
  func fullDisk() throws {
    let disk = WatchedDisk(room: 50)
    let file = file(disk)
    for number in 0..<4 { file.add(poll(Double(number), number)) }
    #expect(told.entries.count == 1 && told.entries[0].contains("No space left on device"))
    disk.makeRoom(1000)
    file.add(poll(9, 9))
    #expect(told.entries.count == 2 && told.entries[1].contains("3 are missing"))
    try expect(lines().first, equals: #"{"at":"1970-01-01T00:00:00Z","rows":[0]}"#)
    try expect(lines().last, equals: #"{"at":"1970-01-01T00:00:09Z","rows":[9]}"#)
    try expect(lines().count, equals: 3, "the one that was cut off has a line of its own")
  }
}
