import Expectations
import Foundation
import TestSupport
import Testing

@testable import Store

@Suite struct WebFileTests {
  let folder: Folder
  init() throws { folder = try Folder() }

  func open() throws -> WebFile { try WebFile(path: folder.file) }

  func answer(_ size: Int, at checked: Double = 0) -> CachedResponse {
    CachedResponse(checked: checked, headers: bytes("etag: a"), body: [UInt8](repeating: 7, count: size))
  }

  @Test("an answer comes back as it was kept, to another process too")
  func kept() throws {
    let mine = try open()
    let theirs = try open()
    let whole = answer(1000, at: 12.5)
    try mine.store(whole, bytes("a"), url: "https://a.org/", limit: 1 << 20)
    try expect(theirs.response(bytes("a")), equals: whole)
    try expectNil(theirs.response(bytes("b")))
    try theirs.revalidate(bytes("a"), at: 99)
    try expect(mine.response(bytes("a"))?.checked, equals: 99)
    let empty = CachedResponse(checked: 1, body: [])
    try mine.store(empty, bytes("a"), url: "https://a.org/", limit: 1 << 20)
    try expect(theirs.response(bytes("a")), equals: empty)
    try theirs.removeResponse(bytes("a"))
    try expectNil(mine.response(bytes("a")))
  }

  @Test("the oldest answers go when there is no more room, and what is too large is not kept")
  func bounded() throws {
    let file = try open()
    for number in 0..<50 {
      // Every third is confirmed again and again, so it never is the oldest.
      try file.store(answer(100, at: Double(number)), bytes("\(number)"), url: "", limit: 1000)
      for known in stride(from: 0, to: min(number, 9), by: 3) {
        try file.revalidate(bytes("\(known)"), at: Double(number))
      }
      #expect(try file.cacheSize().bytes <= 1000)
    }
    try expect(file.cacheSize().count, equals: 10)
    let there = try (0..<50).filter { try file.response(bytes("\($0)")) != nil }
    expect(there, equals: [0, 3, 6] + Array(43..<50))
    try file.store(answer(251), bytes("49"), url: "", limit: 1000)
    try expectNil(file.response(bytes("49")))
    try expect(file.cacheSize().count, equals: 9)
  }

  @Test("one in memory has room for 32 MiB, whatever its user allows")
  func boundedInMemory() throws {
    let file = try WebFile()
    for number in 0..<40 {
      try file.store(answer(1 << 20, at: Double(number)), bytes("\(number)"), url: "", limit: 256 << 20)
    }
    try expect(file.cacheSize().bytes, equals: 32 << 20)
    try expectNil(file.response(bytes("7")))
    #expect(try file.response(bytes("8")) != nil)
  }

  @Test("spending is recorded, moved, refunded, and removed when no window reaches back that far")
  func spending() throws {
    let file = try open()
    let first = try file.spend(at: "a.org", now: 10)
    let second = try file.spend(2, at: "a.org", now: 20)
    try file.spend(at: "b.org", now: 15)
    try file.settle(first, now: 12)
    try file.settle(second, now: 5)
    try expect(file.site("a.org").spending, equals: [.init(at: 12), .init(at: 20, count: 2)])
    try file.refund(first)
    try expect(file.site("a.org").spending, equals: [.init(at: 20, count: 2)])
    try file.keepSpending("a.org", seconds: 100)
    try file.keepSpending("a.org", seconds: 50)
    try file.removeOldSpending("a.org", file.site("a.org"), now: 119)
    try expect(file.site("a.org").spending.count, equals: 1)
    try file.removeOldSpending("a.org", file.site("a.org"), now: 120)
    try expect(file.site("a.org").spending, equals: [])
    try expect(file.site("b.org").spending.count, equals: 1)
  }

  @Test("what seems to be spent in the future, by a clock that was set back, is spent now")
  func setBack() throws {
    let file = try open()
    try file.spend(at: "a.org", now: 1000)
    try file.keepSpending("a.org", seconds: 3600)
    #expect(try !file.correct("a.org", file.site("a.org"), now: 997))
    try expect(file.site("a.org").spending, equals: [.init(at: 1000)])
    #expect(try file.correct("a.org", file.site("a.org"), now: 500))
    try expect(file.site("a.org").spending, equals: [.init(at: 500)])
  }

