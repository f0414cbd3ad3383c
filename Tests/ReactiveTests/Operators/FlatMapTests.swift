import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct FlatMapTests {
  @Test func emitsWhatAllInnerStreamsEmit() throws {
    let clock = VirtualScheduler()
    let first = try clock.cold("-1--2|")
    let second = try clock.cold("-3--4|")
    let outer = try clock.hot("a-b------|")
    let mapped = outer.flatMap { $0 == "a" ? first : second }
    expect(clock.play(mapped), equals: "-1-32-4--|")
    expect(first.subscriptions, equals: ["^----!"])
    expect(second.subscriptions, equals: ["--^----!"])
    expect(
      outcome { _ in Observable.from(1...3).flatMap { Observable.from([$0, $0 * 10]) } },
      equals: "1, 10, 2, 20, 3, 30, |")
  }

  @Test func completesWhenTheOuterStreamAndAllInnerOnesHave() throws {
    let clock = VirtualScheduler()
    let outer = try clock.hot("a|")
    let inner = try clock.cold("--x-|")
    expect(clock.play(outer.flatMap { _ in inner }), equals: "--x-|")
    expect(outer.subscriptions, equals: ["^!"])
  }

  @Test func anEmptyOuterStreamCompletes() throws {
    try expectMarbles("--|") { try $0.hot("--|").flatMap { Observable.just($0) } }
  }

  @Test func innerStreamsMayBeEmptyOrOneElement() throws {
    try expectMarbles("a---|") {
      try $0.hot("a-b-|").flatMap { $0 == "a" ? Observable.just($0) : .empty() }
    }
  }

  @Test func anInnerFailureEndsTheOthersAndTheOuterStream() throws {
    let clock = VirtualScheduler()
    let outer = try clock.hot("ab-----|")
    let failing = try clock.cold("--#")
    let other = try clock.cold("x-y-z|")
    let mapped = outer.flatMap { $0 == "a" ? failing : other }
    expect(clock.play(mapped), equals: "-x#")
    expect(outer.subscriptions, equals: ["^-!"])
    expect(other.subscriptions, equals: ["-^!"])
  }

  @Test func anOuterFailureEndsTheInnerStreams() throws {
    let clock = VirtualScheduler()
    let inner = try clock.cold("-x-y-z|")
    expect(clock.play(try clock.hot("a--#").flatMap { _ in inner }), equals: "-x-#")
    expect(inner.subscriptions, equals: ["^--!"])
  }

  @Test func failsWhenTheClosureThrowsAndLeavesEverything() throws {
    let clock = VirtualScheduler()
    let outer = try clock.hot("a-b--|")
    let inner = try clock.cold("-x-y-|")
    let mapped = outer.flatMap { text in
      if text == "b" { throw Oops() }
      return inner
    }
    expect(clock.play(mapped), equals: "-x#")
    expect(outer.subscriptions, equals: ["^-!"])
    expect(inner.subscriptions, equals: ["^-!"])
  }

  @Test func runsAtMostLimitInnerStreamsAtOnce() throws {
    let clock = VirtualScheduler()
    let inner = try clock.cold("--x|")
    let outer = try clock.hot("abc|")
    expect(clock.play(outer.flatMap(limit: 2) { _ in inner }), equals: "--xx-x|")
    expect(inner.subscriptions, equals: ["^--!", "-^--!", "---^--!"])
  }

  @Test func failsWhenMoreWaitThanTheBacklogHolds() throws {
    let clock = VirtualScheduler()
    let inner = try clock.cold("-----x|")
    let outer = try clock.hot("abc|")
    let recording = clock.record(outer.flatMap(limit: 1, backlog: 1) { _ in inner })
    clock.run()
    expect(recording.drawing.line, equals: "--#")
    #expect(recording.error as? ReactiveError == .overflow(what: "the backlog of flatMap", limit: 1))
    expect(outer.subscriptions, equals: ["^-!"])
    expect(inner.subscriptions, equals: ["^-!"])
  }

  @Test func aSequenceIsAskedForItsNextElementWhenAStreamHasEnded() {
    let clock = VirtualScheduler()
    let (sent, ended) = (Tally(), Tally())
    let mapped = Observable.from(0..<70_000).do(next: { _ in sent.add() }).flatMap(limit: 2, backlog: 1) {
      number in
      Observable.timer(after: .seconds(1), on: clock).map { _ in number }.do(complete: {
        #expect(sent.value - ended.value <= 2)
        ended.add()
      })
    }
    let recording = clock.record(mapped.reduce(0) { $0 + $1 })
    clock.run(limit: 10_000_000)
    expect(recording.elements, equals: [70_000 * 69_999 / 2])
  }

  @Test func aSequencePausesBeforeTheBacklogOfConcatMap() async throws {
    let stored = Observable.from(0..<70_000).concatMap { number in Observable.task { number } }
    try await expect(stored.reduce(0) { $0 + $1 }.value, equals: 70_000 * 69_999 / 2)
  }

  @Test func aSequenceDoesNotPauseForStreamsThatNeedItsElements() async throws {
    let windows = Observable.from(1...5).window(2).concatMap { $0.reduce(0) { $0 + $1 } }
    try await expect(windows.toArray().value, equals: [3, 7, 5])
    let groups = Observable.from(1...6).group { $0 % 2 }.flatMap(limit: 2) { $0.reduce(0) { $0 + $1 } }
    try await expect(groups.toArray().value, equals: [9, 12])
  }

  @Test func aFullBacklogNamesItsOperator() throws {
    let clock = VirtualScheduler()
    let (outer, inner) = (try clock.hot("abc|"), try clock.cold("-----x|"))
    let expand = clock.record(outer.expand(limit: 1, backlog: 1) { _ in inner })
    clock.run()
    #expect(expand.error as? ReactiveError == .overflow(what: "the backlog of expand", limit: 1))
  }

  @Test func doesNotTurnToWhatWaitsOnceItIsOver() throws {
    let clock = VirtualScheduler()
    let asked = Journal<String>()
    let inner = try clock.cold("--|")
    let mapped = try clock.hot("abcd|").flatMap(limit: 1) { text -> Observable<String> in
      asked.note(text)
      return text == "a" ? inner : .just(text)
    }
    expect(clock.play(mapped.take(1)), equals: "--(b|)")
    expect(asked.entries, equals: ["a", "b"])
  }

  @Test func manyInnerStreamsThatEndAtOnceTakeNoStack() throws {
    let clock = VirtualScheduler()
    let first = try clock.cold("-|")
    let mapped = Observable.from(0..<20_000).flatMap(limit: 1) { number -> Observable<String> in
      number == 0 ? first : Observable.from(["x"])
    }
    let recording = clock.record(mapped.reduce(0) { sum, _ in sum + 1 })
    clock.run()
    expect(recording.elements, equals: [19_999])
  }

  @Test func expandFollowsEachElementToTheEndOfItsLine() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a----b|")
    let pages = ["a": try clock.cold("-c|"), "b": try clock.cold("-d|"), "c": try clock.cold("-e|")]
    let expanded = source.expand { pages[$0] ?? .empty() }
    expect(clock.play(expanded), equals: "ace--bd|")
  }

  @Test func expandFailsWithThePageThatFails() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a---b|")
    let broken = try clock.cold("-c#")
    let expanded = source.expand { $0 == "a" ? broken : .empty() }
    expect(clock.play(expanded), equals: "ac#")
    expect(source.subscriptions, equals: ["^-!"])
  }

  @Test func aLongLineOfPagesTakesNoStack() {
    let count = 100_000
    let seen = Tally()
    let isOver = Flag()
    #expect(
      onSmallStack {
        _ = Observable.just(1).expand { $0 < count ? Observable.just($0 + 1) : .empty() }
          .subscribe(next: { _ in seen.add() }, complete: { isOver.raise() })
      })
    expect(seen.value, equals: count)
    #expect(isOver.isRaised)
  }

  @Test func completesWhenTwoStreamsEndBeforeTheOneThatWaitsHasStarted() {
    let first = PublishSubject<String>()
    let second = PublishSubject<String>()
    let log = Journal<String>()
    let streams = ["1": first, "2": second]
    _ = Observable.from(["1", "2", "3", "4"]).flatMap(limit: 2) { streams[$0] ?? Observable.from([$0]) }
      .subscribe(
        next: { text in
          log.note(text)
          if text == "3" { first.complete() }
        }, complete: { log.note("|") })
    second.complete()
    expect(log.entries, equals: ["3", "4", "|"])
  }

  @Test(arguments: 1...50 as ClosedRange<UInt64>) func losesNothingWhateverTheOrderOfAnInstant(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let clock = VirtualScheduler(seed: seed)
    let waits = (0..<40).map { _ in random.below(3) }
    let limit = 1 + random.below(4)
    let running = Journal<Int>()
    let mapped = Observable.from(0..<40).flatMap(limit: limit) { number -> Observable<Int> in
      switch waits[number] {
      case 0: .just(number)
      case 1: .from([number])
      default:
        Observable.timer(after: .seconds(number % 3), on: clock).map { _ in number }
          .do(subscribe: { running.note(1) }, dispose: { running.note(-1) })
      }
    }
    let recording = clock.record(mapped)
    clock.run()
    expect(recording.elements.sorted(), equals: Array(0..<40))
    expect(recording.records.last?.event.isTerminal, equals: true)
    var now = 0
    for change in running.entries {
      now += change
      #expect(now <= limit)
    }
  }
}

