import Reactive

/// An element through each operator, and subscribing to it and disposing, beside RxSwift and OpenCombine.
func operatorCases(_ sum: Checksum) -> [Case] {
  let one = opaque(1)
  let never = opaque(-99)
  let none = Limit.none
  var table = Table(sum)

  table.add("none", (252, 124), (778, 950)) { $0.a }
  table.add("map", (300, 148), (1740, 1136)) { $0.a.map { $0 &+ one } }
  table.add("filter", (280, 144), (1694, 1094)) { $0.a.filter { $0 != never } }
  table.add("compactMap", (298, 182), (1720, 1101)) { $0.a.compactMap { $0 } }
  table.add("ignoreElements", (780, 94.5), (2277, 1122)) { $0.a.ignoreElements() }
  table.add("scan", (312, 136), (1650, 1015)) { $0.a.scan(0) { $0 &+ $1 } }
  table.add("scan(into:)", (317, none), (1642, none)) { $0.a.scan(into: 0) { $0 &+= $1 } }
  table.add("distinctUntilChanged", (304, 402), (1728, 1339)) { $0.a.distinctUntilChanged() }
  table.add("distinctUntilChanged(key)", (303, 408), (1734, 1311)) { $0.a.distinctUntilChanged { $0 } }
  table.add("take", (275, 127), (1774, 1231)) { $0.a.take(.max) }
  table.add("take(while:)", (315, 315), (1744, 1336)) { $0.a.take(while: { $0 != never }) }
  table.add("takeLast(100)", (476, none), (2152, none)) { $0.a.takeLast(100) }
  table.add("take(until:)", (310, 158), (2270, 1651)) { $0.a.take(until: $0.b) }
  table.add("skip", (285, 129), (1681, 1200)) { $0.a.skip(1) }
  table.add("skip(while:)", (285, 160), (1695, 1211)) { $0.a.skip(while: { $0 == never }) }
  table.add("skip(until: just)", (320, 157), (2777, 1602)) { $0.a.skip(until: .just(1)) }
  table.add("startWith", (234, 157), (1661, 2416)) { $0.a.startWith(0) }
  table.add("do", (330, 152), (1960, 1243)) { $0.a.do(next: { _ in }) }
  table.add("materialize", (338, none), (1709, none)) { $0.a.materialize() }
  table.add("dematerialize", (433, none), (2076, none)) { $0.a.materialize().dematerialize { $0 } }
  table.add("reduce", (249, 267), (1733, 1368)) { $0.a.reduce(0) { $0 &+ $1 } }
  table.add("catch(emitting:)", (279, 156), (2226, 1292)) { $0.a.catch(emitting: 0) }
  table.add("catch", (273, none), (2133, none)) { $0.a.catch { _ in .just(0) } }
  table.add("retry(times:)", (270, 213), (4030, 1626)) { $0.a.retry(times: 3) }
  table.add("concat", (270, 157), (3705, 1468)) { $0.a.concat(.just(0)) }
  table.add("share", (297, 430), (1806, 3354)) { $0.a.share() }
  table.add("share(replay: 1)", (338, none), (1747, none), missing: (1, 1.05)) { $0.a.share(replay: 1) }
  table.add("share(replay: 10)", (828, none), (5402, none)) { $0.a.share(replay: 10) }
  table.add("publish", (476, 425), (876, 1810)) { connected($0.a.publish()) }
  table.add("replay(1)", (523, none), (1886, none)) { connected($0.a.replay(1)) }
  table.add("merge of 4", (314, 173), (5178, 5178), feed: .inTurn(4)) {
    Observable.merge($0.all)
  }
  table.add("combineLatest", (892, none), (3381, none), feed: .each(2)) {
    $0.a.combineLatest($0.b) { $0 &+ $1 }
  }
  table.add("zip", (1336, 980), (3350, 2903), missing: (1, 1.1), feed: .each(2)) {
    $0.a.zip($0.b) { $0 &+ $1 }
  }
  table.add("combineLatest of 4", (3367, none), (5981, none), feed: .each(4)) {
    Observable.combineLatest($0.all)
  }
  table.add("zip of 4", (3930, none), (6360, none), feed: .each(4)) {
    Observable.zip($0.all)
  }
  table.add("withLatest", (422, none), (3013, none), feed: .first(after: 1)) {
    $0.a.withLatest($0.b) { $0 &+ $1 }
  }
  table.add("amb", (400, none), (3880, none)) { Observable.amb([$0.a, $0.b]) }
  table.add("sample", (676, none), (2994, none), feed: .each(2)) { $0.a.sample($0.b) }
  table.add("flatMap just", alias: "c", (921, 578), (2316, 1419), allocations: 1) {
    $0.a.flatMap { .just($0 &+ one) }
  }
  table.add("flatMap list", (7920, 1307), (2349, 1468)) { $0.a.flatMap { .from([$0, $0 &+ one]) } }
  table.add("flatMap map", alias: "c'", (2104, 579), (2346, 1466), allocations: 9) {
    $0.a.flatMap { Observable.just($0).map { $0 &+ one } }
  }
  table.add("flatMap create", (2048, 1260), (2320, 1450), missing: (1.05, 1)) { $0.a.flatMap { created($0) } }
  table.add("concatMap just", (1045, 694), (2462, 1492)) { $0.a.concatMap { .just($0 &+ one) } }
  table.add("concatMap list", (8085, none), (2383, none)) { $0.a.concatMap { .from([$0, $0 &+ one]) } }
  table.add("flatMapFirst just", (884, none), (2246, none)) { $0.a.flatMapFirst { .just($0 &+ one) } }
  table.add("flatMapFirst never", (275, none), (2246, none), feed: .first(after: 0)) {
    $0.a.flatMapFirst { _ in Observable<Int>.never() }
  }
  table.add("flatMapLatest just", (802, 573), (2333, 1366)) { $0.a.flatMapLatest { .just($0 &+ one) } }
  table.add("flatMapLatest never", (544, 257), (2184, 1248), missing: (1.7, 1)) {
    $0.a.flatMapLatest { _ in Observable<Int>.never() }
  }
  table.add("flatMapLatest subject", (1377, 953), (2200, 1354), missing: (1.05, 1)) { inputs in
    inputs.a.flatMapLatest { _ in inputs.b }
  }
  table.add("switchLatest", (926, none), (2678, none)) { $0.a.map { Observable.just($0) }.switchLatest() }
  table.add("group", (744, none), (3156, none)) { $0.a.group { $0 & 15 }.flatMap { $0 } }
  table.add("buffer(100)", (277, 163), (3542, 1123)) { $0.a.buffer(100) }
  table.add("window(100)", (673, none), (7551, none)) { $0.a.window(100).flatMap { $0 } }
  table.add("six operators", (660, 495), (3784, 2252)) {
    $0.a.map { $0 &+ one }.filter { $0 != never }.map { $0 &+ one }.filter { $0 != never }.scan(0) {
      $0 &+ $1
    }
    .distinctUntilChanged()
  }
  table.add("BehaviorSubject", (258, 126), (826, 957), to: BehaviorSubject(0))
  table.add("ReplaySubject(10)", (529, none), (2054, none), to: ReplaySubject(limit: 10))
  table.fan("subject to 8", (91.2, 133), count: 8)
  table.fan("subject to 100", (77.8, 109), count: 100)

  // Without a counterpart: half as much again as it took there.
  table.add("adjacentPairs", own: (375, 635)) { $0.a.adjacentPairs() }
  table.add("chunked", own: (200, 560)) { $0.a.chunked { $0 / 100 == $1 / 100 } }
  table.add("chunked(on:)", own: (355, 845)) { $0.a.chunked(on: { $0 / 100 }) }
  table.add("distinct", own: (215, 995)) { $0.a.distinct(bound: 1000) { $0 & 2047 } }
  table.add("expand", own: (465, 950)) { $0.a.expand { _ in Observable.empty() } }
  table.add("ifEmpty", own: (49, 1140)) { $0.a.ifEmpty(default: 0) }
  table.add("mapError", own: (50, 945)) { $0.a.mapError { $0 } }
  table.add("retry(when:)", own: (52, 2520)) { $0.a.retry(when: { $0 }) }
  table.add("repeat", own: (50, 790)) { $0.a.repeat(3) }
  table.add("single", own: (27, 825)) { $0.a.filter { $0 == never }.single() }
  table.add("toArray", own: (26, 640)) { $0.a.filter { $0 == never }.toArray() }
  table.add("using", own: (26, 565)) { inputs in Observable.using({ 1 }, dispose: { _ in }) { _ in inputs.a }
  }
  table.add("transform", own: (52, 455)) {
    $0.a.transform(from: 0) { last, value, emit in
      emit(value &- last)
      last = value
    }
  }
  table.add("withLatestFrom", own: (106, 1095), feed: .first(after: 1)) { $0.a.withLatestFrom($0.b) }
  table.add("refCount", own: (53, 1070)) { $0.a.publish().refCount() }
  table.add("autoconnect", own: (53, 320)) { $0.a.publish().autoconnect() }
  table.add("multicast", own: (53, 280)) { connected($0.a.multicast(PublishSubject())) }
  table.add("debug", own: (275, 630)) { $0.a.debug("a", to: { _ in }) }
  table.add("combineLatest of types", own: (350, 2955), feed: .each(3)) {
    Observable.combineLatest($0.a, $0.b, $0.c) { $0 &+ $1 &+ $2 }
  }
  table.add("zip of types", own: (380, 2900), feed: .each(3)) {
    Observable.zip($0.a, $0.b, $0.c) { $0 &+ $1 &+ $2 }
  }
  return table.cases
}

