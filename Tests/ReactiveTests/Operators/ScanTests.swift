import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct ScanTests {
  @Test func emitsTheRunningValue() throws {
    try expectMarbles("1--3--6--|") { try $0.hot("1--2--3--|").scan(0) { $0 + (Int($1) ?? 0) } }
    expect(outcome { _ in Observable.from(1...4).scan(0) { $0 + $1 } }, equals: "1, 3, 6, 10, |")
  }

  @Test func foldsInPlace() {
    expect(
      outcome { _ in Observable.from(1...3).scan(into: [Int]()) { $0.append($1) } },
      equals: "[1], [1, 2], [1, 2, 3], |")
  }

  @Test func anEmptySourceGivesNothing() throws {
    try expectMarbles("--|") { try $0.hot("--|").scan("x") { $0 + $1 } }
  }

  @Test func passesAFailureOn() throws {
    try expectMarbles("a-#") { try $0.hot("a-#").scan("") { $0 + $1 } }
  }

  @Test func failsWhenTheClosureThrowsAndLeavesTheSource() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("-a-b|")
    expect(clock.play(source.scan(0) { _, _ in throw Oops() }), equals: "-#")
    expect(source.subscriptions, equals: ["^!"])
  }

  @Test func anElementSentFromInsideADeliveryIsFoldedAfterIt() {
    let subject = PublishSubject<Int>()
    let log = Journal<Int>()
    _ = subject.scan(0) { $0 + $1 }.subscribe(next: { value in
      log.note(value)
      if value == 1 { subject.next(10) }
    })
    subject.next(1)
    subject.next(100)
    expect(log.entries, equals: [1, 11, 111])
  }
}
