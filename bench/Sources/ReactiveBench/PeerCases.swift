import Dispatch

/// The same work by what the toolchain brings along: a plain loop, `AsyncStream` and `DispatchQueue`.
func peerCases(_ sum: Checksum) -> [Case] {
  let one = opaque(1)
  let never = opaque(-99)
  let count = 500_000
  let queue = DispatchQueue(label: "bench")
  let arrived = Arrivals()

  return [
    Case("loop", "a1 as a plain loop of closures") {
      let maps: [(Int) -> Int] = (0..<6).map { _ in { $0 &+ one } }
      let filters: [(Int) -> Bool] = (0..<6).map { _ in { $0 != never } }
      for value in 0..<count {
        let mapped = maps.reduce(value) { $1($0) }
        if filters.allSatisfy({ $0(mapped) }) { sum.add(mapped) }
      }
    },
    Case("async a1", "AsyncStream, 6 map, 6 filter, for await") {
      let stream = AsyncStream<Int> { continuation in
        for value in 0..<count { continuation.yield(value) }
        continuation.finish()
      }
      let mapped = stream.map { $0 &+ one }.map { $0 &+ one }.map { $0 &+ one }.map { $0 &+ one }
        .map { $0 &+ one }.map { $0 &+ one }
      let filtered = mapped.filter { $0 != never }.filter { $0 != never }.filter { $0 != never }
        .filter { $0 != never }.filter { $0 != never }.filter { $0 != never }
      for await value in filtered { sum.add(value) }
    },
    Case("async a3", "AsyncStream of records, 3 (map, filter)") {
      let stream = AsyncStream<Record> { continuation in
        for value in 0..<count { continuation.yield(Record.sample.adding(value)) }
        continuation.finish()
      }
      let chain = stream.map { $0.adding(one) }.filter { $0.id != never }.map { $0.adding(one) }
        .filter { $0.id != never }.map { $0.adding(one) }.filter { $0.id != never }
      for await value in chain { sum.add(value.id) }
    },
    Case("queue", "DispatchQueue.async, one block an element") {
      for value in 0..<count { queue.async { sum.add(value) } }
      queue.sync {}
    },
    Case("queue 1", "the same, one at a time", elements: 20_000) {
      for value in 0..<20_000 {
        queue.async {
          sum.add(value)
          arrived.signal()
        }
        arrived.wait()
      }
    },
  ]
}
