import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct FlatMapFirstTests {
  @Test func passesOverWhatComesWhileAStreamRuns() throws {
    let clock = VirtualScheduler()
    let inner = try clock.cold("-1--2|")
    let outer = try clock.hot("a-b------c------|")
    expect(clock.play(outer.flatMapFirst { _ in inner }), equals: "-1--2-----1--2--|")
    expect(inner.subscriptions, equals: ["^----!", "---------^----!"])
    expect(
      outcome { clock in
        Observable.from(1...3).flatMapFirst { Observable.just($0 * 10).delay(for: .seconds(1), on: clock) }
      }, equals: "10, |")
  }

  @Test func completesAfterTheInnerStream() throws {
    let clock = VirtualScheduler()
    let outer = try clock.hot("a|")
    let inner = try clock.cold("--x-|")
    expect(clock.play(outer.flatMapFirst { _ in inner }), equals: "--x-|")
    expect(outer.subscriptions, equals: ["^!"])
  }

  @Test func anEmptyOuterStreamCompletes() throws {
    try expectMarbles("--|") { try $0.hot("--|").flatMapFirst { Observable.just($0) } }
  }

  @Test func takesEachElementWhenStreamsEndAtOnce() throws {
    try expectMarbles("a-b-|") { try $0.hot("a-b-|").flatMapFirst { Observable.just($0) } }
  }

  @Test func anInnerFailureLeavesTheOuterStream() throws {
    let clock = VirtualScheduler()
    let outer = try clock.hot("a-----|")
    expect(clock.play(outer.flatMapFirst { _ in try clock.cold("-x-#") }), equals: "-x-#")
    expect(outer.subscriptions, equals: ["^--!"])
  }

  @Test func anOuterFailureEndsTheInnerStream() throws {
    let clock = VirtualScheduler()
    let inner = try clock.cold("-x-y-z|")
    expect(clock.play(try clock.hot("a--#").flatMapFirst { _ in inner }), equals: "-x-#")
    expect(inner.subscriptions, equals: ["^--!"])
  }

  @Test func failsWhenTheClosureThrows() throws {
    let clock = VirtualScheduler()
    let outer = try clock.hot("-a--|")
    expect(clock.play(outer.flatMapFirst { _ -> Observable<Int> in throw Oops() }), equals: "-#")
    expect(outer.subscriptions, equals: ["^!"])
  }
}
