import Expectations
import Reactive
import ReactiveTesting
import Testing

@Suite struct ZipPackTests {
  @Test func joinsStreamsOfAnyTypesByPosition() throws {
    try expectMarbles("--a-----b---|", legend: ["a = a1#", "b = b2#"]) { clock in
      let digits = try clock.hot("-1-----2----|", ["1": 1, "2": 2])
      let marks = try clock.hot("--x-----x|", ["x": Character("#")])
      return Observable.zip(try clock.hot("a--b-|"), digits, marks) {
        "\($0)\($1)\($2)"
      }
    }
  }

  @Test func makesTuples() {
    expect(
      outcome { _ in Observable.zip(Observable.just(1), Observable.just("a"), Observable.just(2.5)) },
      equals: "(1, \"a\", 2.5), |")
  }

  @Test func endsWhenAllHave() throws {
    try expectMarbles("ab---|", legend: ["a = ax1", "b = by2"]) { clock in
      let second = try clock.hot("xy|")
      return Observable.zip(try clock.hot("ab--c|"), second, .from(1...9)) {
        "\($0)\($1)\($2)"
      }
    }
    try expectMarbles("--a--", legend: ["a = ax1"]) { clock in
      let second = try clock.hot("x|")
      return Observable.zip(try clock.hot("--a--c"), second, .from(1...9)) {
        "\($0)\($1)\($2)"
      }
    }
  }

  @Test func aSourceThatIsTooFarAheadFails() {
    let clock = VirtualScheduler()
    let recording = clock.record(
      Observable.zip(Observable.from(1...3), Observable<Int>.never(), Observable.just(1), backlog: 2) {
        $0 + $1 + $2
      })
    #expect(recording.error as? ReactiveError == .overflow(what: "the backlog of zip", limit: 2))
  }

  @Test func agreesWithThatOfAList() {
    for seed in UInt64(0)..<100 {
      let clock = VirtualScheduler(seed: seed)
      let subjects = (0..<3).map { _ in PublishSubject<Int>() }
      let sources = subjects
      let pack = clock.record(Observable.zip(sources[0], sources[1], sources[2]) { "\([$0, $1, $2])" })
      let list = clock.record(Observable.zip(sources).map { "\($0)" })
      var random = SplitMix64(seed: seed)
      for number in 0..<50 {
        let subject = subjects[random.below(3)]
        if random.below(15) == 0 { subject.complete() } else { subject.next(number) }
      }
      expect(pack.elements, equals: list.elements, "seed \(seed)")
      expect(pack.subscription.isDisposed, equals: list.subscription.isDisposed, "seed \(seed)")
    }
  }

  @Test func aClosureThatThrowsFails() throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("ab|")
    let zipped = Observable.zip(source, source, .just(1)) { _, _, _ -> Int in
      throw Oops()
    }
    expect(clock.play(zipped.map { "\($0)" }), equals: "#")
    expect(source.subscriptions, equals: ["(^!)", "(^!)"])
  }
}
