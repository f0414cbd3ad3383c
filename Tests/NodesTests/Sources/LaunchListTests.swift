import Expectations
@testable import Nodes
import Engine
import Fetch
import JSON
import Language
import Reactive
import System
import TestScale
import Testing

/// What a poll of `launch_library` has seen of a list that changes while it is read.
@Suite struct LaunchListTests {
  private func ids(_ answer: PollAnswer) -> [String] { answer.rows.compactMap { $0.member("id")?.string } }

  private func nets(_ answer: PollAnswer) -> [String] { answer.rows.compactMap { $0.member("net")?.string } }

  private func horizon(_ order: String, _ last: String) throws -> Coverage {
    .truncated(Horizon(order: try #require(RowOrder(order)), last: .string(last), moves: true))
  }

  @Test(
    "the whole list is complete, though launches at one time change their order with each request",
    arguments: LaunchService.Ties.allCases)
  func ties(_ ties: LaunchService.Ties) throws {
    let launches = LaunchService.months(227)
    let trial = try LaunchService(launches, ties: ties).trial()
    for _ in 0..<10 {
      let answer = try trial.poll()
      expect(answer.coverage, equals: .complete)
      #expect(Set(ids(answer)) == Set(launches.map(\.id)) && answer.rows.count == 227)
      expect(nets(answer), equals: nets(answer).sorted())
    }
    let requests = trial.paths.count { !$0.contains("api-throttle") }
    switch ties {
    case .broken: #expect(requests == 30 && trial.told.entries.isEmpty)
    case .ignored: #expect(requests <= 90)
    case .refused:
      #expect(requests <= 61)
      expect(trial.paths.count { $0.contains(",id") }, equals: 1)
      #expect(trial.told.entries.count == 1 && trial.told.entries[0].hasPrefix("a refuses to order launches"))
    }
  }

  @Test("more launches at one time than a page takes are partial where the service changes their order")
  func largeTies() throws {
    let trial = try LaunchService(LaunchService.months(250, each: 250), ties: .ignored).trial()
    try expect(trial.poll().coverage, equals: .partial)
  }

  @Test("a launch that leaves the list between two pages is noticed, and the list is read again")
  func shift() throws {
    let launches = LaunchService.months(227)
    let service = LaunchService(launches)
    service.state.withLock { state in
      state.change = { number, state in if number == 2 { state.launches.removeFirst() } }
    }
    let trial = try service.trial()
    let answer = try trial.poll()
    #expect(answer.coverage == .complete && Set(ids(answer)) == Set(launches.dropFirst().map(\.id)))
    expect(trial.paths.count, equals: 7, "the budget, three pages, and three once more")
    #expect(trial.told.entries.isEmpty)
  }

  @Test("one that leaves while another enters is noticed too, though the count is the same")
  func swap() throws {
    let launches = LaunchService.months(227)
    let service = LaunchService(launches)
    service.state.withLock { state in
      state.change = { number, state in
        if number != 2 { return }
        state.launches.removeFirst()
        state.launches.append(LaunchService.Launch(id: "new", net: "2027-01-01T00:00:00Z"))
      }
    }
    let answer = try service.trial().poll()
    #expect(answer.coverage == .complete && Set(launches.dropFirst().map(\.id)).isSubset(of: ids(answer)))
  }

  @Test("a list that changes all the time is partial, which is reported once until it is complete again")
  func restless() throws {
    let service = LaunchService(LaunchService.months(227))
    service.state.withLock { state in
      state.change = { number, state in if number < 14 { state.launches.removeFirst() } }
    }
    let trial = try service.trial()
    for _ in 0..<2 { try expect(trial.poll().coverage, equals: .partial) }
    expect(trial.told.entries.count, equals: 1, "\(trial.told.entries)")
    try expect(trial.poll().coverage, equals: .complete)
    expect(trial.told.entries.count, equals: 1)
  }

  @Test("a list that is shorter than its count is partial")
  func short() throws {
    let service = LaunchService(LaunchService.months(227))
    service.state.withLock { $0.lacking = 2 }
    let trial = try service.trial()
    let answer = try trial.poll()
    #expect(answer.coverage == .partial && answer.rows.count == 225)
    expect(
      trial.told.entries,
      equals: [
        "225 of 227 launches were read; launches that are missing do not count as removed"
      ])
  }

  @Test("a list that limit cuts ends at the position of its last launch, in the order it was asked in")
  func truncated() throws {
    let service = LaunchService(LaunchService.months(227))
    let net = { (limit: Int, order: String) in
      try service.trial("limit: \(limit), order: \(order)").poll()
    }
    try expect(net(40, "net").coverage, equals: horizon(".net", "2026-02-28T00:00:00Z"))
    try expect(net(150, "net").coverage, equals: horizon(".net", "2026-05-28T00:00:00Z"))
    try expect(net(40, "-net").coverage, equals: horizon("-.net", "2026-07-28T00:00:00Z"))
    try expect(net(227, "net").coverage, equals: .complete)
    try expect(net(226, "net").coverage, equals: horizon(".net", "2026-08-28T00:00:00Z"))
    // Not in this order, whatever the service says.
    try expect(net(40, "name").coverage, equals: .truncated(nil))
    try expect(service.trial("limit: 40, skip: 20").poll().coverage, equals: .partial)
  }

  @Test("reading again neither waits for the budget nor fails the poll")
  func budget() throws {
    let service = LaunchService(LaunchService.months(227))
    service.state.withLock { state in
      state.change = { number, state in if number == 1 { state.launches.removeFirst() } }
    }
    let trial = try service.trial(budgets: ["a": SiteBudget([.init(4, per: .seconds(3600))])])
    let answer = try trial.poll()
    #expect(answer.coverage == .partial && trial.paths.count == 4)
    expectNil(answer.notes.member("stale"))
  }

  @Test("a list from the cache that lacks rows is not mixed with pages that are hours newer")
  func ages() throws {
    let service = LaunchService(LaunchService.months(227))
    service.state.withLock { state in
      state.change = { number, state in if number == 2 { state.launches.removeFirst() } }
    }
    // Enough for one pass, not for the second in the same hour.
    let trial = try service.trial(cache: "6h", budgets: ["a": SiteBudget([.init(6, per: .seconds(3600))])])
    try expect(trial.poll().coverage, equals: .partial)
    service.state.withLock {
      $0.launches.append(LaunchService.Launch(id: "new", net: "2047-01-01T00:00:00Z"))
    }
    trial.elapsed.change { $0 = 4 * 3600 }
    let answer = try trial.poll()
    #expect(answer.coverage == .complete && ids(answer).contains("new") && answer.rows.count == 227)
    expectNil(answer.at, "a row is not seen before it is there")
  }

  @Test("an answer that is used because the service fails keeps its coverage")
  func stale() throws {
    for limit in [40, 1000] {
      let service = LaunchService(LaunchService.months(227))
      let trial = try service.trial("limit: \(limit)", beside: ", on_failure: old")
      let fresh = try trial.poll()
      service.state.withLock { $0.isFailing = true }
      let stale = try trial.poll()
      expect(stale.notes.member("stale"), equals: .bool(true))
      #expect(stale.coverage == fresh.coverage && stale.rows == fresh.rows)
    }
  }

  @Test("whatever happens to the list, no poll claims to have seen a launch that is missing from it")
  func claims() throws {
    var counts: [String: Int] = [:]
    for seed in 1...TestScale.count(150, atLeast: 60) {
      var random = SplitMix64(seed: UInt64(seed))
      let nets = Int.random(in: 1...12, using: &random)
      let launches = (0..<Int.random(in: 0...40, using: &random)).map { number in
        LaunchService.Launch(
          id: "l\(number)", net: "2026-01-\(10 + Int.random(in: 0..<nets, using: &random))")
      }
      let service = LaunchService(
        launches, ties: LaunchService.Ties.allCases[seed % 3], seed: UInt64(seed))
      let rate = [0.0, 0.1, 0.5][seed % 7 % 3]
      // Launches that were there all the time, with the last time of each.
      let constant = Locked(Dictionary(uniqueKeysWithValues: launches.map { ($0.id, $0.net) }))
      service.state.withLock { state in
        state.cap = Int.random(in: 2...9, using: &random)
        state.change = { number, state in
          if Double.random(in: 0..<1, using: &state.random) < rate {
            Self.change(&state, number, constant)
          }
        }
      }
      let limit = Int.random(in: 1...45, using: &random)
      let answer = try service.trial("limit: \(limit)").poll()
      let found = Set(ids(answer))
      #expect(answer.rows.count == found.count && found.count <= limit)
      let wanted = constant.withLock { $0 }
      counts[answer.coverage.name, default: 0] += 1
      switch answer.coverage {
      case .partial: break
      case .complete: #expect(found.isSuperset(of: wanted.keys), "seed \(seed)")
      case .truncated(let horizon):
        let covered = wanted.filter { horizon?.covers(.string($0.value)) == true }.keys
        #expect(horizon != nil && found.isSuperset(of: covered), "seed \(seed)")
      }
    }
    #expect(counts.values.allSatisfy { $0 > 5 } && counts.count == 3, "\(counts)")
  }

  /// One launch enters the list, leaves it or moves in it.
  private static func change(
    _ state: inout LaunchService.State, _ number: Int, _ constant: borrowing Locked<[String: String]>
  ) {
    let net = "2026-01-\(Int.random(in: 10..<22, using: &state.random))"
    let place = state.launches.indices.randomElement(using: &state.random)
    switch (Int.random(in: 0..<3, using: &state.random), place) {
    case (1, let place?):
      let id = state.launches.remove(at: place).id
      constant.withLock { $0[id] = nil }
    case (2, let place?):
      state.launches[place].net = net
      let id = state.launches[place].id
      constant.withLock { nets in nets[id] = nets[id].map { max($0, net) } }
    default: state.launches.append(LaunchService.Launch(id: "n\(number)", net: net))
    }
  }
}
