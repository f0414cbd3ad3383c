import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct CombineLatestListTests {
  @Test func combinesTheLatestOfAll() throws {
    try expectMarbles("--a-b-c--|", legend: ["a = a1", "b = a2", "c = b2"]) { clock in
      let sources = [try clock.hot("a-----b--|"), try clock.hot("--1-2----|")]
      return Observable.combineLatest(sources).map { $0.joined() }
    }
    expect(
      outcome { _ in Observable.combineLatest([Observable.just(1), Observable.from([2, 3])]) },
      equals: "[1, 2], [1, 3], |")
  }

  @Test func waitsForTheLastOneToSpeak() throws {
    try expectMarbles("-----a-b|", legend: ["a = cxz", "b = cyz"]) { clock in
      let sources = [
        try clock.hot("abc|"), try clock.hot("-x-----y|"),
        try clock.hot("-----z|"),
      ]
      return Observable.combineLatest(sources).map { $0.joined() }
    }
  }

  @Test func thereIsOneListOfNoSources() {
    expect(outcome { _ in Observable<Int>.combineLatest([]) }, equals: "[], |")
    expect(outcome { _ in Observable<Int>.combineLatest([]).take(1) }, equals: "[], |")
  }

  @Test func oneSourceIsEnough() {
    expect(outcome { _ in Observable.combineLatest([Observable.from([1, 2])]) }, equals: "[1], [2], |")
  }

  @Test func completesWithTheNextElementWhenOneHasDiedBeforeItHasSpoken() throws {
    let clock = VirtualScheduler()
    let alive = try clock.hot("a---b-c|")
    let dead = try clock.hot("--|")
    expect(clock.play(Observable.combineLatest([alive, dead])), equals: "----|")
    expect(alive.subscriptions, equals: ["^---!"])
  }

  @Test func waitsForAllOthersToHaveEnded() throws {
    let clock = VirtualScheduler()
    let (dead, short, long) = (try clock.hot("|"), try clock.hot("a----|"), try clock.hot("a-b-c-|"))
    expect(clock.play(Observable.combineLatest([dead, short, long])), equals: "------|")
    try expectMarbles("----|") { clock in
      let (dead, short, long) = (try clock.hot("|"), try clock.hot("a--|"), try clock.hot("a-b-c-|"))
      return Observable.combineLatest([dead, short, long])
    }
  }

  @Test func aFailureLeavesTheOthers() throws {
    let clock = VirtualScheduler()
    let alive = try clock.hot("a-b-c|")
    let recording = clock.record(
      Observable.combineLatest([alive, try clock.hot("x--#")]))
    clock.run()
    expect(recording.drawing.line, equals: "a-b#")
    expect(alive.subscriptions, equals: ["^--!"])
  }

  @Test func anElementMayBeNothing() {
    let absent: Int? = nil
    expect(
      outcome { _ in Observable.combineLatest([Observable.just(absent), Observable.just(1)]) },
      equals: "[nil, Optional(1)], |")
  }
}
