@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct ConcatTests {
  @Test func startsEachWhenTheOneBeforeIsOver() throws {
    let clock = VirtualScheduler()
    let first = try clock.cold("a--b|")
    let second = try clock.cold("c--d|")
    #expect(clock.play(Observable.concat([first, second])) == "a--bc--d|")
    #expect(first.subscriptions == ["^---!"])
    #expect(second.subscriptions == ["----^---!"])
  }

  @Test func missesWhatAHotSourceSaysBeforeItsTurn() throws {
    try expectMarbles("a--b--x|") { try $0.hot("a--b|").concat($0.hot("-y-y--x|")) }
  }

  @Test func aFailureEndsTheRow() throws {
    let clock = VirtualScheduler()
    let second = try clock.cold("c|")
    #expect(clock.play(try clock.hot("a-#").concat(second)) == "a-#")
    #expect(second.subscriptions.isEmpty)
  }

  @Test func completesAtOnceWithoutSources() {
    #expect(outcome { _ in Observable<Int>.concat([]) } == "|")
    #expect(
      outcome { _ in Observable.concat([Observable.from([1, 2]), Observable.just(3)]) } == "1, 2, 3, |")
    #expect(outcome { _ in Observable.just(1).concat(Observable.just(2)) } == "1, 2, |")
  }

  @Test func doesNotStartTheNextOnceDisposed() throws {
    let clock = VirtualScheduler()
    let second = try clock.cold("c|")
    #expect(clock.play(Observable.from(["a", "b"]).concat(second).take(2)) == "(ab|)")
    #expect(second.subscriptions.isEmpty)
  }

  @Test func manySourcesThatEndAtOnceTakeNoStack() {
    let sources = Array(repeating: Observable<Int>.from([1]), count: 20_000)
    #expect(outcome { _ in Observable.concat(sources).reduce(0) { $0 + $1 } } == "20000, |")
  }
}

@Suite struct StartWithTests {
  @Test func emitsSomeElementsFirst() throws {
    try expectMarbles("a--b--|") { try $0.hot("---b--|").startWith("a") }
    #expect(outcome { _ in Observable.just(3).startWith(1, 2) } == "1, 2, 3, |")
  }

  @Test func anEmptyOrFailingStreamEndsAfterThem() {
    #expect(outcome { _ in Observable<Int>.empty().startWith(1) } == "1, |")
    #expect(outcome { _ in Observable<Int>.fail(Oops()).startWith(1) } == "1, #")
  }

  @Test func noElementsChangeNothing() {
    #expect(outcome { _ in Observable.just(3).startWith() } == "3, |")
  }

  @Test func doesNotStartTheSourceOnceDisposed() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("b|")
    #expect(clock.play(source.startWith("x", "y").take(1)) == "(x|)")
    #expect(source.subscriptions.isEmpty)
  }
}
