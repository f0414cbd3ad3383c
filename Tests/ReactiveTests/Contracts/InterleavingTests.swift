import Expectations
import Foundation
import Reactive
import ReactiveTesting
import TestScale
import Testing

/// Operators with several inputs, under hundreds of orders in which (`make test-long`: thousands) simultaneous work could run.
///
/// The scheduler draws the order from a seed. A failure names the seed; `FLOW_SEED=7 swift test --filter Interleaving`
/// runs that one alone.
@Suite struct InterleavingTests {
  private static let seeds: [UInt64] = {
    if let one = ProcessInfo.processInfo.environment["FLOW_SEED"].flatMap({ UInt64($0) }) { return [one] }
    return Array(0..<UInt64(TestScale.count(300)))
  }()

  private static let drawings = ["abc(de)|", "(ab)c-(de)|", "a(bc)d(e|)"]

  @Test func mergeKeepsTheOrderOfEachSource() throws {
    for seed in Self.seeds {
      let run = try Run(seed, Self.drawings)
      let result = run.record(.merge(run.observables))
      expect(result.elements.count, equals: 15, "seed \(seed)")
      for index in run.sources.indices {
        let own = result.elements.filter { $0.hasPrefix("\(index)") }.map { String($0.dropFirst()) }
        expect(own, equals: ["a", "b", "c", "d", "e"], "source \(index), seed \(seed)")
      }
      expect(result.elements, equals: run.emitted, "seed \(seed)")
      #expect(result.endedWell, "seed \(seed)")
    }
  }

  @Test func zipPairsByPosition() throws {
    for seed in Self.seeds {
      let run = try Run(seed, Self.drawings)
      let result = run.record(Observable.zip(run.observables).map { $0.joined() })
      expect(result.elements, equals: ["0a1a2a", "0b1b2b", "0c1c2c", "0d1d2d", "0e1e2e"], "seed \(seed)")
      #expect(result.endedWell, "seed \(seed)")
    }
  }

  @Test func combineLatestAlwaysHasTheLatest() throws {
    for seed in Self.seeds {
      let run = try Run(seed, Self.drawings)
      let result = run.record(Observable.combineLatest(run.observables).map { $0.joined() })
      // The model: go through what was emitted, in that order, and keep the latest of each.
      var latest: [Character: String] = [:]
      var expected: [String] = []
      for element in run.emitted {
        guard let source = element.first else { continue }
        latest[source] = element
        if latest.count == 3 { expected.append(latest.sorted { $0.key < $1.key }.map(\.value).joined()) }
      }
      expect(result.elements, equals: expected, "seed \(seed)")
      #expect(result.endedWell, "seed \(seed)")
    }
  }

  @Test func combineLatestOfTwoAgreesWithThatOfAList() throws {
    for seed in Self.seeds {
      let run = try Run(seed, Array(Self.drawings.prefix(2)))
      let list = run.record(Observable.combineLatest(run.observables).map { $0.joined() })
      let again = try Run(seed, Array(Self.drawings.prefix(2)))
      let pair = again.record(again.observables[0].combineLatest(again.observables[1]) { $0 + $1 })
      expect(pair.elements, equals: list.elements, "seed \(seed)")
    }
  }

  @Test func shareTellsEveryoneTheSame() throws {
    for seed in Self.seeds {
      let run = try Run(seed, [Self.drawings[0]])
      let shared = run.observables[0].share()
      let recordings = (0..<3).map { _ in run.clock.record(shared) }
      run.clock.run()
      for recording in recordings { expect(recording.elements, equals: run.emitted, "seed \(seed)") }
      expect(run.sources[0].subscriptions.count, equals: 1, "seed \(seed)")
    }
  }

  @Test func flatMapLosesNothingAndKeepsTheOrderOfEachInnerStream() throws {
    for seed in Self.seeds {
      for limit in [1, 2, 16] {
        let run = try Run(seed, [Self.drawings[1]])
        let clock = run.clock
        let result = run.record(
          run.observables[0].flatMap(limit: limit) { outer in
            try clock.cold("(xy)z|").map { outer + $0 }
          })
        expect(result.elements.count, equals: 15, "limit \(limit), seed \(seed)")
        for outer in ["0a", "0b", "0c", "0d", "0e"] {
          let own = result.elements.filter { $0.hasPrefix(outer) }.map { String($0.dropFirst(2)) }
          expect(own, equals: ["x", "y", "z"], "\(outer), limit \(limit), seed \(seed)")
        }
        if limit == 1 { expect(result.elements, equals: result.elements.sorted(), "seed \(seed)") }
        #expect(result.endedWell, "limit \(limit), seed \(seed)")
      }
    }
  }
}

/// One run of a few sources under one seed; notes in which order they emitted.
private final class Run: Sendable {
  let clock: VirtualScheduler
  let sources: [TestSource<String>]
  private let log = Log()

  init(_ seed: UInt64, _ drawings: [String]) throws {
    let clock = VirtualScheduler(seed: seed)
    self.clock = clock
    sources = try drawings.map { try clock.cold($0) }
  }

  /// The sources, each element with the number of its source before it.
  var observables: [Observable<String>] {
    sources.enumerated().map { [log] index, source in
      source.map { "\(index)\($0)" }.do(next: { log.append($0) })
    }
  }

  var emitted: [String] { log.lines }

  func record(_ source: Observable<String>) -> Recording<String> {
    let recording = clock.record(source)
    clock.run()
    return recording
  }
}

private final class Log: Sendable {
  private let kept = Locked<[String]>([])
  var lines: [String] { kept.withLock { $0 } }
  func append(_ line: String) { kept.withLock { $0.append(line) } }
}

extension Recording {
  fileprivate var endedWell: Bool {
    guard case .completed? = records.last?.event else { return false }
    return true
  }
}
