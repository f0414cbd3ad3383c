import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct TakeTests {
  @Test func emitsTheFirstElementsAndLeavesTheSource() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a--b--c--d--|")
    expect(clock.play(source.take(2)), equals: "a--(b|)")
    expect(source.subscriptions, equals: ["^--!"])
    expect(outcome { _ in Observable.from(1...9).take(2) }, equals: "1, 2, |")
  }

  @Test func zeroOrLessCompletesWithoutStartingTheSource() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("a|")
    expect(clock.play(source.take(0)), equals: "|")
    expect(clock.play(source.take(-1)), equals: "|")
    #expect(source.subscriptions.isEmpty)
  }

  @Test func fewerThanAskedForEndWithTheSource() throws {
    try expectMarbles("a-b-|") { try $0.hot("a-b-|").take(5) }
    try expectMarbles("a-b-#") { try $0.hot("a-b-#").take(5) }
    try expectMarbles("-|") { try $0.hot("-|").take(5) }
  }

  @Test func aFailureOfTheSameInstantComesTooLate() throws {
    try expectMarbles("-(a|)") { try $0.hot("-(a#)").take(1) }
  }

  @Test func anElementSentFromInsideTheLastOneIsNotEmitted() {
    let subject = PublishSubject<Int>()
    let log = Journal<Int>()
    _ = subject.take(1).subscribe(next: { value in
      log.note(value)
      subject.next(value + 1)
    })
    subject.next(1)
    expect(log.entries, equals: [1])
    #expect(!subject.hasObservers)
  }
}

@Suite struct FirstTests {
  @Test func emitsTheFirstThatSatisfiesTheConditionAndLeavesTheSource() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("1--2--3--|")
    expect(clock.play(source.first(where: { $0 > "1" })), equals: "---(2|)")
    expect(source.subscriptions, equals: ["^--!"])
    expect(outcome { _ in Observable.from(1...9).first(where: { $0 > 3 }) }, equals: "4, |")
  }

  @Test func emitsTheFirstOfAll() throws {
    try expectMarbles("-(a|)") { try $0.hot("-a-b|").first() }
    expect(outcome { _ in Observable.from(1...9).first() }, equals: "1, |")
  }

  @Test func completesWithoutAnElementWhenThereIsNone() throws {
    try expectMarbles("---|") { try $0.hot("abc|").first(where: { $0 == "x" }) }
    try expectMarbles("-|") { try $0.hot("-|").first() }
  }

  @Test func passesAFailureOn() throws {
    try expectMarbles("-#") { try $0.hot("a#").first(where: { $0 == "x" }) }
  }

  @Test func failsWhenTheClosureThrows() throws {
    try expectMarbles("-#") { try $0.hot("-a-b|").first(where: { _ in throw Oops() }) }
  }
}