@Suite struct ConcatMapTests {
  @Test func emitsOneStreamAfterAnother() throws {
    let clock = VirtualScheduler()
    let first = try clock.cold("-1--2|")
    let second = try clock.cold("-3--4|")
    let outer = try clock.hot("a-b------|")
    let mapped = outer.concatMap { $0 == "a" ? first : second }
    expect(clock.play(mapped), equals: "-1--2-3--4|")
    expect(first.subscriptions, equals: ["^----!"])
    expect(second.subscriptions, equals: ["-----^----!"])
    expect(
      outcome { _ in Observable.from(1...2).concatMap { Observable.from([$0, -$0]) } },
      equals: "1, -1, 2, -2, |")
  }

  @Test func anInnerFailureEndsAllAndForgetsWhatWaits() throws {
    let clock = VirtualScheduler()
    let outer = try clock.hot("ab-----|")
    let inner = try clock.cold("-x-#")
    expect(clock.play(outer.concatMap { _ in inner }), equals: "-x-#")
    expect(outer.subscriptions, equals: ["^--!"])
    expect(inner.subscriptions, equals: ["^--!"])
  }

  @Test func anOuterFailureEndsTheInnerStream() throws {
    let clock = VirtualScheduler()
    let inner = try clock.cold("-x-y-z|")
    expect(clock.play(try clock.hot("a--#").concatMap { _ in inner }), equals: "-x-#")
    expect(inner.subscriptions, equals: ["^--!"])
  }

  @Test func failsWhenMoreWaitThanTheBacklogHolds() throws {
    let clock = VirtualScheduler()
    let outer = try clock.hot("abc-|")
    let recording = clock.record(outer.concatMap(backlog: 1) { _ in Observable<Int>.never() })
    clock.run()
    expect(recording.drawing.line, equals: "--#")
    #expect(recording.error as? ReactiveError == .overflow(what: "the backlog of concatMap", limit: 1))
    expect(outer.subscriptions, equals: ["^-!"])
  }

  @Test func aSequenceThatPausesIsReleasedWithTheSubscription() {
    weak var kept: Canary?
    do {
      let canary = Canary()
      kept = canary
      let numbers = Observable.from(0...).do(next: { _ in canary.chirp() })
      numbers.concatMap { _ in Observable<Int>.never() }.subscribe().dispose()
    }
    expectNil(kept)
  }

  @Test func completesAfterWhatWaitsWhenTheOuterStreamEndsFirst() throws {
    try expectMarbles("--x--x--x|") { clock in
      let inner = try clock.cold("--x|")
      return try clock.hot("(abc|)").concatMap { _ in inner }
    }
  }
}