  @Test("of two times to leave a site alone the later counts, of two limits the last")
  func sites() throws {
    let file = try open()
    for time in [100.0, 300, 200] { try file.block("a.org", until: time, longest: 1000) }
    try file.learn(30, of: "a.org", now: 1)
    try file.learn(40, of: "a.org", now: 2)
    let record = try file.site("a.org")
    expect(record.blockedUntil, equals: 300)
    expect(record.learned, equals: .init(40, at: 2))
    try expect(file.site("b.org"), equals: SiteRecord())
  }

  @Test(
    "its write-ahead log does not fill a small disk",
    .enabled(if: SmallDisk.isPossible, .init(rawValue: SmallDisk.missing)))
  func smallDisk() throws {
    let disk = try SmallDisk(bytes: 4 << 20)
    let file = try WebFile(path: disk.path + "/http.db")
    // Each of sixty responses of 20 kB forty times: 1.2 MB of data, and 48 MB written.
    for round in 0..<40 {
      for number in 0..<60 {
        try file.store(answer(20_000, at: Double(round)), bytes("\(number)"), url: "", limit: 100 << 20)
      }
      try file.revalidate(bytes("0"), at: Double(round))
    }
    try expect(file.cacheSize().count, equals: 60)
    let log = try FileManager.default.attributesOfItem(atPath: disk.path + "/http.db-wal")[.size] as? Int
    #expect(try #require(log) < 2 << 20)
  }

  @Test(
    "on a full disk it can be written again once a checkpoint has made room",
    .enabled(if: SmallDisk.isPossible, .init(rawValue: SmallDisk.missing)))
  func fullDisk() throws {
    let disk = try SmallDisk(bytes: 4 << 20)
    let file = try WebFile(path: disk.path + "/http.db")
    for number in 0..<20 { try file.store(answer(20_000), bytes("\(number)"), url: "", limit: 100 << 20) }
    // The log has the pages, and the file takes less room than the log gives back.
    disk.fill()
    let failed = failure {
      for number in 0..<200 { try file.store(answer(20_000), bytes("\(number)"), url: "", limit: 100 << 20) }
    }
    expect(failed?.isFull, equals: true)
    disk.empty()
    for number in 0..<40 { try file.store(answer(20_000), bytes("\(number)"), url: "", limit: 100 << 20) }
    #expect(try file.response(bytes("39")) != nil)
  }

  @Test("a damaged file is renamed and replaced by an empty one")
  func damaged() throws {
    try folder.write(bytes("not a database, of no length that one has"))
    let file = try open()
    expect(file.setAside, equals: folder.file + ".corrupt-1")
    try file.spend(at: "a.org", now: 1)
    #expect(try folder.read("p.db.corrupt-1").starts(with: bytes("not a database")))
  }

  @Test("a pipeline's state is not taken for it, nor the other way round")
  func foreign() throws {
    do { try folder.open().commit { _ in } }
    let failed = failure { _ = try open() }
    expect(failed?.kind, equals: .foreign)
    expect(failed?.reason, equals: "a database of another program, not flow's web file")
    let other = try Folder()
    do { _ = try WebFile(path: other.file) }
    expect(failure { _ = try other.open() }?.kind, equals: .foreign)
  }

  @Test("many may open it first at the same time")
  func race() throws {
    let path = folder.file
    let failures = ManyTimes.atOnce(16) { number in
      let file = try WebFile(path: path)
      for _ in 0..<20 { try file.spend(at: "a.org", now: Double(number)) }
    }
    expect(failures, equals: [])
    try expect(open().site("a.org").spending.count, equals: 320)
  }

  @Test("one without a file is as good, for as long as it lives")
  func inMemory() throws {
    let file = try WebFile()
    try file.store(answer(10), bytes("a"), url: "", limit: 1000)
    #expect(try file.response(bytes("a")) != nil)
    try expectNil(WebFile().response(bytes("a")))
    let number = try file.transaction { () throws(StoreError) in try file.spend(at: "a.org", now: 1) }
    try expect(file.site("a.org").spending, equals: [.init(at: 1)])
    try file.refund(number)
    #expect(try file.site("a.org").spending.isEmpty)
  }
}

private enum ManyTimes {
  /// Runs `body` on as many threads; what failed.
  static func atOnce(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) -> [String] {
    let lock = NSLock()
    nonisolated(unsafe) var failures: [String] = []
    DispatchQueue.concurrentPerform(iterations: count) { number in
      do { try body(number) } catch { lock.withLock { failures.append("\(error)") } }
    }
    return failures
  }
}
