@testable import Reactive
import Testing

@Suite struct FirstTests {
  @Test func emitsTheFirstThatSatisfiesTheConditionAndLeavesTheSource() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("1--2--3--|")
    #expect(clock.play(source.observable.first(where: { $0 > "1" })) == "---(2|)")
    #expect(source.subscriptions == ["^--!"])
    #expect(outcome { _ in Observable.from(1...9).first(where: { $0 > 3 }) } == "4, |")
  }

  @Test func emitsTheFirstOfAll() throws {
    try expectMarbles("-(a|)") { try $0.hot("-a-b|").observable.first() }
    #expect(outcome { _ in Observable.from(1...9).first() } == "1, |")
  }

  @Test func completesWithoutAnElementWhenThereIsNone() throws {
    try expectMarbles("---|") { try $0.hot("abc|").observable.first(where: { $0 == "x" }) }
    try expectMarbles("-|") { try $0.hot("-|").observable.first() }
  }

  @Test func passesAFailureOn() throws {
    try expectMarbles("-#") { try $0.hot("a#").observable.first(where: { $0 == "x" }) }
  }

  @Test func failsWhenTheClosureThrows() throws {
    try expectMarbles("-#") { try $0.hot("-a-b|").observable.first(where: { _ in throw Oops() }) }
  }
}
