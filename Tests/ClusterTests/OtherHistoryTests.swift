import Expectations
import Foundation
import Reactive
import SimulatedJournal
import Store
import TestSupport
import Testing

@testable import Cluster

/// Machines with states of a history that the servers have not, or not any more.
///
/// A state is numbers, of which each transaction adds one.
@Suite struct OtherHistoryTests {
  /// The faults of the next changes of the journal.
  private final class Faults: Sendable {
    private let next = Locked<[MemoryJournal.Fault?]>([])

    var count: Int { next.withLock(\.count) }
    func add(_ faults: [MemoryJournal.Fault?]) { next.withLock { $0 += faults } }
    func take() -> MemoryJournal.Fault? { next.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
  }

  private let faults = Faults()
  private let journal: MemoryJournal
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    journal = MemoryJournal(now: { 0 }, fault: { [faults] isRead in isRead ? nil : faults.take() })
  }

  private func open(_ machine: String, _ takeover: Int, imageBytes: Int = 1 << 20) throws -> (
    StateFile, CommitLog
  ) {
    var options = CommitLog.Options(pause: { _ in false })
    options.imageBytes = imageBytes
    let taking = LogTakeover(journal, of: "t", options)
    guard
      case .taken(let log) = try taking.take(writer: "\(machine)#\(takeover)", digest: "d", newLog: "l")
    else { throw StoreError("t", .refused, "not taken") }
    return (try taking.open(log, path: folder["\(machine).db"], StateFile.Options()), log)
  }

  /// Takes it over on a machine and commits numbers; returns the event of its opening.
  @discardableResult
  private func run(
    _ machine: String, _ takeover: Int, _ numbers: [UInt8], imageBytes: Int = 1 << 20,
    after: (UInt8) -> Void = { _ in }
  ) throws -> AssignmentEvent? {
    let (state, log) = try open(machine, takeover, imageBytes: imageBytes)
    let table = try state.table(node: "n", description: ".")
    for number in numbers {
      table.set([number], for: [number])
      try state.commit { _ in }
      after(number)
    }
    log.release()
    return log.finding
  }

  private func numbers(_ machine: String) throws -> [UInt8] {
    try StateReader(path: folder["\(machine).db"]).keys(of: "n").flatMap(\.key)
  }

