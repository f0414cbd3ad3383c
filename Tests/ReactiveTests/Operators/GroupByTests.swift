import Expectations
import Glibc
import Reactive
import ReactiveTesting
import TestScale
import Testing

@Suite struct GroupByTests {
  /// Each group as one text, when it is over.
  private func joined(_ groups: Observable<Group<String, String>>) -> Observable<String> {
    groups.flatMap { group in group.reduce("") { $0 + $1 } }
  }

  @Test func sortsElementsIntoAStreamForEachKey() throws {
    let clock = VirtualScheduler()
    let log = Journal<String>()
    let groups = try clock.hot("a--b--A--|").group { $0.lowercased() }
    let recording = clock.record(
      groups.flatMap { group in
        group.do(
          next: { log.note("\(group.key): \($0)") }, complete: { log.note("\(group.key) ends") })
      })
    clock.run()
    expect(recording.drawing.line, equals: "a--b--A--|")
    expect(log.entries, equals: ["a: a", "b: b", "a: A", "b ends", "a ends"])
    expect(
      outcome { _ in Observable.from(1...4).group { $0 % 2 }.flatMap { $0.takeLast(1) } }, equals: "3, 4, |")
  }

  @Test func emitsAGroupWhenItsKeyIsFirstSeen() throws {
    try expectMarbles("x--y-----|") {
      try $0.hot("x--y--X--|").group { $0.lowercased() }.map(\.key)
    }
  }

  @Test func oneGroupTooManyCompletesTheOneQuietLongest() throws {
    try expectMarbles("--a-b(x|)", legend: ["a = xX", "b = yY"]) {
      joined(try $0.hot("xXyYx|").group(limit: 1, completesOldest: true) { $0.lowercased() })
    }
    try expectMarbles("---y(az|)", legend: ["a = xX"]) {
      joined(try $0.hot("xyXz|").group(limit: 2, completesOldest: true) { $0.lowercased() }).filter {
        !$0.isEmpty
      }
    }
  }

  @Test func oneGroupTooManyIsAFailure() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("xyXzx|")
    let recording = clock.record(joined(source.group(limit: 2) { $0.lowercased() }))
    clock.run()
    expect(recording.drawing.line, equals: "---#")
    #expect(recording.error as? ReactiveError == .overflow(what: "the list of groups", limit: 2))
    expect(source.subscriptions, equals: ["^--!"])
    let many = Observable.from(0..<20_000).group { $0 % 2000 }.flatMap {
      $0.reduce(0) { sum, _ in sum + 1 }
    }
    expect(outcome { _ in many }, equals: "#")
  }

  @Test func aFailureGoesToTheOpenGroupsAndOn() throws {
    let clock = VirtualScheduler()
    let log = Journal<String>()
    let groups = try clock.hot("ab#").group { $0 }
    let recording = clock.record(
      groups.do(next: { group in
        _ = group.subscribe(fail: { _ in log.note("\(group.key) fails") })
      }).map(\.key))
    clock.run()
    expect(recording.drawing.line, equals: "ab#")
    expect(log.entries, equals: ["a fails", "b fails"])
  }

  @Test func disposingCompletesTheOpenGroups() throws {
    let clock = VirtualScheduler()
    let log = Journal<String>()
    let source = try clock.hot("ab-c|")
    let groups = source.group { $0 }.do(next: { group in
      _ = group.subscribe(complete: { log.note("\(group.key) ends") })
    })
    expect(clock.play(groups.map(\.key), until: .seconds(2)), equals: "ab")
    expect(log.entries, equals: ["a ends", "b ends"])
    expect(source.subscriptions, equals: ["^-!"])
  }

  @Test func anEmptySourceHasNoGroups() throws {
    try expectMarbles("-|") { try $0.hot("-|").group { $0 }.map(\.key) }
  }

  @Test func failsWhenTheClosureThrowsAndLeavesTheSource() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("-a-b|")
    expect(clock.play(source.group { _ -> Int in throw Oops() }), equals: "-#")
    expect(source.subscriptions, equals: ["^!"])
  }

  @Test func aGroupThatEndsTheSubscriptionAtItsEndIsNotFollowedByACompletion() {
    let log = Journal<String>()
    let sums = Observable.from(1...4).group { $0 % 2 }.do(complete: { log.note("complete") })
      .flatMap { $0.reduce(0) { $0 + $1 }.map { _ -> Int in throw Oops() } }
    expect(outcome { _ in sums }, equals: "#")
    #expect(log.entries.isEmpty)
  }

  @Test func aSourceThatIsReleasedWhileAnotherThreadDisposesEndsTheGroupsOnce() {
    for _ in 0..<TestScale.count(30, atMost: 1000) {
      let subscription = Subscription()
      let isRunning = ConditionLock(false)
      let ends = Locked(0)
      let starts = Locked(0)
      let source = Observable<Int>.create { emitter in
        _ = startThread(named: "source") {
          var number = 0
          while !emitter.isDisposed {
            emitter.next(number & 63)
            number += 1
            if number == 64 { isRunning.change { $0 = true } }
          }
          isRunning.change { $0 = false }
        }
      }
      source.group { $0 }.subscribe(
        in: subscription,
        next: { group in
          starts.withLock { $0 += 1 }
          _ = group.subscribe(complete: { ends.withLock { $0 += 1 } })
        })
      _ = isRunning.wait { $0 ? true : nil }
      subscription.dispose()
      _ = isRunning.wait { $0 ? nil : true }
      // The thread lets go of the groups after that.
      let deadline = MonotonicClock.now + .seconds(10)
      while ends.withLock({ $0 }) < starts.withLock({ $0 }), MonotonicClock.now < deadline { usleep(100) }
      expect(ends.withLock { $0 }, equals: starts.withLock { $0 })
    }
  }
}
