import Expectations
import Foundation
import TestScale
import Testing

@testable import Store

/// Random walks of state files on a disk that crashes, fails and is full.
///
/// `FLOW_SEEDS=n` walks n seeds, `FLOW_SEED=s` that one alone. A seed gives the same walk again where Swift hashes
/// alike: with `SWIFT_DETERMINISTIC_HASHING=1`.
@Suite struct SimulationTests {
  static let environment = ProcessInfo.processInfo.environment
  static let batch = 25

  static var seeds: [[UInt64]] {
    if let seed = environment["FLOW_SEED"].flatMap({ UInt64($0) }) { return [[seed]] }
    let count =
      environment["FLOW_SEEDS"].flatMap { UInt64($0) } ?? UInt64(TestScale.count(200, atLeast: batch))
    return stride(from: 0, to: count, by: batch).map { Array($0..<min($0 + UInt64(batch), count)) }
  }

  @Test(
    "what is left of a state file is the last commit that was acknowledged or the one after", arguments: seeds
  )
  func walks(seeds: [UInt64]) throws {
    for seed in seeds {
      var walk = Walk(seed: seed)
      try walk.run(steps: 60)
    }
  }

  @Test("walks come by all that can go wrong")
  func met() throws {
    let log = try (0..<UInt64(40)).flatMap { seed in
      var walk = Walk(seed: seed)
      try walk.run(steps: 60)
      return walk.log
    }
    for what in [
      "commit ", "update ", "change n", "change m", "power cut", "killed", "close",
      "power cut while opening",
      "killed while opening", "not opened: /var/state/p.db: ", "failed: cannot commit: disk I/O error",
      "failed: cannot write: disk I/O error", "failed: cannot read: disk I/O error",
      "failed: cannot write: database or disk is full", "failed: cannot commit: database or disk is full",
    ] {
      #expect(log.contains { $0.hasPrefix(what) }, "\(what)")
    }
  }

  @Test("a walk notices where commits are not synced")
  func careless() {
    let noticed = (0..<UInt64(20)).filter { seed in
      var walk = Walk(seed: seed, isCareless: true)
      return (try? walk.run(steps: 60)) == nil
    }
    #expect(noticed.count > 5, "\(noticed.count) of 20 walks")
  }

  @Test("the same seed gives the same walk, operation by operation")
  func same() throws {
    let traces = try (0..<2).map { _ in
      // One table, since several are written in an order that is Swift's.
      var walk = Walk(seed: 3, nodes: ["n"])
      try walk.run(steps: 60)
      return walk.log + walk.disk.trace(last: .max)
    }
    expect(traces[0], equals: traces[1])
  }
}
