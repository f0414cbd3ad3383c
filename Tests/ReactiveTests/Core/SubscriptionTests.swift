import Expectations
@testable import Reactive
import TestScale
import Testing

@Suite struct SubscriptionTests {
  @Test func runsItsActionsOnceInTheirOrder() {
    let subscription = Subscription()
    let log = Journal<Int>()
    for number in 1...4 { subscription.onDispose { log.note(number) } }
    #expect(!subscription.isDisposed)
    subscription.dispose()
    subscription.dispose()
    #expect(subscription.isDisposed)
    expect(log.entries, equals: [1, 2, 3, 4])
  }

  @Test func anActionThatComesTooLateRunsAtOnce() {
    let subscription = Subscription()
    subscription.dispose()
    let log = Journal<Int>()
    subscription.onDispose { log.note(1) }
    expect(log.entries, equals: [1])
  }

  @Test func aParentDoesNotKeepTheChildrenThatAreOver() {
    let parent = Subscription()
    weak var gone: Subscription?
    weak var alive: Subscription?
    do {
      let first = parent.child()
      let second = parent.child()
      (gone, alive) = (first, second)
      first.dispose()
    }
    expectNil(gone)
    #expect(alive != nil)
    parent.dispose()
    expectNil(alive)
  }

  @Test func aChildEndsWithItsParentAndMayEndBefore() {
    let parent = Subscription()
    let first = parent.child()
    let second = parent.child()
    first.dispose()
    #expect(!parent.isDisposed)
    #expect(!second.isDisposed)
    parent.dispose()
    #expect(second.isDisposed)
    #expect(parent.child().isDisposed)
  }

  @Test func childrenGoOnWithoutAParentThatIsReleased() {
    let log = Journal<Int>()
    let children = {
      let parent = Subscription()
      return (1...3).map { _ in parent.child() }
    }()
    for (number, child) in children.enumerated() {
      #expect(!child.isDisposed)
      child.onDispose { log.note(number) }
      child.dispose()
    }
    expect(log.entries, equals: [0, 1, 2])
  }

  @Test func childrenMayEndWhileTheirParentIsReleased() {
    for _ in 0..<TestScale.count(2000, atMost: 20_000) {
      let parent = Unguarded<Subscription>(Subscription())
      let children = (0..<4).map { _ in parent.value.child() }
      let back = inThreads(2, patience: 60) { thread in
        if thread == 0 { parent.clear() } else { for child in children { child.dispose() } }
      }
      #expect(back)
    }
  }

  @Test func runsItsActionsInTheirOrderThoughTheFirstHasGone() {
    let subscription = Subscription()
    let log = Journal<Int>()
    let child = subscription.child()
    subscription.onDispose { log.note(2) }
    subscription.onDispose { log.note(3) }
    child.dispose()
    subscription.onDispose { log.note(4) }
    subscription.dispose()
    expect(log.entries, equals: [2, 3, 4])
  }

  @Test func childrenEndInTheirOrderHoweverDeepTheyAre() {
    let parent = Subscription()
    let log = Journal<Int>()
    var last = parent
    for level in 0..<100_000 {
      if level % 25_000 == 0 { last.onDispose { log.note(level) } }
      last = last.child()
    }
    parent.onDispose { log.note(-1) }
    #expect(onSmallStack { parent.dispose() })
    #expect(last.isDisposed)
    expect(log.entries, equals: [0, 25_000, 50_000, 75_000, -1])
  }

  @Test func disposingFromInsideAnActionIsAllowed() {
    let subscription = Subscription()
    let log = Journal<Int>()
    subscription.onDispose {
      subscription.dispose()
      log.note(1)
    }
    subscription.dispose()
    expect(log.entries, equals: [1])
  }

  /// What a child has of a parent that is gone already is used under the address sanitizer.
  @Test func aChildMayOutliveAParentThatIsReleasedWhileItEnds() {
    func grandchild(of parent: Subscription) -> Subscription { parent.child().child() }
    let parent = Subscription()
    let last = grandchild(of: parent)
    parent.dispose()
    #expect(last.isDisposed)
    last.dispose()

    let log = Journal<Int>()
    let root = Locked<Subscription?>(Subscription())
    let child = root.withLock { $0?.child() } ?? Subscription()
    Observable.just(1).subscribe(
      in: child,
      complete: {
        root.withLock { $0.take() }?.dispose()
        log.note(1)
      })
    child.dispose()
    expect(log.entries, equals: [1])
  }

  @Test func endsManyChildrenInLittleTime() {
    let parent = Subscription()
    let children = (0..<TestScale.count(200_000, atMost: 200_000)).map { _ in parent.child() }
    let start = ContinuousClock.now
    let back = inThreads(1, patience: 60) { _ in parent.dispose() }
    #expect(back)
    let all = children.allSatisfy { $0.isDisposed }
    #expect(all)
    #expect(ContinuousClock.now - start < .seconds(60))
  }
}
