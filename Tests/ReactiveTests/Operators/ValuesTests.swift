import Expectations
import Foundation
import Reactive
import ReactiveTesting
import TestScale
import Testing

@Suite struct ValuesTests {
  @Test func aLoopGetsWhatTheStreamEmits() async throws {
    var seen: [Int] = []
    for try await number in Observable.from(1...5).values { seen.append(number) }
    expect(seen, equals: [1, 2, 3, 4, 5])
  }

  @Test func theErrorIsThrownAfterTheElementsBeforeIt() async {
    var seen: [Int] = []
    await #expect(throws: Oops(number: 7)) {
      for try await number in Observable.from(1...2).concat(.fail(Oops(number: 7))).values {
        seen.append(number)
      }
    }
    expect(seen, equals: [1, 2])
  }

  @Test func subscribesWhenTheLoopBeginsAndLeavesWhenItEnds() async throws {
    let subject = PublishSubject<Int>()
    let values = subject.values
    #expect(!subject.hasObservers)
    do {
      var iterator = values.makeAsyncIterator()
      #expect(subject.hasObservers)
      subject.next(1)
      subject.next(2)
      try await expect(iterator.next(), equals: 1)
    }
    #expect(!subject.hasObservers)
  }

  @Test func leavingTheLoopStopsASourceWithoutEnd() async throws {
    let lane = SerialScheduler(name: "values")
    let disposed = Flag()
    let numbers = Observable.from(1...).do(dispose: { disposed.raise() }).subscribe(on: lane)
    for try await number in numbers.values(capacity: 4).prefix(2) { #expect(number <= 2) }
    #expect(disposed.isRaised)
  }

  @Test func aPresentValueIsThereAtOnceAndAnotherIsAwaited() async throws {
    let (present, relay, coming) = (BehaviorSubject(1), BehaviorRelay("a"), PublishSubject<Int>())
    present.next(2)
    expect(present.value, equals: 2)
    expect(relay.value, equals: "a")
    let upcast: Observable<Int> = present
    try await expect(upcast.value, equals: 2)
    try await expect(present.observable.value, equals: 2)
    async let awaited = coming.value
    while !coming.hasObservers { await Task.yield() }
    coming.next(3)
    try await expect(awaited, equals: 3)
    #expect(!coming.hasObservers)
  }

  @Test func cancellingTheTaskEndsTheLoopWithoutAnError() async throws {
    let subject = PublishSubject<Int>()
    let first = Flag()
    let task = Task {
      var count = 0
      for try await _ in subject.do(subscribe: { first.raise() }).values { count += 1 }
      return count
    }
    while !first.isRaised { await Task.yield() }
    task.cancel()
    try await expect(task.value, equals: 0)
    #expect(!subject.hasObservers)
  }

  @Test func aSourceThatIsReleasedEndsTheLoop() async throws {
    var subject: PublishSubject<Int>? = PublishSubject()
    var iterator = try #require(subject).map { $0 * 2 }.values.makeAsyncIterator()
    subject?.next(1)
    subject = nil
    try await expect(iterator.next(), equals: 2)
    try await expectNil(iterator.next())
    try await expectNil(iterator.next(), "and stays at its end")
  }

  @Test func eachLoopSubscribesByItself() async throws {
    let starts = Tally()
    let values = Observable.from(1...2).do(subscribe: { starts.add() }).values
    for _ in 0..<2 {
      for try await _ in values {}
    }
    expect(starts.value, equals: 2)
  }

  @Test(arguments: [(Overflow.dropOldest, [4, 5]), (.dropNewest, [1, 2])])
  func whatDoesNotFitIsDroppedAndCounted(_ overflow: Overflow, _ kept: [Int]) async throws {
    let counters = MailboxCounters()
    var seen: [Int] = []
    for try await number in Observable.from(1...5)
      .values(capacity: 2, overflow: overflow, counters: counters)
    {
      seen.append(number)
    }
    expect(seen, equals: kept)
    expect(counters.droppedCount, equals: 3)
  }

  @Test func failingIsAnOverflowToo() async throws {
    var iterator = Observable.from(1...5).values(capacity: 2, overflow: .fail).makeAsyncIterator()
    try await expect(iterator.next(), equals: 1)
    try await expect(iterator.next(), equals: 2)
    await #expect(throws: ReactiveError.overflow(what: "a mailbox", limit: 2)) { try await iterator.next() }
  }

  @Test func aSenderOnAThreadWaitsForTheLoop() async throws {
    let lane = SerialScheduler(name: "values")
    let counters = MailboxCounters()
    var last = 0
    for try await number in Observable.from(1...2000).subscribe(on: lane)
      .values(capacity: 4, counters: counters)
    {
      expect(number, equals: last + 1)
      last = number
    }
    expect(last, equals: 2000)
    expect(counters.acceptedCount, equals: 2000)
  }

  @Test func aTaskThatSendsToItsOwnLoopFailsInsteadOfStandingStill() async throws {
    let subject = PublishSubject<Int>()
    var iterator = subject.values(capacity: 2).makeAsyncIterator()
    for number in 1...3 { subject.next(number) }
    try await expect(iterator.next(), equals: 1)
    try await expect(iterator.next(), equals: 2)
    await #expect(throws: ReactiveError.standstill(limit: 2)) { try await iterator.next() }
  }

  @Test func whatIsSentWhileTheLoopSubscribesDoesNotWaitForIt() async throws {
    func numbers(_ count: Int) -> Observable<Int> {
      .create { emitter in for number in 0..<count { emitter.next(number) } }
    }
    var count = 0
    for try await _ in numbers(65_536).values(capacity: 2).prefix(65_536) { count += 1 }
    expect(count, equals: 65_536)
    count = 0
    let overflow = ReactiveError.overflow(what: "what `values` keeps while it subscribes", limit: 65_536)
    await #expect(throws: overflow) {
      for try await _ in numbers(65_537).values(capacity: 2) { count += 1 }
    }
    expect(count, equals: 65_536)
    #expect("\(overflow)".contains("`subscribe(on:)`"), "it names the remedy")
  }

  @Test func aSequenceIsAskedForMoreWhenTheLoopHasTakenWhatThereWas() async throws {
    let (sent, most) = (Tally(), 1_000_000)
    var (taken, furthest) = (0, 0)
    let numbers = Observable.from(0..<most).filter { $0 >= 0 }.do(next: { _ in sent.add() })
    for try await number in numbers.map({ $0 + 1 }).values(capacity: 16) {
      taken += 1
      expect(number, equals: taken)
      furthest = max(furthest, sent.value - taken)
      if taken == 100_000 { break }
    }
    #expect(furthest <= 16)
    taken = 0
    for try await _ in Observable.from(0..<most).values { taken += 1 }
    expect(taken, equals: most)
  }

  /// Streams that are made of sequences, more of them than a loop keeps while it subscribes.
  private static let many = 100_000
  private static let cold: [(String, Observable<Int>)] = [
    ("repeat", Observable.just(1).repeat(many)),
    ("concat", Observable.concat((0..<many).map { Observable.just($0) })),
    ("flatMap", Observable.from(0..<many).flatMap { .just($0) }),
    ("concatMap", Observable.from(0..<many).concatMap { .just($0) }),
    ("flatMapLatest", Observable.from(0..<many).flatMapLatest { .just($0) }),
    ("switchLatest", Observable.just(Observable.from(0..<many)).switchLatest()),
    ("expand", Observable.just(1).expand { $0 < many ? .just($0 + 1) : .empty() }),
    ("zip", Observable.from(0..<many).zip(.from(0...)) { $0 + $1 }.take(many)),
    ("zip list", Observable.zip([.from(0..<many), .from(0..<many + 1_000)]).map { $0[0] }),
    ("merge", Observable.from(0..<many / 2).merge(with: .from(0..<many / 2))),
  ]

  @Test(arguments: cold.indices) func aStreamMadeOfSequencesIsAskedToo(_ index: Int) async throws {
    let (name, stream) = Self.cold[index]
    let sent = Tally()
    var (taken, furthest) = (0, 0)
    for try await _ in stream.do(next: { _ in sent.add() }).values(capacity: 16) {
      taken += 1
      furthest = max(furthest, sent.value - taken)
    }
    expect(taken, equals: Self.many)
    #expect(furthest <= 17, "\(name)")
  }

  @Test func sequencesOfOneLoopTakeTurns() async throws {
    let three = [Observable.from(0..<3_000), Observable.from(0..<3_000), Observable.from(0..<10)]
    var sums: [Int] = []
    for stream in [Observable.merge(three), Observable.concat(three)] {
      var sum = 0
      for try await number in stream.values(capacity: 4) { sum += number }
      sums.append(sum)
    }
    expect(sums, equals: Array(repeating: 2 * 2_999 * 1_500 + 45, count: 2))
  }

  @Test func aSequenceThatSendsSeveralForOneElementGoesOverTheLimit() async throws {
    var count = 0
    let pairs = Observable.from(0..<1_000).transform(from: 0) { _, number, emit in
      for _ in 0..<100 { emit(number) }
    }
    for try await _ in pairs.values(capacity: 2) { count += 1 }
    expect(count, equals: 100_000)
  }

  @Test func whatIsStartedOnALaneIsSentThere() async throws {
    let lane = SerialScheduler(name: "values")
    let elsewhere = Tally()
    var count = 0
    let numbers = Observable.from(0..<5_000).do(next: { _ in if !lane.isCurrent { elsewhere.add() } })
    for try await _ in numbers.subscribe(on: lane).values(capacity: 4) { count += 1 }
    expect(count, equals: 5_000)
    expect(elsewhere.value, equals: 0)
  }

  @Test func aSequenceThatPausesIsReleasedWithTheLoop() async throws {
    weak var kept: Canary?
    do {
      let canary = Canary()
      kept = canary
      var iterator = Observable.from(0...).do(next: { _ in canary.chirp() }).values(capacity: 2)
        .makeAsyncIterator()
      try await expect(iterator.next(), equals: 0)
    }
    expectNil(kept)
  }

  @Test func aTaskOfTheModuleWaitsForTheLoopHoweverLong() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    for number in 0..<20 { continuation.yield(number) }
    continuation.finish()
    var seen: [Int] = []
    for try await number in Observable.from(stream).values(capacity: 1) {
      if number == 3 { try await Task.sleep(for: .milliseconds(1_300)) }
      seen.append(number)
    }
    expect(seen, equals: Array(0..<20))
  }

  @Test func valueIsTheFirstElement() async throws {
    let disposed = Flag()
    try await expect(Observable.from(1...).do(dispose: { disposed.raise() }).value, equals: 1)
    #expect(disposed.isRaised)
    try await expect(Observable.just(42).value, equals: 42)
    await #expect(throws: Oops(number: 3)) { try await Observable<Int>.fail(Oops(number: 3)).value }
    await #expect(throws: ReactiveError.noElement) { try await Observable<Int>.empty().value }
  }

  @Test func valueOfACancelledTaskThrows() async {
    let subject = PublishSubject<Int>()
    let task = Task { try await subject.value }
    while !subject.hasObservers { await Task.yield() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(!subject.hasObservers)
  }

  @Test func aLoopFedByFourThreadsGetsEverything() async throws {
    let many = TestScale.count(2000)
    let subject = PublishSubject<Int>()
    let ended = Tally()
    var iterator = subject.values(capacity: 8).makeAsyncIterator()
    for index in 0..<4 {
      Thread.detachNewThread {
        for number in 0..<many { subject.next(index * many + number) }
        if ended.next() == 4 { subject.complete() }
      }
    }
    var seen: [Int] = []
    while let number = try await iterator.next() { seen.append(number) }
    expect(seen.count, equals: 4 * many)
    for index in 0..<4 {
      let own = seen.filter { $0 / many == index }
      expect(own, equals: own.sorted(), "the order of each thread is kept")
    }
  }

  @Test func aSenderThatWaitsIsWokenWhenTheLoopIsLeft() async throws {
    let subject = PublishSubject<Int>()
    let counters = MailboxCounters()
    let sent = Flag()
    do {
      var iterator = subject.values(capacity: 1, counters: counters).makeAsyncIterator()
      Thread.detachNewThread {
        for number in 0..<10 { subject.next(number) }
        sent.raise()
      }
      try await expect(iterator.next(), equals: 0)
      while counters.waitCount == 0 { await Task.yield() }
      #expect(!sent.isRaised)
    }
    while !sent.isRaised { await Task.yield() }
    #expect(!subject.hasObservers)
  }

  @Test func whatALoopHeldIsReleasedWithIt() async throws {
    let subject = PublishSubject<Canary>()
    weak var waiting: Canary?
    weak var closure: Canary?
    do {
      let (element, captured) = (Canary(), Canary())
      (waiting, closure) = (element, captured)
      var iterator = subject.do(next: { _ in captured.chirp() }).values.makeAsyncIterator()
      subject.next(element)
      subject.next(element)
      #expect(try await iterator.next() === element)
    }
    expectNil(waiting)
    expectNil(closure)
  }
}