  private func inode(_ machine: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: folder["\(machine).db"])[.systemFileNumber] as? Int
  }

  @Test(
    "a machine that returns with what the servers have lost, while another has gone on, gets the log's state",
    arguments: [[4], [4, 5], [4, 5, 6], [4, 5, 6, 7]] as [[UInt8]], [0, 1 << 20])
  func parted(others: [UInt8], imageBytes: Int) throws {
    try run("a", 1, [1, 2, 3], imageBytes: imageBytes)
    let older = journal.disks
    try run("a", 2, [14, 15], imageBytes: imageBytes)
    journal.disks = older
    try run("b", 1, others, imageBytes: imageBytes)
    let event = try run("a", 3, [20], imageBytes: imageBytes)
    expect(try numbers("a"), equals: [1, 2, 3] + others + [20])
    // Where an image has replaced it anyway nothing is known of its history.
    if imageBytes > 0 || others.count <= 2 {
      expect(event, equals: .replaced(of: 5, by: Int64(3 + others.count)))
    }
    let rebuilt = try run("b", 2, [])
    expectNil(rebuilt)
    try expect(numbers("b"), equals: numbers("a"))
  }

  @Test(
    "what only a machine has is stored again, and all others have it then", arguments: [0, 1 << 20],
    [0, 3] as [UInt8])
  func repaired(imageBytes: Int, lost: UInt8) throws {
    try run("a", 1, [1], imageBytes: imageBytes)
    var older = journal.disks
    try run("a", 2, [2, 3, 4, 5], imageBytes: imageBytes) { if $0 == lost { older = journal.disks } }
    journal.disks = older
    let event = try run("a", 3, [], imageBytes: imageBytes)
    guard case .repaired? = event else {
      Issue.record("\(String(describing: event))")
      return
    }
    // It has the image that it has stored itself, and goes on with its file.
    let before = try inode("a")
    expectNil(try run("a", 4, [6]))
    expect(try inode("a"), equals: before)
    expectNil(try run("b", 1, [7]))
    expect(try numbers("b"), equals: [1, 2, 3, 4, 5, 6, 7])
  }

  @Test(
    "a machine that was away goes on with its file where its history is the log's",
    arguments: [[4], []] as [[UInt8]])
  func prefix(others: [UInt8]) throws {
    try run("a", 1, [1, 2, 3])
    let before = try inode("a")
    try run("b", 1, others)
    expectNil(try run("a", 2, [9]))
    expect(try numbers("a"), equals: [1, 2, 3] + others + [9])
    expect(try inode("a"), equals: before)
  }

  @Test("a file goes on after many takeovers elsewhere")
  func many() throws {
    try run("a", 1, [1])
    let before = try inode("a")
    for takeover in 1...40 { try run("b", takeover, [UInt8(takeover + 1)]) }
    expectNil(try run("a", 2, [50]))
    expect(try numbers("a"), equals: (1...41) + [50])
    expect(try inode("a"), equals: before)
  }

  @Test(
    "what one machine has stored again, another with more of the same history continues",
    arguments: [0, 1 << 20])
  func repairedTwice(imageBytes: Int) throws {
    var older = journal.disks
    try run("a", 1, [1, 2, 3, 4, 5], imageBytes: imageBytes) { if $0 == 3 { older = journal.disks } }
    try run("b", 1, [6, 7], imageBytes: imageBytes)
    journal.disks = older
    for (machine, first, last) in [("a", 4, 5), ("b", 6, 7)] {
      let event = try run(machine, 2, [], imageBytes: imageBytes)
      guard case .repaired(let loss)? = event else {
        Issue.record("\(machine): \(String(describing: event))")
        return
      }
      expect([loss.first, loss.last], equals: [Int64(first), Int64(last)])
    }
    expectNil(try run("a", 3, [8]))
    expect(try numbers("a"), equals: [1, 2, 3, 4, 5, 6, 7, 8])
  }

  @Test("a repair that was interrupted is made by the next attempt", arguments: 0..<3)
  func interrupted(call: Int) throws {
    try run("a", 1, [1])
    let older = journal.disks
    try run("a", 2, [2, 3])
    journal.disks = older
    let taking = LogTakeover(journal, of: "t", CommitLog.Options(pause: { _ in false }))
    guard case .taken(let log) = try taking.take(writer: "a#3", digest: "d", newLog: "l") else {
      Issue.record("not taken")
      return
    }
    faults.add(Array(repeating: nil, count: call) + [.full])
    let error = #expect(throws: StoreError.self) {
      try taking.open(log, path: folder["a.db"], StateFile.Options())
    }
    expect(error?.kind, equals: .unavailable)
    expect(faults.count, equals: 0)
    _ = try taking.open(log, path: folder["a.db"], StateFile.Options())
    expect(log.place.ordinal, equals: 3)
    log.release()
    expectNil(try run("b", 1, [4]))
    expect(try numbers("b"), equals: [1, 2, 3, 4])
  }

  @Test("the log of a backup replaces the states that machines have of the former one")
  func backup() throws {
    try run("a", 1, [1, 2, 3])
    let (copy, image) = try #require(try AssignmentCopy.read("t", from: journal, scratch: folder["s.db"]))
    try run("a", 2, [4])
    journal.disks = MemoryJournal(now: { 0 }).disks
    try copy.restore(
      image, into: journal, CommitLog.Options(pause: { _ in false }), scratch: folder["s.db"], log: "new")
    expect(try run("a", 3, [5]), equals: .replaced(of: 4, by: 3))
    expect(try numbers("a"), equals: [1, 2, 3, 5])
    expectNil(try run("b", 1, []))
    expect(try numbers("b"), equals: [1, 2, 3, 5])
  }
}
