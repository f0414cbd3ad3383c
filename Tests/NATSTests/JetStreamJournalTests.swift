import Expectations
import JSON
import NATS
import Store
import System
import TestSupport
import Testing

@testable import Cluster

/// The journal on a real server; skipped without one.
@Suite(.serialized) struct JetStreamJournalTests {
  @Test("logs, images and leases on a real server", .realServer)
  func conformance() throws {
    let server = try NATSServer()
    var options = JetStreamJournal.Options(servers: [server.url], replicas: 1)
    options.leaseSeconds = 2
    let journal = try JetStreamJournal(options, stop: StopSign())
    try expectNil(journal.last(of: "a b.c"))
    #expect(try journal.read("a b.c", from: 1).isEmpty)
    let first = try journal.append([1], to: "a b.c", after: 0)
    let second = try journal.append([2], to: "a b.c", after: first)
    #expect(throws: JournalError.conflict) { try journal.append([3], to: "a b.c", after: first) }
    #expect(throws: JournalError.conflict) { try journal.append([3], to: "a b.c", after: 0) }
    try expect(journal.append([9], to: "other", after: 0), equals: second + 1)
    try expect(journal.last(of: "a b.c"), equals: JournalRecord(sequence: second, bytes: [2]))
    try expect(journal.read("a b.c", from: 1).map(\.bytes), equals: [[1], [2]])
    var last = second
    for number in 0..<700 { last = try journal.append([UInt8(number & 255)], to: "a b.c", after: last) }
    var (next, count) = (UInt64(1), 0)
    while case let records = try journal.read("a b.c", from: next), let end = records.last {
      (next, count) = (end.sequence + 1, count + records.count)
    }
    expect(count, equals: 702)
    try journal.purge("a b.c", before: last)
    try expect(journal.read("a b.c", from: 1).map(\.sequence), equals: [last])
    #expect(throws: JournalError.conflict) { try journal.append([3], to: "a b.c", after: 0) }
    // An image of several messages.
    let image = (0..<2_500_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    try journal.store(image, of: "a b.c", id: "1-2-host.4#1")
    try expect(journal.image(of: "a b.c", id: "1-2-host.4#1"), equals: image)
    try expectNil(journal.image(of: "a b.c", id: "1-3-host.4#1"))
    try journal.removeImage(of: "a b.c", id: "1-2-host.4#1")
    try expectNil(journal.image(of: "a b.c", id: "1-2-host.4#1"))
    // Leases.
    try journal.renewLease(of: "host/1", Array("{}".utf8))
    try journal.renewLease(of: "host/2", [])
    try expect(journal.workers().map(\.name), equals: ["host/1", "host/2"])
    try expect(journal.report(of: "host/1"), equals: Array("{}".utf8))
    try journal.requestLeave(of: "host/1")
    try expect(journal.workers().map(\.isLeaving), equals: [true, false])
    try journal.noteFullDisk(of: "host/2")
    try expect(journal.workers().map(\.isFull), equals: [false, true])
    try journal.endLease(of: "host/2")
    try expect(journal.workers(), equals: [WorkerLease(name: "host/1", isLeaving: true)])
    // Shared records.
    try expectNil(journal.shared("a.b"))
    let record = try journal.share([1], as: "a.b", after: 0)
    #expect(throws: JournalError.conflict) { try journal.share([2], as: "a.b", after: 0) }
    let newer = try journal.share([2], as: "a.b", after: record)
    try expect(journal.shared("a.b"), equals: JournalRecord(sequence: newer, bytes: [2]))
    let stop = StopSign()
    for _ in 0..<60 where try !journal.workers().isEmpty { _ = stop.wait(seconds: 0.1) }
    #expect(try journal.workers().isEmpty)
    // The streams are there already, and the server comes back.
    _ = try JetStreamJournal(options, stop: stop)
    server.kill()
    do {
      _ = try journal.append([4], to: "a b.c", after: last)
      Issue.record("appended without a server")
    } catch {
      guard case .inDoubt = error else { throw error }
    }
    try server.start()
    var appended: UInt64?
    for _ in 0..<100 where appended == nil {
      appended = try? journal.append([4], to: "a b.c", after: last)
      if appended == nil { _ = stop.wait(seconds: 0.1) }
    }
    #expect(try appended != nil && journal.last(of: "a b.c")?.bytes == [4])
  }

  @Test("a stream that is full refuses, and loses nothing", .realServer)
  func full() throws {
    let server = try NATSServer()
    var options = JetStreamJournal.Options(servers: [server.url], replicas: 1)
    options.bytes = 100_000
    let journal = try JetStreamJournal(options, stop: StopSign())
    var last: UInt64 = 0
    var failure: JournalError?
    for _ in 0..<20 where failure == nil {
      do { last = try journal.append([UInt8](repeating: 1, count: 10_000), to: "t", after: last) } catch {
        failure = error
      }
    }
    expect(failure, equals: .full)
    try journal.purge("t", before: last)
    #expect(try journal.append([1], to: "t", after: last) > last)
  }

  @Test("packs of a stream that was made again are not removed by a sequence of the former one", .realServer)
  func replacedPacks() throws {
    let server = try NATSServer()
    func journal() throws -> JetStreamJournal {
      try JetStreamJournal(.init(servers: [server.url], replicas: 1), stop: StopSign())
    }
    let former = try #require(try journal().packsCreated())
    let client = try JetStreamClient(NATSSettings(servers: [server.url], name: "test"), StopSign())
    _ = try client.json("$JS.API.STREAM.DELETE.\(JetStreamJournal.packs)")
    let present = try journal()
    for pack in 0..<3 { try present.store(pack: [UInt8(pack)], of: "p", task: 0) }
    for created in [former, ""] {
      try present.purgePacks(of: "p", task: 0, before: 501, ofStream: created)
      try expect(present.packs(of: "p"), equals: [[0], [1], [2]])
    }
    let created = try #require(try present.packsCreated())
    try present.purgePacks(of: "p", task: 0, before: 3, ofStream: created)
    try expect(present.packs(of: "p"), equals: [[2]])
  }
}
