@testable import Reactive
import Testing

@Suite struct StartWithTests {
  @Test func emitsSomeElementsFirst() throws {
    try expectMarbles("a--b--|") { try $0.hot("---b--|").observable.startWith("a") }
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
    #expect(clock.play(source.observable.startWith("x", "y").take(1)) == "(x|)")
    #expect(source.subscriptions.isEmpty)
  }
}
