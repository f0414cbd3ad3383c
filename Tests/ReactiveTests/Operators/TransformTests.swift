import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct TransformTests {
  /// Each element as often as elements have come, and at the end how many these were.
  private func repeated(_ source: Observable<String>) -> Observable<String> {
    source.transform(
      from: 0,
      { count, value, emit in
        count += 1
        for _ in 0..<count { emit(value) }
      },
      atEnd: { count, emit in emit("\(count)") })
  }

  @Test func emitsAnyNumberAndMoreAtTheEnd() throws {
    try expectMarbles("a--(bb)----(ccc)----(3|)") { repeated(try $0.hot("a--b----c----|")) }
    try expectMarbles("--(0|)") { repeated(try $0.hot("--|")) }
  }

  @Test func dropsDuplicatesAsInItsDocumentation() throws {
    try expectMarbles("1--2-----3--(6|)") {
      try $0.hot("1--2--2--3--|").transform(
        from: 0,
        { last, text, emit in
          let value = Int(text) ?? 0
          if value != last { emit("\(value)") }
          last = value
        }, atEnd: { last, emit in emit("\(last * 2)") })
    }
  }

  @Test func passesAFailureOnWithoutAnEnd() throws {
    try expectMarbles("a-#") { repeated(try $0.hot("a-#")) }
  }

  @Test func failsWhenAClosureThrowsAndLeavesTheSource() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("-a-b|")
    let thrown = source.transform(
      from: 0,
      { (_, value: String, emit: (String) -> Void) in
        emit(value)
        throw Oops()
      })
    expect(clock.play(thrown), equals: "-(a#)")
    expect(source.subscriptions, equals: ["^!"])
    try expectMarbles("-a-#") {
      try $0.hot("-a-|").transform(from: 0, { $2($1) }, atEnd: { _, _ in throw Oops() })
    }
  }

  @Test func eachSubscriptionBeginsWithTheStateThatIsGiven() {
    let counted = Observable.from(["x"]).transform(from: 1) { (count: inout Int, _, emit: (Int) -> Void) in
      emit(count)
      count += 1
    }
    for _ in 0..<2 { expect(outcome { _ in counted }, equals: "1, |") }
  }

  @Test func nothingFollowsATake() {
    let numbers = Observable.from(1...3).transform(from: ()) { (_, value: Int, emit: (Int) -> Void) in
      emit(value)
      emit(-value)
    }
    expect(outcome { _ in numbers.take(3) }, equals: "1, -1, 2, |")
  }

  @Test func anElementSentFromInsideADeliveryComesAfterIt() {
    let subject = PublishSubject<Int>()
    let log = Journal<Int>()
    let sums = subject.transform(from: 0) { (sum: inout Int, value, emit: (Int) -> Void) in
      sum += value
      emit(sum)
      emit(-sum)
    }
    _ = sums.subscribe(next: { value in
      log.note(value)
      if value == 1 { subject.next(10) }
    })
    subject.next(1)
    expect(log.entries, equals: [1, -1, 11, -11])
  }
}
