import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct ConcatTests {
  @Test func startsEachWhenTheOneBeforeIsOver() throws {
    let clock = VirtualScheduler()
    let first = try clock.cold("a--b|")
    let second = try clock.cold("c--d|")
    expect(clock.play(Observable.concat([first, second])), equals: "a--bc--d|")
    expect(first.subscriptions, equals: ["^---!"])
    expect(second.subscriptions, equals: ["----^---!"])
  }

  @Test func missesWhatAHotSourceSaysBeforeItsTurn() throws {
    try expectMarbles("a--b--x|") { try $0.hot("a--b|").concat($0.hot("-y-y--x|")) }
  }

  @Test func aFailureEndsTheRow() throws {
    let clock = VirtualScheduler()
    let second = try clock.cold("c|")
    expect(clock.play(try clock.hot("a-#").concat(second)), equals: "a-#")
    #expect(second.subscriptions.isEmpty)
  }

  @Test func completesAtOnceWithoutSources() {
    expect(outcome { _ in Observable<Int>.concat([]) }, equals: "|")
    expect(
      outcome { _ in Observable.concat([Observable.from([1, 2]), Observable.just(3)]) }, equals: "1, 2, 3, |")
    expect(outcome { _ in Observable.just(1).concat(Observable.just(2)) }, equals: "1, 2, |")
  }

  @Test func doesNotStartTheNextOnceDisposed() throws {
    let clock = VirtualScheduler()
    let second = try clock.cold("c|")
    expect(clock.play(Observable.from(["a", "b"]).concat(second).take(2)), equals: "(ab|)")
    #expect(second.subscriptions.isEmpty)
  }

  @Test func manySourcesThatEndAtOnceTakeNoStack() {
    let sources = Array(repeating: Observable<Int>.from([1]), count: 20_000)
    expect(outcome { _ in Observable.concat(sources).reduce(0) { $0 + $1 } }, equals: "20000, |")
  }

  @Test func pagesThatNameTheNextOneTakeNoStackAndLinearTime() {
    @Sendable func page(_ number: Int) -> Observable<Int> {
      number == 100_000 ? .just(number) : .just(number).concat(.deferred { page(number + 1) })
    }
    let sum = Journal<Int>()
    let isBack = onSmallStack {
      page(1).reduce(0) { $0 + $1 }.subscribe(in: Subscription(), next: { sum.note($0) })
    }
    #expect(isBack)
    expect(sum.entries, equals: [100_000 * 100_001 / 2])
  }

  @Test func aRowMadeOneByOneIsOneRow() {
    var row = Observable.from([0])
    for number in 1...2_000 { row = row.concat(Observable.from([number])) }
    expect(outcome { _ in row.reduce(0) { $0 + $1 } }, equals: "2001000, |")
  }

  @Test func rowsThatWouldOverflowTheStackFailWithTheRemedy() {
    @Sendable func page(_ number: Int) -> Observable<Int> {
      Observable.just(number).concat(Observable.deferred { page(number + 1) }.map { $0 })
    }
    let log = Journal<String>()
    let isBack = onSmallStack(1 << 20) {
      page(1).subscribe(in: Subscription(), fail: { log.note("\($0)") })
    }
    #expect(isBack)
    #expect(log.entries.count == 1 && log.entries[0].contains("`expand`"), "\(log.entries)")
  }

  @Test func aRowInsideARowKeepsItsPlace() throws {
    try expectMarbles("ab-c-d|") { clock in
      let last = try clock.cold("-d|")
      let inner = Observable.concat([try clock.cold("-b|"), try clock.cold("-c|")])
      return Observable.concat([Observable.concat([.just("a"), inner]), last])
    }
  }

  @Test func whatARowInsideDependsOnStaysUntilItIsOver() {
    let log = Journal<String>()
    let inner = Observable.using({ 1 }, dispose: { _ in log.note("closed") }) {
      Observable.concat([Observable.just($0), Observable.just(2)])
    }
    Observable.concat([inner, Observable.just(3)]).subscribe(in: Subscription(), next: { log.note("\($0)") })
    expect(log.entries, equals: ["1", "2", "closed", "3"])
  }

  @Test func aDisposeStopsARowInsideARow() throws {
    let clock = VirtualScheduler()
    let (first, second, third) = (try clock.cold("a-|"), try clock.cold("b-b|"), try clock.cold("c|"))
    let row = Observable.concat([Observable.concat([first, second]), third])
    expect(clock.play(row, until: .seconds(3)), equals: "a-b")
    expect(second.subscriptions, equals: ["--^!"])
    #expect(third.subscriptions.isEmpty)
  }
}

@Suite struct StartWithTests {
  @Test func emitsSomeElementsFirst() throws {
    try expectMarbles("a--b--|") { try $0.hot("---b--|").startWith("a") }
    expect(outcome { _ in Observable.just(3).startWith(1, 2) }, equals: "1, 2, 3, |")
  }

  @Test func anEmptyOrFailingStreamEndsAfterThem() {
    expect(outcome { _ in Observable<Int>.empty().startWith(1) }, equals: "1, |")
    expect(outcome { _ in Observable<Int>.fail(Oops()).startWith(1) }, equals: "1, #")
  }

  @Test func noElementsChangeNothing() {
    expect(outcome { _ in Observable.just(3).startWith() }, equals: "3, |")
  }

  @Test func doesNotStartTheSourceOnceDisposed() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("b|")
    expect(clock.play(source.startWith("x", "y").take(1)), equals: "(x|)")
    #expect(source.subscriptions.isEmpty)
  }
}
