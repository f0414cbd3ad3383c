import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct MergeTests {
  @Test func emitsWhatAllEmitAndCompletesWhenAllHave() throws {
    try expectMarbles("a--1--b-2----|") {
      try Observable.merge([$0.hot("a-----b----|"), $0.hot("---1----2----|")])
    }
    expect(
      outcome { _ in Observable.merge([Observable.from([1, 2]), Observable.just(3)]) }, equals: "1, 2, 3, |")
    expect(outcome { _ in Observable.just(1).merge(with: Observable.just(2)) }, equals: "1, 2, |")
  }

  @Test func completesAtOnceWithoutSources() {
    expect(outcome { _ in Observable<Int>.merge([]) }, equals: "|")
  }

  @Test func anEmptySourceChangesNothing() throws {
    try expectMarbles("-a-|") { try $0.hot("-a-|").merge(with: .empty()) }
  }

  @Test func aFailureLeavesTheOthers() throws {
    let clock = VirtualScheduler()
    let other = try clock.hot("a--b--c|")
    expect(clock.play(try clock.hot("-x--#").merge(with: other)), equals: "ax-b#")
    expect(other.subscriptions, equals: ["^---!"])
  }

  @Test func startsNoMoreOnceItIsOver() throws {
    let clock = VirtualScheduler()
    let other = try clock.hot("a|")
    expect(clock.play(Observable.merge([.fail(Oops()), other])), equals: "#")
    #expect(other.subscriptions.isEmpty)
  }

  @Test func disposingLeavesAll() throws {
    let clock = VirtualScheduler()
    let first = try clock.hot("a-----|")
    let second = try clock.hot("-b----|")
    expect(clock.play(first.merge(with: second).take(2)), equals: "a(b|)")
    expect(first.subscriptions, equals: ["^!"])
    expect(second.subscriptions, equals: ["^!"])
  }
}
