import Glibc
import Reactive

/// The cases of this module, by the letters used in `bench/README.md`.
func reactiveCases(_ sum: Checksum) -> [Case] {
  let one = opaque(1)
  let never = opaque(-99)
  let count = 500_000
  var cases: [Case] = []

  func pushing(
    _ name: String, _ what: String, atMost nanoseconds: Double? = nil,
    _ build: (Observable<Int>) -> Observable<Int>
  ) {
    let subject = PublishSubject<Int>()
    _ = build(subject).subscribe(next: { sum.add($0) })
    let limit = nanoseconds.map { Limit(nanoseconds: $0) }
    cases.append(Case(name, what, limit: limit) { for value in 0..<count { subject.next(value) } })
  }

  pushing("0", "subject, sink") { $0 }
  pushing("a1", "subject, 6 map, 6 filter, sink", atMost: 90) { source in
    var chain = source
    for _ in 0..<6 { chain = chain.map { $0 &+ one } }
    for _ in 0..<6 { chain = chain.filter { $0 != never } }
    return chain
  }
  pushing("a2", "subject, 6 (map, filter), sink") { source in
    var chain = source
    for _ in 0..<6 { chain = chain.map { $0 &+ one }.filter { $0 != never } }
    return chain
  }

  let records = PublishSubject<Record>()
  var recordChain: Observable<Record> = records
  for _ in 0..<3 { recordChain = recordChain.map { $0.adding(one) }.filter { $0.id != never } }
  _ = recordChain.subscribe(next: { sum.add($0.id) })
  cases.append(
    Case("a3", "record, 3 (map, filter), sink") {
      for value in 0..<count { records.next(Record.sample.adding(value)) }
    })

  cases.append(
    Case("a4", "range, 12 operators, sink") {
      var chain = Observable.from(0..<count)
      for _ in 0..<6 { chain = chain.map { $0 &+ one }.filter { $0 != never } }
      _ = chain.subscribe(next: { sum.add($0) })
    })
  cases.append(
    Case("b", "range, map, filter, sink") {
      _ = Observable.from(0..<count).map { $0 &+ one }.filter { $0 != never }.subscribe(next: { sum.add($0) })
    })

  pushing("e", "distinctUntilChanged", atMost: 50) { $0.distinctUntilChanged() }
  pushing("g", "scan", atMost: 55) { $0.scan(0) { $0 &+ $1 } }

  let left = PublishSubject<Int>()
  let right = PublishSubject<Int>()
  _ = left.combineLatest(right) { $0 &+ $1 }.subscribe(next: { sum.add($0) })
  right.next(1)
  cases.append(
    Case("d", "combineLatest of 2", limit: Limit(nanoseconds: 120)) {
      for value in 0..<count { left.next(value) }
    })

  let sources = (0..<4).map { _ in PublishSubject<Int>() }
  _ = Observable.merge(sources).subscribe(next: { sum.add($0) })
  cases.append(
    Case("f", "merge of 4", limit: Limit(nanoseconds: 90)) {
      for value in 0..<count { sources[value & 3].next(value) }
    })

  let shared = PublishSubject<Int>()
  let share = shared.share()
  for _ in 0..<8 { _ = share.subscribe(next: { sum.add($0) }) }
  cases.append(
    Case("h", "share to 8, an element of the source", limit: Limit(nanoseconds: 250)) {
      for value in 0..<count { shared.next(value) }
    })

  cases.append(
    subscribing("i", "subscribe and dispose, 6 operators", rebuilding: false, atMost: (700, 14), sum))
  cases.append(
    Case("i0", "subscribe and dispose, no operator", elements: 100_000) {
      for _ in 0..<100_000 { shared.subscribe(next: { sum.add($0) }).dispose() }
    })
  cases.append(
    subscribing("i'", "the same, the chain built anew each time", rebuilding: true, atMost: (1500, 26), sum))
  cases.append(contentsOf: crossingCases(sum))
  return cases
}

private func subscribing(
  _ name: String, _ what: String, rebuilding: Bool, atMost: (nanoseconds: Double, allocations: Double),
  _ sum: Checksum
) -> Case {
  let subject = PublishSubject<Int>()
  let one = opaque(1)
  @Sendable func chain() -> Observable<Int> {
    subject.map { $0 &+ one }.filter { $0 != 0 }.map { $0 &+ one }.filter { $0 != 0 }
      .map { $0 &+ one }.filter { $0 != 0 }
  }
  let ready = chain()
  let limit = Limit(
    yardstick: .objects, nanoseconds: atMost.nanoseconds, allocations: atMost.allocations)
  return Case(name, what, elements: 100_000, limit: limit) {
    for _ in 0..<100_000 {
      (rebuilding ? chain() : ready).subscribe(next: { sum.add($0) }).dispose()
    }
  }
}
