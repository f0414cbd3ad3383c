import Expectations
import Reactive
import ReactiveTesting
import Testing

@Suite struct CombineLatestPackTests {
  @Test func combinesStreamsOfAnyTypes() throws {
    try expectMarbles("----a-b-c-|", legend: ["a = a1#", "b = a2#", "c = b2#"]) { clock in
      let digits = try clock.hot("--1---2---|", ["1": 1, "2": 2])
      let marks = try clock.hot("----x-----|", ["x": Character("#")])
      return Observable.combineLatest(
        try clock.hot("a-------b-|"), digits, marks
      ) {
        "\($0)\($1)\($2)"
      }
    }
  }

  @Test func eightOfThem() {
    expect(
      outcome { _ in
        Observable.combineLatest(
          .just(1), .just("a"), .just(2.5), .just(true), .just([1]), .just(Character("c")), .just(1...2),
          Observable.from([8, 9])
        ) { "\($0)\($1)\($2)\($3)\($4)\($5)\($6)\($7)" }
      }, equals: "1a2.5true[1]c1...28, 1a2.5true[1]c1...29, |")
  }

  @Test func makesTuples() {
    expect(
      outcome { _ in Observable.combineLatest(Observable.just(1), Observable.just("a"), Observable.just(2.5))
      }, equals: "(1, \"a\", 2.5), |")
  }

  @Test func endsWhenAllHaveOrTheLastOneEmitsInVain() throws {
    try expectMarbles("a--b-|", legend: ["a = xyz", "b = xyw"]) { clock in
      let last = try clock.hot("z--w-|")
      return Observable.combineLatest(.just("x"), try clock.hot("y|"), last) {
        $0 + $1 + $2
      }
    }
    try expectMarbles("----|") { clock in
      let (empty, last) = (try clock.hot("--|"), try clock.hot("-x--y"))
      return Observable.combineLatest(.just("x"), empty, last) {
        $0 + $1 + $2
      }
    }
  }

  @Test func aFailureLeavesTheOthers() throws {
    let clock = VirtualScheduler()
    let (first, second) = (try clock.hot("a--b|"), try clock.hot("-#"))
    expect(
      clock.play(
        Observable.combineLatest(first, second, .just(1)) { "\($0)\($1)\($2)" }), equals: "-#")
    expect(first.subscriptions, equals: ["^!"])
  }

  @Test func startsNoMoreOnceItIsOver() throws {
    let clock = VirtualScheduler()
    let last = try clock.hot("a|")
    let none = Observable<String>.fail(Oops())
    expect(clock.play(Observable.combineLatest(.just("x"), none, last) { $0 + $1 + $2 }), equals: "#")
    #expect(last.subscriptions.isEmpty)
  }

  @Test func agreesWithThatOfTwoAndThatOfAList() {
    for seed in UInt64(0)..<100 {
      let clock = VirtualScheduler(seed: seed)
      let subjects = (0..<3).map { _ in PublishSubject<Int>() }
      let sources = subjects
      let pack = clock.record(
        Observable.combineLatest(sources[0], sources[1], sources[2]) { "\([$0, $1, $2])" })
      let list = clock.record(Observable.combineLatest(sources).map { "\($0)" })
      var random = SplitMix64(seed: seed)
      for number in 0..<50 {
        let subject = subjects[random.below(3)]
        if random.below(15) == 0 { subject.complete() } else { subject.next(number) }
      }
      expect(pack.elements, equals: list.elements, "seed \(seed)")
      expect(pack.subscription.isDisposed, equals: list.subscription.isDisposed, "seed \(seed)")
    }
  }
}
