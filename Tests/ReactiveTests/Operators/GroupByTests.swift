import Reactive
import Testing

@Suite struct GroupByTests {
  /// Each group as one text, when it is over.
  private func joined(_ groups: Observable<Group<String, String>>) -> Observable<String> {
    groups.flatMap { group in group.elements.reduce("") { $0 + $1 } }
  }

  @Test func sortsElementsIntoAStreamForEachKey() throws {
    let clock = VirtualScheduler()
    let log = Journal<String>()
    let groups = try clock.hot("a--b--A--|").observable.group { $0.lowercased() }
    let recording = clock.record(
      groups.flatMap { group in
        group.elements.do(
          next: { log.note("\(group.key): \($0)") }, complete: { log.note("\(group.key) ends") })
      })
    clock.run()
    #expect(recording.drawing.line == "a--b--A--|")
    #expect(log.entries == ["a: a", "b: b", "a: A", "b ends", "a ends"])
    #expect(
      outcome { _ in Observable.from(1...4).group { $0 % 2 }.flatMap { $0.elements.takeLast(1) } }
        == "3, 4, |")
  }

  @Test func emitsAGroupWhenItsKeyIsFirstSeen() throws {
    try expectMarbles("x--y-----|") {
      try $0.hot("x--y--X--|").observable.group { $0.lowercased() }.map(\.key)
    }
  }

  @Test func oneGroupTooManyCompletesTheOneQuietLongest() throws {
    try expectMarbles("--a-b(x|)", legend: ["a = xX", "b = yY"]) {
      joined(try $0.hot("xXyYx|").observable.group(limit: 1, completesOldest: true) { $0.lowercased() })
    }
    try expectMarbles("---y(az|)", legend: ["a = xX"]) {
      joined(try $0.hot("xyXz|").observable.group(limit: 2, completesOldest: true) { $0.lowercased() }).filter
      { !$0.isEmpty }
    }
  }

  @Test func oneGroupTooManyIsAFailure() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("xyXzx|")
    let recording = clock.record(joined(source.observable.group(limit: 2) { $0.lowercased() }))
    clock.run()
    #expect(recording.drawing.line == "---#")
    #expect(recording.error as? ReactiveError == .overflow(what: "the list of groups", limit: 2))
    #expect(source.subscriptions == ["^--!"])
    let many = Observable.from(0..<20_000).group { $0 % 2000 }.flatMap {
      $0.elements.reduce(0) { sum, _ in sum + 1 }
    }
    #expect(outcome { _ in many } == "#")
  }

  @Test func aFailureGoesToTheOpenGroupsAndOn() throws {
    let clock = VirtualScheduler()
    let log = Journal<String>()
    let groups = try clock.hot("ab#").observable.group { $0 }
    let recording = clock.record(
      groups.do(next: { group in
        _ = group.elements.subscribe(fail: { _ in log.note("\(group.key) fails") })
      }).map(\.key))
    clock.run()
    #expect(recording.drawing.line == "ab#")
    #expect(log.entries == ["a fails", "b fails"])
  }

  @Test func disposingCompletesTheOpenGroups() throws {
    let clock = VirtualScheduler()
    let log = Journal<String>()
    let source = try clock.hot("ab-c|")
    let groups = source.observable.group { $0 }.do(next: { group in
      _ = group.elements.subscribe(complete: { log.note("\(group.key) ends") })
    })
    #expect(clock.play(groups.map(\.key), until: .seconds(2)) == "ab")
    #expect(log.entries == ["a ends", "b ends"])
    #expect(source.subscriptions == ["^-!"])
  }

  @Test func anEmptySourceHasNoGroups() throws {
    try expectMarbles("-|") { try $0.hot("-|").observable.group { $0 }.map(\.key) }
  }

  @Test func failsWhenTheClosureThrowsAndLeavesTheSource() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("-a-b|")
    #expect(clock.play(source.observable.group { _ -> Int in throw Oops() }) == "-#")
    #expect(source.subscriptions == ["^!"])
  }

  @Test func aGroupThatEndsTheSubscriptionAtItsEndIsNotFollowedByACompletion() {
    let log = Journal<String>()
    let sums = Observable.from(1...4).group { $0 % 2 }.do(complete: { log.note("complete") })
      .flatMap { $0.elements.reduce(0) { $0 + $1 }.map { _ -> Int in throw Oops() } }
    #expect(outcome { _ in sums } == "#")
    #expect(log.entries.isEmpty)
  }
}
