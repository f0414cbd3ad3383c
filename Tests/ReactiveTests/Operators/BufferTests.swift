import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct BufferTests {
  @Test func gathersListsAndEmitsTheRestAtCompletion() throws {
    try expectMarbles("---a-----(c|)", legend: ["a = ab"]) {
      try $0.hot("a--b--c--|").buffer(2).map { $0.joined() }
    }
    expect(outcome { _ in Observable.from(1...5).buffer(2) }, equals: "[1, 2], [3, 4], [5], |")
  }

  @Test func emitsAListSomeTimeAfterItsFirstElement() throws {
    try expectMarbles("-----a--------(c|)", legend: ["a = ab"]) { clock in
      try clock.hot("a--b--------c-|").buffer(9, or: .seconds(5), on: clock).map { $0.joined() }
    }
    expect(outcome { Observable.from(1...3).buffer(2, or: .seconds(1), on: $0) }, equals: "[1, 2], [3], |")
  }

  @Test func theTimeOfAFullListDoesNotCutTheNext() throws {
    try expectMarbles("a------c----|", legend: ["a = ab"]) { clock in
      try clock.hot("(ab)--c--------|").buffer(2, or: .seconds(4), on: clock).map { $0.joined() }
    }
  }

  @Test func anElementAtTheDeadlineGoesWithTheListThatWasThereFirst() throws {
    try expectMarbles("-----a---|", legend: ["a = ab"]) { clock in
      try clock.hot("a----b---|").buffer(9, or: .seconds(5), on: clock).map { $0.joined() }
    }
  }

  @Test func aFailureDropsTheUnfinishedList() throws {
    try expectMarbles("--#") { try $0.hot("a-#").buffer(2).map { $0.joined() } }
    try expectMarbles("--#") { clock in
      try clock.hot("a-#").buffer(2, or: .seconds(9), on: clock).map { $0.joined() }
    }
  }

  @Test func anEmptySourceGivesNoList() throws {
    try expectMarbles("--|") { try $0.hot("--|").buffer(2).map { $0.joined() } }
  }

  @Test func aCountBelowOneIsOne() throws {
    try expectMarbles("a-b|") { try $0.hot("a-b|").buffer(0).map { $0.joined() } }
  }

  @Test func disposingTakesTheTimerBack() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a--|")
    let recording = clock.record(source.buffer(9, or: .seconds(99), on: clock))
    clock.advance(to: Instant() + .seconds(1))
    recording.subscription.dispose()
    clock.run()
    #expect(recording.records.isEmpty)
    expect(clock.now, equals: Instant() + .seconds(3))
    expect(source.subscriptions, equals: ["^!"])
  }
}
