import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct AmbTests {
  @Test func staysWithTheFirstToSpeakAndSendsTheOthersHome() throws {
    let clock = VirtualScheduler()
    let letters = try clock.hot("----a--b--|")
    let digits = try clock.hot("--1---2---|")
    expect(clock.play(Observable.amb([letters, digits])), equals: "--1---2---|")
    expect(letters.subscriptions, equals: ["^-!"])
    expect(digits.subscriptions, equals: ["^---------!"])
  }

  @Test func aFailureWinsToo() throws {
    let clock = VirtualScheduler()
    let other = try clock.hot("--a|")
    expect(clock.play(Observable.amb([try clock.hot("-#"), other])), equals: "-#")
    expect(other.subscriptions, equals: ["^!"])
  }

  @Test func aCompletionWinsToo() throws {
    try expectMarbles("-|") { Observable.amb([try $0.hot("-|"), try $0.hot("--a|")]) }
  }

  @Test func startsNoMoreOnceOneHasSpoken() throws {
    let clock = VirtualScheduler()
    let other = try clock.hot("a|")
    expect(clock.play(Observable.amb([.just("x"), other])), equals: "(x|)")
    #expect(other.subscriptions.isEmpty)
  }

  @Test func aLoserThatEndsLaterIsNotHeard() throws {
    try expectMarbles("-a--b|") {
      Observable.amb([try $0.hot("-a--b|"), try $0.hot("--#")])
    }
  }

  @Test func completesAtOnceWithoutSources() {
    expect(outcome { _ in Observable<Int>.amb([]) }, equals: "|")
    expect(outcome { _ in Observable.amb([Observable.never(), Observable.just(1)]) }, equals: "1, |")
  }
}
