import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct ZipTests {
  @Test func pairsFirstWithFirstAndSecondWithSecond() throws {
    try expectMarbles("-a-----b----|", legend: ["a = a1", "b = b2"]) { clock in
      let sources = [try clock.hot("a--b-----c--|"), try clock.hot("-1-----2----|")]
      return Observable.zip(sources).map { $0.joined() }
    }
    expect(
      outcome { _ in Observable.zip([Observable.from([1, 2, 3]), Observable.from([10, 20])]) },
      equals: "[1, 10], [2, 20], |")
  }

  @Test func pairsStreamsOfTwoKinds() {
    expect(
      outcome { _ in Observable.from([1, 2]).zip(Observable.from(["a", "b"])) { "\($0)\($1)" } },
      equals: "1a, 2b, |")
  }

  @Test func completesAtOnceWithoutSources() {
    expect(outcome { _ in Observable<Int>.zip([]) }, equals: "|")
  }

  @Test func oneSourceIsEnough() {
    expect(outcome { _ in Observable.zip([Observable.from([1, 2])]) }, equals: "[1], [2], |")
  }

  @Test func completesWhenAllHave() throws {
    let clock = VirtualScheduler()
    let short = try clock.hot("a|")
    let long = try clock.hot("---1--2|")
    expect(clock.play(short.zip(long) { $1 + $0 }.map { _ in "x" }), equals: "---x---|")
    expect(short.subscriptions, equals: ["^!"])
    expect(long.subscriptions, equals: ["^------!"])
  }

  @Test func keepsNothingOnceNoFurtherPairCanCome() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("abcdefg|")
    expect(clock.play(Observable.zip([source, .empty()], backlog: 2)), equals: "-------|")
  }

  @Test func aFailureLeavesTheOthers() throws {
    let clock = VirtualScheduler()
    let other = try clock.hot("a-b-c|")
    expect(clock.play(Observable.zip([try clock.hot("-#"), other])), equals: "-#")
    expect(other.subscriptions, equals: ["^!"])
  }

  @Test func failsWhenOneIsTooFarAhead() throws {
    let clock = VirtualScheduler()
    let fast = try clock.hot("abc|")
    let recording = clock.record(Observable.zip([fast, .never()], backlog: 2))
    clock.run()
    expect(recording.drawing.line, equals: "--#")
    #expect(recording.error as? ReactiveError == .overflow(what: "the backlog of zip", limit: 2))
    expect(fast.subscriptions, equals: ["^-!"])
  }

  @Test func failsWhenTheClosureThrows() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("-a-b|")
    let paired = source.zip(.from(["1", "2"])) { _, _ -> String in throw Oops() }
    expect(clock.play(paired), equals: "-#")
    expect(source.subscriptions, equals: ["^!"])
  }
}