private func connected(_ stream: ConnectableObservable<Int>) -> Observable<Int> {
  stream.connect()
  return stream
}

private func created(_ value: Int) -> Observable<Int> {
  .create { emitter in
    emitter.next(value)
    emitter.complete()
  }
}

/// The cases of operators, two for each.
///
/// Where an operator misses its limits, `missing` is by what factors it may do so.
struct Table {
  private(set) var cases: [Case] = []
  private let sum: Checksum

  /// Where the elements come from.
  struct Inputs: Sendable {
    let all = (0..<4).map { _ in PublishSubject<Int>() }
    var a: PublishSubject<Int> { all[0] }
    var b: PublishSubject<Int> { all[1] }
    var c: PublishSubject<Int> { all[2] }
  }

  enum Feed {
    /// The first input alone, after one element from another.
    case first(after: Int)
    /// One from each of these many, counted as one element.
    case each(Int)
    /// From one after another.
    case inTurn(Int)
  }

  init(_ sum: Checksum) {
    self.sum = sum
  }

  @inline(__always)
  mutating func add<Output>(
    _ name: String, alias: String? = nil, _ element: Limit.Peers? = nil, _ subscribing: Limit.Peers? = nil,
    own: (element: Double, subscribing: Double)? = nil,
    missing: (element: Double, subscribing: Double) = (1, 1), allocations: Double = .infinity,
    feed: Feed = .each(1), _ build: (Inputs) -> Observable<Output>
  ) {
    let sum = sum
    let inputs = Inputs()
    _ = build(inputs).subscribe(next: { _ in sum.add(1) })
    var limit = own.map { Limit(nanoseconds: $0.element) } ?? element.map(Limit.element)
    limit?.nanoseconds *= missing.element
    limit?.allocations = allocations
    cases.append(feeding(name, alias, limit, inputs.all, feed))
    var other = own.map { Limit(yardstick: .objects, nanoseconds: $0.subscribing) }
    other = other ?? subscribing.map(Limit.subscribing)
    other?.nanoseconds *= missing.subscribing
    add(name, other, to: build(Inputs()))
  }

