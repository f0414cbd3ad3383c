import Reactive
import Testing

@testable import Nodes
import System

@Suite struct WindowMachineTests {
  private typealias Machine = WindowMachine<MemoryState<Int, WindowBuffer<Int>>, Int>

  private struct Told: Hashable {
    let key: Int
    let start: Int
    let end: Int
    let elements: [Int]
  }

  private struct Entry {
    let key: Int
    let time: Int
    let element: Int
  }

  private func second(_ number: Int) -> Instant { Instant() + .seconds(number) }

  private func told(_ window: ClosedWindow<Int, Int>) -> Told {
    Told(
      key: window.key, start: Int(window.start.nanoseconds / 1_000_000_000),
      end: Int(window.end.nanoseconds / 1_000_000_000), elements: window.elements)
  }

  /// In the order of time, those of one time in the order in which they came.
  private func sorted(_ entries: [Entry]) -> [Entry] {
    entries.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
  }

  @Test(
    "folded parts give the sums of the events that are kept otherwise",
    arguments: 1...10 as ClosedRange<UInt64>)
  func folded(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let every = 1 + random.below(10)
    let size = every + random.below(20)
    var (kept, folding) = (MemoryState<Int, WindowBuffer<Int>>(), MemoryState<Int, WindowBuffer<Int>>())
    var watermark: Instant?
    var now = -100
    for _ in 0..<20 {
      // Each round is a run of its own, with what the one before has left.
      let shape = WindowShape.aligned(size: .seconds(size), every: .seconds(every))
      var plain = Machine(state: kept, watermark: watermark, shape: shape, maxKeys: 2, maxElements: 1000)
      var sums = Machine(state: folding, watermark: watermark, shape: shape, maxKeys: 2, maxElements: 1000)
      for number in 0..<30 {
        now += random.below(4)
        var (all, parts): ([Told], [Told]) = ([], [])
        plain.advance(to: second(now))
        sums.advance(to: second(now))
        while let window = plain.closed() { all.append(told(window)) }
        while let window = sums.closed() { parts.append(told(window)) }
        let (key, time) = (random.below(3), second(now + random.below(12) - 6))
        let entry = plain.accept(number, for: key, at: time)
        let same = sums.fold(for: key, at: time) { ($0 ?? 0) + number }
        #expect("\(entry)" == "\(same)")
        all += plain.excess().map(told)
        parts += sums.excess().map(told)
        #expect(parts.allSatisfy { $0.elements.count <= (size + every - 1) })
        #expect(all.map(sum) == parts.map(sum))
      }
      (kept, folding, watermark) = (plain.state, sums.state, plain.watermark)
    }
  }

  private func sum(_ window: Told) -> Told {
    Told(key: window.key, start: window.start, end: window.end, elements: [window.elements.reduce(0, +)])
  }

  @Test("agrees with every window looked at anew", arguments: 1...10 as ClosedRange<UInt64>)
  func aligned(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let every = 1 + random.below(10)
    let size = every + random.below(20)
    var machine = Machine(
      state: MemoryState(), shape: .aligned(size: .seconds(size), every: .seconds(every)), maxKeys: 100,
      maxElements: 1000)
    var all: [Entry] = []
    var watermark = -100
    for number in 0..<400 {
      let next = max(watermark, watermark + random.below(5) - 1 + (random.below(40) == 0 ? 60 : 0))
      machine.advance(to: second(next))
      var closed: [Told] = []
      while let window = machine.closed() { closed.append(told(window)) }
      var expected: Set<Told> = []
      for end in stride(from: watermark + 1, through: next, by: 1) {
        guard (end - size + 1000 * every) % every == 0 else { continue }
        for key in 0..<3 {
          let inside = sorted(all.filter { $0.key == key && $0.time >= end - size && $0.time < end })
          if inside.isEmpty { continue }
          expected.insert(Told(key: key, start: end - size, end: end, elements: inside.map(\.element)))
        }
      }
      #expect(Set(closed) == expected && Set(closed).count == closed.count)
      #expect(closed.map(\.end) == closed.map(\.end).sorted())
      watermark = next
      let entry = Entry(key: random.below(3), time: watermark + random.below(30) - 15, element: number)
      let isOpen = ((watermark + 1)...(watermark + 60 + size)).contains { end in
        (end - size + 1000 * every) % every == 0 && end - size <= entry.time && entry.time < end
      }
      let isTaken = machine.accept(entry.element, for: entry.key, at: second(entry.time))
      #expect(isTaken == (isOpen ? .taken : .late))
      if isOpen { all.append(entry) }
    }
  }

