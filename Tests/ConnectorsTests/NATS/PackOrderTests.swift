import Expectations
@testable import Connectors
import Engine
import JSON
import Language
import Reactive
import TestSupport
import Testing

/// Packs that come twice, too early and in parts, read by a task that is killed.
@Suite struct PackOrderTests {
  private func pack(_ ordinal: Int64, chain: String = "a", isContinued: Bool = false) -> Pack {
    var pack = Pack(chain: chain, ordinal: ordinal, task: 0, of: Poll(source: "in", at: 5))
    pack.add(Event(.number(Int(ordinal)), pack.poll))
    pack.isContinued = isContinued
    return pack
  }

  private func numbers(_ ready: [PackOrder.Ready]) -> [[Int]] {
    ready.map { $0.pack.batch(position: nil).values.map { Int($0.double ?? -1) } }
  }

  @Test("a pack that is too early waits, one that came already is skipped, one in parts comes whole")
  func order() {
    var order = PackOrder(position: nil)
    order.add(pack(2), at: 10)
    #expect(order.take(through: 10).isEmpty && order.missing == 1)
    order.add(pack(1), at: 11)
    order.add(pack(2), at: 12)
    order.add(pack(4, isContinued: true), at: 13)
    let ready = order.take(through: 13)
    expect(order.missing, equals: 3)
    expect(numbers(ready), equals: [[1], [2]])
    // The second lies before the first, and the fourth waits.
    expect(ready.map { $0.position.first?.1 }, equals: [.string("9"), .string("12")])
    order.add(pack(3), at: 14)
    order.add(pack(5), at: 15)
    #expect(numbers(order.take(through: 15)) == [[3], [4, 5]] && order.missing == nil)
    // A sender whose state was removed, and what the one before it has left.
    order.add(pack(2, chain: "b"), at: 16)
    order.add(pack(6), at: 17)
    order.add(pack(1, chain: "b"), at: 18)
    let renewed = order.take(through: 18)
    expect(numbers(renewed), equals: [[1], [2]])
    expect(renewed.last?.position.map(\.0), equals: ["sequence", "chain", "ordinal", "past"])
    // Both in one batch: a reader that ends between the two goes on with the first of the new one.
    order = PackOrder(position: nil)
    for ordinal in 1...3 { order.add(pack(Int64(ordinal)), at: UInt64(ordinal)) }
    order.add(pack(1, chain: "b"), at: 4)
    let both = order.take(through: 4)
    expect(numbers(both), equals: [[1], [2], [3], [1]])
    order = PackOrder(position: .record(both[2].position))
    order.add(pack(1, chain: "b"), at: 4)
    expect(numbers(order.take(through: 4)), equals: [[1]])
  }

  @Test(
    "whatever is stored twice or out of order, and whenever the reader is killed, each pack is taken once in order"
  )
  func histories() throws {
    for seed in 0..<UInt64(400) {
      var dice = SplitMix64(seed: seed)
      let count = Int.random(in: 1...40, using: &dice)
      let continued =
        count == 1 ? [] : Set((1..<count).filter { _ in Int.random(in: 0..<4, using: &dice) == 0 })
      // Each at least once; some again, some later than their place.
      var places: [(place: Double, ordinal: Int)] = []
      for ordinal in 1...count {
        for _ in 0..<(Int.random(in: 0..<4, using: &dice) == 0 ? 2 : 1) {
          let late = Int.random(in: 0..<3, using: &dice) == 0 ? Double.random(in: 0...6, using: &dice) : 0
          places.append((Double(ordinal) + late, ordinal))
        }
      }
      let stream = places.sorted { $0.place < $1.place }.map(\.ordinal)
      var committed: [Int] = []
      var position: Value?
      var lives = 0
      while committed.count < count, lives < 500 {
        lives += 1
        var order = PackOrder(position: position)
        var next = Int(position?.member("sequence")?.string ?? "") ?? 0
        let isKilled = lives < 20
        read: while next < stream.count {
          let end = min(stream.count, next + Int.random(in: 1...6, using: &dice))
          for index in next..<end {
            let ordinal = stream[index]
            order.add(pack(Int64(ordinal), isContinued: continued.contains(ordinal)), at: UInt64(index + 1))
          }
          next = end
          for ready in order.take(through: UInt64(end)) {
            if isKilled, Int.random(in: 0..<8, using: &dice) == 0 { break read }
            committed += ready.pack.batch(position: nil).values.map { Int($0.double ?? -1) }
            position = .record(ready.position)
          }
        }
      }
      expect(committed, equals: Array(1...count), "seed \(seed): \(stream)")
      if committed != Array(1...count) { break }
    }
  }

  @Test("a pack is the same after its way: poll, coverage, rows, torn polls, and its receiver")
  func form() throws {
    let rows = [Value.record([("net", .string("2026-01-01")), ("id", .string("x"))])]
    let horizon = try #require(
      Coverage(
        .record([
          ("coverage", .string("truncated")), ("order", .string("net")),
          ("last", .array([.string("2026-02-01")])), ("moves", .bool(true)),
        ])))
    for coverage in [Coverage.complete, .partial, horizon] {
      let poll = Poll(
        source: "upcoming", number: 7, at: 1_800_000_000.5, notes: .record([("url", .string("http://x"))]),
        coverage: coverage, rows: rows)
      var pack = Pack(chain: "c1", ordinal: 1 << 60, task: 13, of: poll)
      pack.add(Event(.string("a\nb"), poll))
      pack.endsPoll = true
      expect(Pack.task(of: pack.bytes), equals: 13)
      let read = try #require(Pack(pack.bytes))
      #expect(read.ordinal == 1 << 60 && read.chain == "c1" && read.task == 13 && !read.isContinued)
      let batch = read.batch(position: .string("p"))
      #expect(batch.values == [.string("a\nb")] && batch.endsPoll && batch.position == .string("p"))
      #expect(batch.poll.meta == poll.meta && batch.poll.coverage == coverage)
    }
    #expect(Pack(Array("{}".utf8)) == nil && Pack(Array("nonsense".utf8)) == nil)
  }
}
