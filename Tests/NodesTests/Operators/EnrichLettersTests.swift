import Expectations
@testable import Nodes
import JSON
import Reactive
import Store
import System
import TestSupport
import Testing
import Trials

@testable import Engine

/// Events whose lookup is given up: dead letters in the state, retried and dropped; and patience over restarts.
@Suite struct EnrichLettersTests {
  private static let step = #"enrich: { url: 'http://a/\(.)', with: '[., $answer]', concurrency: 2 }"#

  private func open(_ state: TemporaryState) throws -> StateFile {
    try StateFile(path: state.path, .init(database: .init(sync: .never)))
  }

  /// The dead letters of a state, as a process that is killed now would leave it.
  private func letters(_ state: TemporaryState) throws -> [DeadLetter] {
    try open(state.copy()).deadLetters()
  }

  /// A run of which the lookup of 2 has been refused, and its state.
  private func refused(_ step: String = step, ends: Bool = false) throws -> (LookupBench, TemporaryState) {
    let state = try TemporaryState()
    let bench = try LookupBench(step, [1, 2, 3], ends: ends, state)
    bench.answer("/1", "10")
    bench.answer("/2", "no", status: 400)
    bench.answer("/3", "30")
    return (bench, state)
  }

  @Test("a refused lookup is a dead letter, with what it was and why, and a loss of the run")
  func refusal() throws {
    let (bench, state) = try refused(ends: true)
    expect(bench.heard.entries, equals: ["[1,10]", "[3,30]", "end"])
    let letter = try #require(try letters(state).first)
    #expect(letter.entry.sink == "enrich" && letter.entry.attempts == 1)
    expect(letter.reason, equals: "GET http://a/2: answered 400 Bad Request: no", "\(letter.reason)")
    #expect(
      letter.entry.id.hasPrefix("trial/enrich/") && letter.entry.id.hasSuffix("-1"), "\(letter.entry.id)")
    try expect(#require(Event(stored: letter.entry.bytes)).value, equals: .number(2))
    let status = bench.status()
    #expect(status.losses == ["1 lookup of enrich given up"] && bench.hasEnded && bench.hasFailed)
    expect(status.problems.last, equals: "enrich has 1 dead letter: flow state dead ls trial")
    #expect(bench.told.entries.contains { $0.contains("answered 400") })
    // The event has left the step with the letter.
    let next = try LookupBench(Self.step, [], state.copy())
    #expect(next.asked.entries == [] && next.status().nodes[1].deadLetters == 1)
  }

  @Test("a letter is retried while the pipeline runs: it is asked for again, and sent on once")
  func retryRunning() throws {
    let (bench, state) = try refused()
    #expect(bench.run.resolve(nil, of: "enrich", by: .retry))
    _ = bench.run.resolve(nil, of: "enrich", by: .retry)
    bench.clock.advance(by: .seconds(1))
    expect(bench.asked.entries, equals: ["/1", "/2", "/3", "/2"])
    #expect(try letters(state).isEmpty && open(state.copy()).outbox(sink: "enrich").isEmpty)
    // Killed here, the next run asks.
    try expect(LookupBench(Self.step, [], state.copy()).asked.entries, equals: ["/2"])
    bench.answer("/2", "20")
    expect(bench.heard.entries, equals: ["[1,10]", "[3,30]", "end", "[2,20]"])
    try expect(LookupBench(Self.step, [], state.copy()).asked.entries, equals: [])
  }

  @Test("a letter that is put back between runs is asked for by the next one, and may be refused again")
  func retryBetween() throws {
    let (bench, state) = try refused()
    bench.run.abort()
    bench.clock.advance(by: .zero)
    let kept = try state.copy()
    do {
      let file = try open(kept)
      let number = try #require(try file.deadLetters().first).number
      try file.update { epoch throws(StoreError) in try epoch.retry(deadLetter: number) }
    }
    // Not stored by a run that is killed before its first commit, nor lost.
    for state in [try kept.copy(), kept] {
      let next = try LookupBench(Self.step, [], state)
      expect(next.asked.entries, equals: ["/2"])
      next.answer("/2", "no", status: 403)
      try expect(letters(state).map(\.number), equals: [2])
      _ = next.run.resolve([2], of: "enrich", by: .retry)
      next.clock.advance(by: .seconds(1))
      next.answer("/2", "20")
      expect(next.heard.entries, equals: ["[2,20]"])
    }
  }

