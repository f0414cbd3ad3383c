import Expectations
import JSON
import Reactive
import Testing

@testable import Engine

/// The outages of sources, and what is reported of them.
@Suite struct OutagesTests {
  private static func id(_ entry: Int?) -> Outages.ID {
    Outages.ID(source: "s", entry: entry.map { .number($0) })
  }

  private static func outcome(_ entry: Int?, _ result: PollOutcome.Result, at time: Int) -> PollOutcome {
    PollOutcome(outage: id(entry), at: Double(time), result: result)
  }

  private static func restarted(_ outages: Outages) throws -> Outages {
    try #require(Outages(jsonValue: try Value.parse(outages.jsonValue.description)))
  }

  /// As in `failed 3`, with the number of entries where it stands for several.
  private static func brief(_ transition: Outages.Transition) -> String {
    let entry = transition.outage.entry.map { " \($0)" } ?? ""
    return transition.type.rawValue + entry + (transition.entries.map { " (\($0))" } ?? "")
  }

  @Test(
    "each outage is one failed, a changed for each other kind of reason, and one recovered, over restarts",
    arguments: 0..<50)
  func pairs(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var outages = Outages()
    var kinds: [Int?: FailureKind] = [:]
    var (expected, seen): ([String], [String]) = ([], [])
    let kindsOfReason: [FailureKind] = [.timeout, .status, .format]
    for time in 0..<400 {
      if Int.random(in: 0..<10, using: &random) == 0 {
        // What is collected and not reported is noted again by the next run, where it still fails.
        seen += outages.report(at: Double(time)).map(Self.brief)
        outages = try Self.restarted(outages)
      }
      let entry = Int.random(in: 0..<6, using: &random)
      let who = entry == 5 ? nil : entry
      let kind =
        Int.random(in: 0..<2, using: &random) == 0 ? nil : kindsOfReason.randomElement(using: &random)
      let text = who.map { " \($0)" } ?? ""
      switch (kinds[who], kind) {
      case (nil, nil): break
      case (nil, _?): expected.append("failed\(text)")
      case (_?, nil): expected.append("recovered\(text)")
      case (let before?, let after?): if before != after { expected.append("changed\(text)") }
      }
      kinds[who] = kind
      seen += outages.take(Self.outcome(who, kind.map { .failed($0, reason: "r") } ?? .good, at: time))
        .map(Self.brief)
      if who != nil { seen += outages.report(at: Double(time)).map(Self.brief) }
      expect(outages.count, equals: kinds.count)
    }
    expect(seen, equals: expected)
  }

  @Test(
    "more than twenty entries that fail at once are one outage with their number, over when all are up to date"
  )
  func group() throws {
    var outages = Outages()
    for entry in 0..<1000 {
      #expect(outages.take(Self.outcome(entry, .failed(.unreachable, reason: "no route"), at: 1)).isEmpty)
    }
    #expect(outages.isCollecting && outages.count == 0)
    let failed = outages.report(at: 11)
    expect(failed.map(Self.brief), equals: ["failed (1000)"])
    #expect(failed.first?.message == "1000 entries fail, as 0: no route" && outages.count == 1000)
    outages = try Self.restarted(outages)
    // Most of them.
    let changed: [Outages.Transition] = (0..<501).flatMap {
      outages.take(Self.outcome($0, .failed(.timeout, reason: "slow"), at: 20))
    }
    #expect(changed.map(Self.brief) == ["changed (1000)"] && changed.first?.kind == .timeout)
    outages = try Self.restarted(outages)
    let before: [Outages.Transition] = (0..<999).flatMap { outages.take(Self.outcome($0, .good, at: 30)) }
    #expect(before.isEmpty && outages.count == 1)
    let over = outages.take(Self.outcome(999, .gone, at: 31))
    #expect(over.map(Self.brief) == ["recovered (1000)"] && outages.count == 0)
  }

  @Test(
    "entries that fail one after the other are reported singly up to twenty, then their number as it doubles")
  func growing() {
    var outages = Outages()
    var seen: [String] = []
    for entry in 0..<100 {
      seen += outages.take(Self.outcome(entry, .failed(.status, reason: "503"), at: entry)).map(Self.brief)
      seen += outages.report(at: Double(entry)).map(Self.brief)
    }
    expect(
      seen,
      equals: (0..<20).map { "failed \($0)" }
        + [
          "failed (1)", "changed (2)", "changed (4)", "changed (8)", "changed (16)", "changed (32)",
          "changed (64)",
        ])
  }

  @Test("an outage that is over before the others are collected is reported too")
  func short() {
    var outages = Outages()
    _ = outages.take(Self.outcome(1, .failed(.status, reason: "503"), at: 1))
    _ = outages.take(Self.outcome(2, .failed(.status, reason: "503"), at: 1))
    let seen = outages.take(Self.outcome(1, .good, at: 2))
    expect(seen.map(Self.brief), equals: ["failed 1", "failed 2", "recovered 1"])
  }

  @Test("outages of entries and sources that are no more are over")
  func gone() throws {
    var outages = Outages()
    for entry in 0..<3 { _ = outages.take(Self.outcome(entry, .failed(.status, reason: "503"), at: 1)) }
    _ = outages.take(Self.outcome(nil, .failed(.other, reason: "no list"), at: 1))
    _ = outages.report(at: 1)
    outages = try Self.restarted(outages)
    let listed = outages.take(Self.outcome(nil, .listed([.number(1)]), at: 2))
    expect(listed.map(Self.brief), equals: ["recovered", "recovered 0", "recovered 2"])
    let left = outages.keep(["other"], at: 3)
    #expect(left.map(Self.brief) == ["recovered 1"] && outages.count == 0)
  }
}