  @Test("an element has all its windows, though one had ended before the next run's clock was set back")
  func setBack() {
    let shape = WindowShape.aligned(size: .seconds(20), every: .seconds(10))
    var before = Machine(state: MemoryState(), shape: shape, maxKeys: 9, maxElements: 9)
    before.advance(to: second(17))
    #expect(before.accept(1, for: 0, at: second(17)) == .taken)
    before.advance(to: second(20))
    #expect(before.closed().map(told) == Told(key: 0, start: 0, end: 20, elements: [1]))
    var machine = Machine(state: before.state, shape: shape, maxKeys: 9, maxElements: 9)
    machine.advance(to: second(19))
    #expect(machine.accept(2, for: 0, at: second(19)) == .taken)
    machine.advance(to: second(30))
    #expect(machine.closed().map(told) == Told(key: 0, start: 0, end: 20, elements: [1, 2]))
    #expect(machine.closed().map(told) == Told(key: 0, start: 10, end: 30, elements: [1, 2]))
    #expect(machine.closed().map(told) == nil)
  }

  @Test("agrees with sessions put together anew", arguments: 1...10 as ClosedRange<UInt64>)
  func sessions(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let gap = 2 + random.below(6)
    let longest = 10 + random.below(20)
    var machine = Machine(
      state: MemoryState(), shape: .session(gap: .seconds(gap), max: .seconds(longest)), maxKeys: 100,
      maxElements: 1000)
    var open: [Entry] = []
    var watermark = 0
    for number in 0..<1000 {
      watermark += random.below(3) + (random.below(40) == 0 ? 30 : 0)
      machine.advance(to: second(watermark))
      var closed: [Told] = []
      while let window = machine.closed() { closed.append(told(window)) }
      var expected: Set<Told> = []
      for key in 0..<3 {
        var rest = sorted(open.filter { $0.key == key })
        open.removeAll { $0.key == key }
        while let first = rest.first {
          var session = [first]
          while session.count < rest.count, let last = session.last,
            rest[session.count].time - last.time < gap, rest[session.count].time - first.time < longest
          {
            session.append(rest[session.count])
          }
          let last = session.last?.time ?? 0
          guard min(last + gap, first.time + longest) <= watermark else { break }
          expected.insert(Told(key: key, start: first.time, end: last, elements: session.map(\.element)))
          rest.removeFirst(session.count)
        }
        open += rest
      }
      #expect(Set(closed) == expected && Set(closed).count == closed.count)
      let entry = Entry(key: random.below(3), time: watermark + random.below(12) - 6, element: number)
      let isOpen = entry.time + gap > watermark
      let isTaken = machine.accept(entry.element, for: entry.key, at: second(entry.time))
      #expect(isTaken == (isOpen ? .taken : .late))
      if isOpen { open.append(entry) }
      #expect(machine.count == open.count)
    }
  }

  @Test("a key too many ends the windows of the oldest")
  func excess() {
    var machine = Machine(
      state: MemoryState(), shape: .aligned(size: .seconds(20), every: .seconds(10)), maxKeys: 1,
      maxElements: 10)
    _ = machine.accept(1, for: 1, at: second(5))
    let none = machine.excess()
    #expect(none.isEmpty)
    _ = machine.accept(2, for: 2, at: second(5))
    let ended = machine.excess().map(told)
    #expect(
      ended == [
        Told(key: 1, start: -10, end: 10, elements: [1]), Told(key: 1, start: 0, end: 20, elements: [1]),
      ])
    #expect(machine.count == 1)
  }

  @Test("a key's windows hold no more than they may")
  func full() {
    var machine = Machine(
      state: MemoryState(), shape: .aligned(size: .seconds(10), every: .seconds(10)), maxKeys: 9,
      maxElements: 1)
    let entries = [(1, 0), (1, 1), (2, 2)].map { machine.accept(0, for: $0.0, at: second($0.1)) }
    #expect(entries == [.taken, .full, .taken])
  }

  @Test("times at the edge of what can be counted are no trouble")
  func edges() {
    for size in [Duration.nanoseconds(1), .seconds(7), .seconds(9_000_000_000)] {
      var machine = Machine(
        state: MemoryState(), shape: .aligned(size: size, every: size), maxKeys: 10, maxElements: 10)
      for seconds in [-9.19e9, -1, 0, 9.19e9] {
        guard let time = Instant(timeOfDay: seconds) else { continue }
        machine.advance(to: time)
        while machine.closed() != nil {}
        _ = machine.accept(1, for: 1, at: time)
      }
      machine.advance(to: .distantFuture)
      while machine.closed() != nil {}
      #expect(machine.count == 0)
    }
  }
}
