import Expectations
import Reactive
import SimulatedJournal
import Store
import Testing

@testable import Cluster

/// The budgets of sites in a journal.
@Suite struct JournalSitesTests {
  @Test("a record is replaced where it is the one that was read, and what is in doubt counts as not done")
  func replace() throws {
    let fault = Locked<MemoryJournal.Fault?>(nil)
    let journal = MemoryJournal(now: { 0 }) { isRead in isRead ? nil : fault.withLock { $0 } }
    let sites = JournalSites()
    #expect(throws: StoreError.self) { try sites.record(of: "a.org") }
    sites.use(journal)
    let none = try sites.record(of: "a.org")
    #expect(none.bytes == nil && none.version == 0)
    #expect(try sites.replace("a.org", with: [1], version: 0))
    #expect(try !sites.replace("a.org", with: [2], version: 0))
    let first = try sites.record(of: "a.org")
    expect(first.bytes, equals: [1])
    fault.withLock { $0 = .lostAnswer }
    #expect(try !sites.replace("a.org", with: [3], version: first.version))
    try expect(sites.record(of: "a.org").bytes, equals: [3])
    fault.withLock { $0 = .unavailable }
    let version = try sites.record(of: "a.org").version
    #expect(throws: StoreError.self) { try sites.replace("a.org", with: [4], version: version) }
    try expectNil(sites.record(of: "b.org").bytes)
  }
}
