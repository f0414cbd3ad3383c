@testable import Reactive
import Testing

@Suite struct TakeTests {
  @Test func emitsTheFirstElementsAndLeavesTheSource() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a--b--c--d--|")
    #expect(clock.play(source.observable.take(2)) == "a--(b|)")
    #expect(source.subscriptions == ["^--!"])
    #expect(outcome { _ in Observable.from(1...9).take(2) } == "1, 2, |")
  }

  @Test func zeroOrLessCompletesWithoutStartingTheSource() throws {
    let clock = VirtualScheduler()
    let source = try clock.cold("a|")
    #expect(clock.play(source.observable.take(0)) == "|")
    #expect(clock.play(source.observable.take(-1)) == "|")
    #expect(source.subscriptions.isEmpty)
  }

  @Test func fewerThanAskedForEndWithTheSource() throws {
    try expectMarbles("a-b-|") { try $0.hot("a-b-|").observable.take(5) }
    try expectMarbles("a-b-#") { try $0.hot("a-b-#").observable.take(5) }
    try expectMarbles("-|") { try $0.hot("-|").observable.take(5) }
  }

  @Test func aFailureOfTheSameInstantComesTooLate() throws {
    try expectMarbles("-(a|)") { try $0.hot("-(a#)").observable.take(1) }
  }

  @Test func anElementSentFromInsideTheLastOneIsNotEmitted() {
    let subject = PublishSubject<Int>()
    let log = Journal<Int>()
    subject.observable.take(1).subscribe(next: { value in
      log.note(value)
      subject.next(value + 1)
    })
    subject.next(1)
    #expect(log.entries == [1])
    #expect(!subject.hasObservers)
  }
}