  @Test("a letter is dropped while the pipeline runs")
  func drop() throws {
    let (bench, state) = try refused()
    _ = bench.run.resolve([9], of: "enrich", by: .drop)
    _ = bench.run.resolve([1], of: "nothing", by: .drop)
    bench.clock.advance(by: .seconds(1))
    try expect(letters(state).count, equals: 1)
    _ = bench.run.resolve([1], of: "enrich", by: .drop)
    bench.clock.advance(by: .seconds(1))
    #expect(try letters(state).isEmpty && bench.status().nodes[1].deadLetters == 0)
    expect(bench.asked.entries, equals: ["/1", "/2", "/3"])
  }

  @Test("an error policy with a file takes the event, and there is no second letter")
  func file() throws {
    let (bench, state) = try refused(Self.step + ", on_error: { dead_letter: dead.jsonl }", ends: true)
    #expect(bench.letters?.contains("\"input\":2") == true && !bench.hasFailed)
    #expect(try letters(state).isEmpty && bench.status().losses.isEmpty)
  }

  @Test("an error policy that stops the pipeline leaves a letter")
  func stop() throws {
    let (bench, state) = try refused(Self.step + ", on_error: stop")
    bench.clock.advance(by: .seconds(1))
    #expect(bench.hasFailed)
    try expect(letters(state).count, equals: 1)
  }

  @Test("what is wrong with an event itself is no letter")
  func wrong() throws {
    let state = try TemporaryState()
    let bench = try LookupBench(
      #"enrich: { url: 'http://a/\(.)', with: '$answer | error' }"#, [1], ends: true, state)
    bench.answer("/1", "10")
    #expect(bench.hasFailed)
    #expect(try letters(state).isEmpty)
  }

  @Test("what a sink of this name has left is a letter again, with the reason")
  func foreign() throws {
    let (bench, state) = try refused()
    bench.run.abort()
    bench.clock.advance(by: .zero)
    let kept = try state.copy()
    try open(kept).update { epoch throws(StoreError) in
      try epoch.put(OutboxEntry(sink: "enrich", place: .init(epoch: 1, index: 7), id: "x", bytes: [0x31]))
    }
    let next = try LookupBench(Self.step, [], kept)
    next.clock.advance(by: .seconds(1))
    #expect(next.told.entries.contains { $0.contains("a sink that had this name has left it") })
    try expect(letters(kept).map(\.entry.id).last, equals: "x")
  }

  @Test("patience goes on over restarts, also with a clock that went back, and ends with a letter")
  func patience() throws {
    let state = try TemporaryState()
    let first = try LookupBench(Self.step, [1], ends: true, state)
    first.answer("/1", "slow down", status: 429, ("Retry-After", "1500"))
    #expect(first.hasEnded && !first.hasFailed)
    var kept = try state.copy()
    // Each bench begins at the same time of day.
    for minutes in [25, 25] {
      let next = try LookupBench(Self.step, [], kept)
      next.clock.advance(by: .seconds(60 * minutes))
      for _ in 0..<40 where next.asked.entries.isEmpty { next.clock.advance(by: .seconds(1)) }
      next.answer("/1", "slow down", status: 429, ("Retry-After", "1500"))
      expect(next.heard.entries, equals: [])
      #expect(try letters(kept).isEmpty)
      kept = try kept.copy()
    }
    let last = try LookupBench(Self.step, [], kept)
    last.clock.advance(by: .seconds(700))
    for _ in 0..<40 where try letters(kept).isEmpty {
      last.answer("/1", "down", status: 500)
      last.clock.advance(by: .seconds(61))
    }
    #expect(try letters(kept).first?.entry.attempts ?? 0 > 3)
    #expect(last.clock.now < Instant(nanoseconds: 1_000_000_000_000), "\(last.clock.now)")
    #expect(
      try open(kept.copy()).storedTables().filter { $0.node == "enrich@failing" }.allSatisfy { $0.count == 0 }
    )
  }
}
