import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct MaterializeTests {
  @Test func turnsWhatHappensIntoElements() throws {
    try expectMarbles("a--b--(c|)", legend: ["a = next a", "b = next b", "c = failed"]) {
      try $0.hot("a--b--#").materialize().map { event in
        switch event {
        case .next(let text): "next \(text)"
        case .failed: "failed"
        case .completed: "completed"
        }
      }
    }
    expect(outcome { _ in Observable.just(1).materialize().map { $0.isTerminal } }, equals: "false, true, |")
  }

  @Test func anEmptyStreamIsOneEvent() {
    expect(outcome { _ in Observable<Int>.empty().materialize().map { $0.isTerminal } }, equals: "true, |")
  }

  @Test func turnsEventsBackAndStopsAtTheFirstTerminal() throws {
    expect(
      outcome { _ in
        Observable.from([StreamEvent.next(1), .completed, .next(2)]).dematerialize { $0 }
      }, equals: "1, |")
    expect(
      outcome { _ in
        Observable.from([StreamEvent.next(1), .failed(Oops()), .next(2)]).dematerialize { $0 }
      }, equals: "1, #")
  }

  @Test func thereAndBackIsTheSame() throws {
    try expectMarbles("a-b--#") { try $0.hot("a-b--#").materialize().dematerialize { $0 } }
    try expectMarbles("a-b--|") { try $0.hot("a-b--|").materialize().dematerialize { $0 } }
  }

  @Test func aTerminalEventLeavesTheSource() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a-b--|")
    let events = source.dematerialize {
      $0 == "b" ? StreamEvent<String>.completed : .next($0)
    }
    expect(clock.play(events), equals: "a-|")
    expect(source.subscriptions, equals: ["^-!"])
  }

  @Test func failsWhenTheClosureThrows() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("-a-|")
    expect(clock.play(source.dematerialize { _ -> StreamEvent<Int> in throw Oops() }), equals: "-#")
    expect(source.subscriptions, equals: ["^!"])
  }
}