  /// Subscribing alone.
  private mutating func add<Output>(_ name: String, _ limit: Limit?, to stream: Observable<Output>) {
    let sum = sum
    cases.append(
      Case(
        name + "/subscribe", "\(name), subscribe and dispose", elements: 10_000,
        limit: limit
      ) {
        for _ in 0..<10_000 { stream.subscribe(next: { _ in sum.add(1) }).dispose() }
      })
  }

  mutating func add(
    _ name: String, _ element: Limit.Peers, _ subscribing: Limit.Peers,
    missing: (element: Double, subscribing: Double) = (1, 1), to subject: Subject<Int>
  ) {
    let sum = sum
    _ = subject.subscribe(next: { sum.add($0) })
    cases.append(feeding(name, nil, .element(element), [subject], .each(1)))
    var limit = Limit.subscribing(subscribing)
    limit.nanoseconds *= missing.subscribing
    add(name, limit, to: subject)
  }

  mutating func fan(_ name: String, _ element: Limit.Peers, count: Int) {
    let sum = sum
    let subject = PublishSubject<Int>()
    for _ in 0..<count { _ = subject.subscribe(next: { sum.add($0) }) }
    cases.append(
      Case(name, "\(name) sinks, an element of each", elements: 100_000, limit: .element(element)) {
        for value in 0..<(100_000 / count) { subject.next(value) }
      })
  }

  private func feeding(
    _ name: String, _ alias: String?, _ limit: Limit?, _ inputs: [Subject<Int>], _ feed: Feed
  ) -> Case {
    let count = 100_000
    let first = inputs[0]
    switch feed {
    case .first(let other):
      inputs[other].next(1)
      fallthrough
    case .each(1):
      return Case(name, name, alias: alias, elements: count, limit: limit) {
        for value in 0..<count { first.next(value) }
      }
    case .each(let number):
      let inputs = Array(inputs.prefix(number))
      return Case(name, name, alias: alias, elements: count, limit: limit) {
        for value in 0..<count { for input in inputs { input.next(value) } }
      }
    case .inTurn(let number):
      let inputs = Array(inputs.prefix(number))
      return Case(name, name, alias: alias, elements: count, limit: limit) {
        for value in 0..<(count / number) { for input in inputs { input.next(value) } }
      }
    }
  }
}
