import Expectations
import Foundation
import JSON
import SimulatedJournal
import Store
import System
import TestSupport
import Testing

@testable import Cluster

/// What every version that was released has left on the servers: this one reads it, and goes on behind it.
///
/// `Released/VERSION.json` has a log with an image and deltas on both sides of it, and a report, as that version wrote
/// them. With FLOW_RECORD_FORMATS=VERSION the file of the present version is written.
@Suite struct ReleasedFormatsTests {
  private static let folder = URL(fileURLWithPath: #filePath).appending(path: "../Released").standardized
  static let versions = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    .filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()

  private let place: TemporaryFolder

  init() throws { place = try TemporaryFolder() }

  private func options() -> CommitLog.Options {
    var options = CommitLog.Options(pause: { _ in false })
    options.imageBytes = 1000
    return options
  }

  /// Takes the log over, commits a key for each number, and releases it.
  private func run(_ journal: MemoryJournal, _ numbers: ClosedRange<Int>, large: Int? = nil) throws {
    let takeover = LogTakeover(journal, of: "t", options())
    guard
      case .taken(let log) = try takeover.take(writer: "w\(numbers.lowerBound)#1", digest: "d", newLog: "l")
    else { throw StoreError("t", .refused, "not taken") }
    let state = try takeover.open(log, path: place["run.db"], StateFile.Options())
    let table = try state.table(node: "n", description: ".")
    for number in numbers {
      // Behind the large one an image is taken.
      table.set(
        Array(repeating: UInt8(number), count: number == large ? 2000 : 10), for: Array("\(number)".utf8))
      try state.commit { epoch throws(StoreError) in
        try epoch.set(.text("id"), owner: "pipeline", name: "life")
      }
    }
    log.release()
  }

  private func text(_ bytes: [UInt8]) -> Value {
    .string(String(decoding: Radix.base64.encode(bytes), as: UTF8.self))
  }

  private func bytes(_ value: Value?) throws -> [UInt8] {
    guard case .bytes(let bytes) = Radix.base64.decode(value?.textBytes ?? []) else {
      throw StoreError("t", .corrupt, "no base64")
    }
    return bytes
  }

  private var report: WorkerReport {
    var task = WorkerReport.Task(name: "t", phase: .running)
    (task.generation, task.commits, task.backlog, task.from) = (2, 5, 7, "web-1")
    return WorkerReport(version: "1", tasks: [task])
  }

  @Test("a file of the present version is written on request")
  func record() throws {
    guard let version = ProcessInfo.processInfo.environment["FLOW_RECORD_FORMATS"] else { return }
    let journal = MemoryJournal(now: { 0 })
    try run(journal, 1...4, large: 3)
    let records = try journal.read("t", from: 1)
    let ids = records.compactMap { record -> String? in
      if case .image(let id)? = CommitRecord(record.bytes)?.kind { id } else { nil }
    }
    let id = try #require(ids.last)
    let image = try #require(try journal.image(of: "t", id: id))
    let value = Value.record([
      ("records", .array(records.map { text($0.bytes) })), ("image", .string(id)), ("state", text(image)),
      ("report", report.jsonValue),
    ])
    try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
    try Data(value.json + [0x0a]).write(to: Self.folder.appending(path: "\(version).json"))
  }

  @Test("a log, its image and a report of a released version", arguments: versions)
  func read(_ version: String) throws {
    let file = try Value.parse(Array(Data(contentsOf: Self.folder.appending(path: "\(version).json"))))
    let journal = MemoryJournal(now: { 0 })
    try journal.store(bytes(file.member("state")), of: "t", id: file.member("image")?.string ?? "")
    var last: UInt64 = 0
    for record in file.member("records")?.items ?? [] {
      last = try journal.append(bytes(record), to: "t", after: last)
    }
    try run(journal, 5...5)
    let (copy, image) = try #require(try AssignmentCopy.read("t", from: journal, scratch: place["s.db"]))
    expect(copy.ordinal, equals: 5)
    try StateReplica.install(image, at: place["view.db"])
    let keys = try StateReader(path: place["view.db"]).keys(of: "n")
    expect(keys.map { String(decoding: $0.key, as: UTF8.self) }, equals: (1...5).map { "\($0)" })
    expect(keys.map(\.value.count), equals: [10, 10, 2000, 10, 10])
    expect(WorkerReport(jsonValue: file.member("report") ?? .null), equals: report)
  }

  @Test("there is one for 0.3.0, the first with backups")
  func first() { #expect(Self.versions.contains("0.3.0")) }
}
