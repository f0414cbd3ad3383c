import Expectations
import Foundation
import Reactive
import Store
import TestScale
import Testing

@testable import Fetch

/// Machines that pay from one budget, over records whose readings are stale and whose answers get lost.
@Suite struct SharedBudgetTests {
  /// Records that several machines share, with faults.
  private final class Records: SharedSites {
    private struct State {
      var record: (bytes: [UInt8]?, version: UInt64) = (nil, 0)
      var former: (bytes: [UInt8]?, version: UInt64) = (nil, 0)
      var dice: SplitMix64
      var isAway = false
      var replaced = 0
    }

    private let state: Locked<State>
    private let faults: Int

    init(seed: UInt64, faults: Int) {
      state = Locked(State(dice: SplitMix64(seed: seed)))
      self.faults = faults
    }

    var bytes: [UInt8]? { state.withLock { $0.record.bytes } }
    var replacements: Int { state.withLock { $0.replaced } }
    func goAway(_ isAway: Bool) { state.withLock { $0.isAway = isAway } }

    func record(of site: String) throws(StoreError) -> (bytes: [UInt8]?, version: UInt64) {
      let found = state.withLock { state -> (bytes: [UInt8]?, version: UInt64)? in
        if state.isAway { return nil }
        return Int.random(in: 0..<100, using: &state.dice) < faults ? state.former : state.record
      }
      guard let found else { throw StoreError("records", .full, "no server answers") }
      return found
    }

    func replace(_ site: String, with bytes: [UInt8], version: UInt64) throws(StoreError) -> Bool {
      let done = state.withLock { state -> Bool? in
        if state.isAway { return nil }
        guard state.record.version == version else { return false }
        state.former = state.record
        state.record = (bytes, version + 1)
        state.replaced += 1
        // It has happened, without an answer.
        return Int.random(in: 0..<100, using: &state.dice) >= faults
      }
      guard let done else { throw StoreError("records", .full, "no server answers") }
      return done
    }
  }

  private func client(_ records: Records) throws -> Client {
    var options = Client.Options()
    options.sharedSites = records
    let clock = VirtualScheduler()
    let script = Script(on: clock) { _, _ in (.answer("1"), .zero) }
    return Client(script, file: try WebFile(), on: clock, wallClock: { 0 }, options)
  }

  @Test(
    "machines that share a budget never exceed it together, and spend nearly all of it", arguments: [0, 20])
  func together(faults: Int) throws {
    for seed in 0..<UInt64(TestScale.count(4)) {
      let records = Records(seed: seed, faults: faults)
      let budget = SiteBudget([.init(40, per: .seconds(3600))])
      let paid = Locked<[Double]>([])
      let clients = try (0..<3).map { _ in try client(records) }
      DispatchQueue.concurrentPerform(iterations: clients.count) { machine in
        for number in 0..<30 {
          let now = 1_800_000_000 + Double(number)
          let payment = try? clients[machine].transact("a.org") { file throws(StoreError) in
            try file.pay("a.org", budget, now: now)
          }
          guard case .paid(let spending?) = payment else { continue }
          paid.withLock { $0.append(now) }
          // One in three never reaches the site, and is refunded by its number.
          if number % 3 == 0 {
            paid.withLock { _ = $0.popLast() }
            try? clients[machine].transact("a.org") { file throws(StoreError) in try file.refund(spending) }
          }
        }
      }
      let count = paid.withLock(\.count)
      #expect(count <= 40, "seed \(seed)")
      // A payment whose answer was lost is paid again.
      #expect(count >= (faults == 0 ? 40 : 20), "seed \(seed)")
    }
  }

  @Test("without the records there is no request to a site with a budget")
  func away() throws {
    let records = Records(seed: 1, faults: 0)
    let client = try client(records)
    records.goAway(true)
    #expect(throws: StoreError.self) {
      try client.transact("a.org") { file throws(StoreError) in
        try file.pay("a.org", SiteBudget([.init(1, per: .seconds(60))]), now: 5)
      }
    }
  }

  @Test(
    "a record is the same on another machine: spending, blocks and reported limits; reading changes nothing")
  func form() throws {
    let records = Records(seed: 1, faults: 0)
    let budget = SiteBudget([.init(9, per: .seconds(60))], learnedPeriod: .seconds(3600))
    let (first, second) = (try client(records), try client(records))
    let payment = try first.transact("a.org") { file throws(StoreError) in
      let payment = try file.pay("a.org", budget, now: 1_800_000_000.25)
      try file.settle(
        "a.org", budget, paid: nil, block: 1_800_000_100,
        .init(limit: 30, remaining: 28, period: .seconds(3600)),
        now: 1_800_000_001)
      return payment
    }
    guard case .paid(let number?) = payment else { return #expect(Bool(false)) }
    let changes = records.replacements
    let record = try second.transact("a.org") { file throws(StoreError) in try file.site("a.org") }
    expect(record.spending, equals: [.init(at: 1_800_000_000.25), .init(at: 1_800_000_001)])
    #expect(record.blockedUntil == 1_800_000_100 && record.learned == .init(30, at: 1_800_000_001))
    #expect(record.longest == 3600 && records.replacements == changes)
    try second.transact("a.org") { file throws(StoreError) in try file.refund(number) }
    let left = try first.transact("a.org") { file throws(StoreError) in try file.site("a.org") }
    expect(left.spending, equals: [.init(at: 1_800_000_001)])
    // What a later version adds is ignored.
    let file = try WebFile()
    try file.replace("b.org", with: Array("keep 60.0\nmood good\nspent 7 5.5 2\nspent x\n".utf8))
    try expect(file.site("b.org").spending, equals: [.init(at: 5.5, count: 2)])
  }
}
