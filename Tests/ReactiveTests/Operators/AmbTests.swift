@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct AmbTests {
  @Test func staysWithTheFirstToSpeakAndSendsTheOthersHome() throws {
    let clock = VirtualScheduler()
    let letters = try clock.hot("----a--b--|")
    let digits = try clock.hot("--1---2---|")
    #expect(clock.play(Observable.amb([letters, digits])) == "--1---2---|")
    #expect(letters.subscriptions == ["^-!"])
    #expect(digits.subscriptions == ["^---------!"])
  }

  @Test func aFailureWinsToo() throws {
    let clock = VirtualScheduler()
    let other = try clock.hot("--a|")
    #expect(clock.play(Observable.amb([try clock.hot("-#"), other])) == "-#")
    #expect(other.subscriptions == ["^!"])
  }

  @Test func aCompletionWinsToo() throws {
    try expectMarbles("-|") { Observable.amb([try $0.hot("-|"), try $0.hot("--a|")]) }
  }

  @Test func startsNoMoreOnceOneHasSpoken() throws {
    let clock = VirtualScheduler()
    let other = try clock.hot("a|")
    #expect(clock.play(Observable.amb([.just("x"), other])) == "(x|)")
    #expect(other.subscriptions.isEmpty)
  }

  @Test func aLoserThatEndsLaterIsNotHeard() throws {
    try expectMarbles("-a--b|") {
      Observable.amb([try $0.hot("-a--b|"), try $0.hot("--#")])
    }
  }

  @Test func completesAtOnceWithoutSources() {
    #expect(outcome { _ in Observable<Int>.amb([]) } == "|")
    #expect(outcome { _ in Observable.amb([Observable.never(), Observable.just(1)]) } == "1, |")
  }
}
