import Expectations
import Reactive
import Testing

@testable import Nodes
import System

@Suite struct WindowMachineTests {
  private typealias Machine = WindowMachine<MemoryState<Int, WindowBuffer<Entry>>, Entry>

  private struct Told: Hashable {
    let key: Int
    let start: Int
    let end: Int
    let elements: [Int]
  }

  private struct Entry: Sendable {
    let key: Int
    var time = 0
    let element: Int
  }

  /// The host of a machine, with what it has emitted.
  private final class Host: MachineHost {
    var machine: Machine
    var now = Instant()
    private var outputs: [Machine.Output] = []

    init(_ machine: Machine, at seconds: Int = 0) {
      self.machine = machine
      now = Instant() + .seconds(seconds)
      self.machine.start(self)
    }

    func emit(_ output: Machine.Output) { outputs.append(output) }
    func note(_ excess: Excess, beyond bound: Int) {}

    /// The windows that close before an element is taken and, beyond the bound, after that; and whether it is taken.
    func take(_ entry: Entry) throws -> (closed: [Told], isTaken: Bool) {
      outputs = []
      try machine.take(entry, self)
      return (closed, !outputs.contains { if case .closed = $0 { false } else { true } })
    }

    func wake(at seconds: Int) -> [Told] {
      (outputs, now) = ([], Instant() + .seconds(seconds))
      machine.wake(self)
      return closed
    }

    func flush() { machine.flush(self) }

    private var closed: [Told] {
      outputs.compactMap { output in
        guard case .closed(let window) = output else { return nil }
        return Told(
          key: window.key, start: Int(window.start.nanoseconds / 1_000_000_000),
          end: Int(window.end.nanoseconds / 1_000_000_000), elements: window.elements.map(\.element))
      }
    }
  }

  /// The watermark of event time, as it is stored.
  private final class Mark: StoredCell {
    private let stored = Locked<Instant?>(nil)
    var value: Instant? { stored.withLock { $0 } }
    func set(_ value: Instant?) { stored.withLock { $0 = value } }
  }

  /// By the time of the elements if there is a mark, which is `late` seconds behind the latest.
  private func machine(
    _ shape: WindowShape, _ state: MemoryState<Int, WindowBuffer<Entry>> = MemoryState(), maxKeys: Int = 100,
    maxElements: Int = 1000, mark: Mark? = nil, late: Int = 0,
    folding fold: (@Sendable (Entry?, Entry) throws -> Entry)? = nil
  ) -> Machine {
    Machine(
      state: state, shape: shape, maxKeys: maxKeys, maxElements: maxElements, by: \.key,
      at: mark.map { mark in
        .init(time: { Instant() + .seconds($0.time) }, lateness: .seconds(late), watermark: mark)
      }, folding: fold)
  }

  /// In the order of time, those of one time in the order in which they came.
  private func sorted(_ entries: [Entry]) -> [Entry] {
    entries.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
  }

  @Test(
    "folded parts give the sums of the events that are kept otherwise",
    arguments: 1...10 as ClosedRange<UInt64>)
  func folded(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let every = 1 + random.below(10)
    let size = every + random.below(20)
    var (kept, folding) = (MemoryState<Int, WindowBuffer<Entry>>(), MemoryState<Int, WindowBuffer<Entry>>())
    let (mark, other) = (Mark(), Mark())
    var now = -100
    for _ in 0..<20 {
      // Each round is a run of its own, with what the one before has left.
      let shape = WindowShape.aligned(size: .seconds(size), every: .seconds(every))
      let plain = Host(machine(shape, kept, maxKeys: 2, mark: mark, late: 6))
      let sums = Host(
        machine(shape, folding, maxKeys: 2, mark: other, late: 6) { old, new in
          Entry(key: new.key, element: (old?.element ?? 0) + new.element)
        })
      for number in 0..<30 {
        now += random.below(4)
        let entry = Entry(key: random.below(3), time: now + random.below(12) - 6, element: number)
        let (all, isTaken) = try plain.take(entry)
        let (parts, isFolded) = try sums.take(entry)
        expect(isTaken, equals: isFolded)
        #expect(parts.allSatisfy { $0.elements.count <= (size + every - 1) })
        expect(all.map(sum), equals: parts.map(sum))
      }
      (kept, folding) = (plain.machine.state, sums.machine.state)
    }
  }

  private func sum(_ window: Told) -> Told {
    Told(key: window.key, start: window.start, end: window.end, elements: [window.elements.reduce(0, +)])
  }

  @Test("agrees with every window looked at anew", arguments: 1...10 as ClosedRange<UInt64>)
  func aligned(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let every = 1 + random.below(10)
    let size = every + random.below(20)
    let host = Host(
      machine(.aligned(size: .seconds(size), every: .seconds(every)), mark: Mark(), late: 15))
    var all: [Entry] = []
    var (newest, watermark) = (-100, -200)
    for number in 0..<400 {
      newest += random.below(5) - 1 + (random.below(40) == 0 ? 60 : 0)
      let entry = Entry(key: random.below(3), time: newest + random.below(30) - 25, element: number)
      let next = max(watermark, entry.time - 15)
      let (closed, isTaken) = try host.take(entry)
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
      expect(closed.map(\.end), equals: closed.map(\.end).sorted())
      watermark = next
      let isOpen = ((watermark + 1)...(watermark + 60 + size)).contains { end in
        (end - size + 1000 * every) % every == 0 && end - size <= entry.time && entry.time < end
      }
      expect(isTaken, equals: isOpen)
      if isOpen { all.append(entry) }
    }
  }

  @Test("an element has all its windows, though one had ended before the next run's clock was set back")
  func setBack() throws {
    let shape = WindowShape.aligned(size: .seconds(20), every: .seconds(10))
    let before = Host(machine(shape), at: 17)
    #expect(try before.take(Entry(key: 0, element: 1)).isTaken)
    expect(before.wake(at: 20), equals: [Told(key: 0, start: 0, end: 20, elements: [1])])
    let host = Host(machine(shape, before.machine.state), at: 19)
    #expect(try host.take(Entry(key: 0, element: 2)).isTaken)
    expect(
      host.wake(at: 30),
      equals: [
        Told(key: 0, start: 0, end: 20, elements: [1, 2]),
        Told(key: 0, start: 10, end: 30, elements: [1, 2]),
      ])
  }

  @Test("windows of a clock that was far ahead close at once, and time goes on from where it was set to")
  func farAhead() throws {
    let shape = WindowShape.aligned(size: .seconds(20), every: .seconds(20))
    let before = Host(machine(shape), at: 1000)
    _ = try before.take(Entry(key: 0, element: 1))
    let host = Host(machine(shape, before.machine.state), at: 10)
    expect(host.machine.nextDeadline, equals: Instant(nanoseconds: .min))
    expect(host.wake(at: 10), equals: [Told(key: 0, start: 1000, end: 1020, elements: [1])])
    #expect(try host.take(Entry(key: 0, element: 2)).isTaken)
    expect(host.machine.nextDeadline, equals: Instant() + .seconds(20))
  }

  @Test("agrees with sessions put together anew", arguments: 1...10 as ClosedRange<UInt64>)
  func sessions(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let gap = 2 + random.below(6)
    let longest = 10 + random.below(20)
    let host = Host(machine(.session(gap: .seconds(gap), max: .seconds(longest)), mark: Mark(), late: 6))
    var open: [Entry] = []
    var (newest, watermark) = (0, -100)
    for number in 0..<1000 {
      newest += random.below(3) + (random.below(40) == 0 ? 30 : 0)
      let entry = Entry(key: random.below(3), time: newest + random.below(12) - 9, element: number)
      watermark = max(watermark, entry.time - 6)
      let (closed, isTaken) = try host.take(entry)
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
      let isOpen = entry.time + gap > watermark
      expect(isTaken, equals: isOpen)
      if isOpen { open.append(entry) }
      expect(host.machine.waiting, equals: open.count)
    }
  }

  @Test("a key too many ends the windows of the oldest")
  func excess() throws {
    let shape = WindowShape.aligned(size: .seconds(20), every: .seconds(10))
    let host = Host(machine(shape, maxKeys: 1), at: 5)
    #expect(try host.take(Entry(key: 1, element: 1)).closed.isEmpty)
    try expect(
      host.take(Entry(key: 2, element: 2)).closed,
      equals: [
        Told(key: 1, start: -10, end: 10, elements: [1]), Told(key: 1, start: 0, end: 20, elements: [1]),
      ])
    expect(host.machine.waiting, equals: 1)
  }

  @Test("a key's windows hold no more than they may")
  func full() throws {
    let shape = WindowShape.aligned(size: .seconds(10), every: .seconds(10))
    let host = Host(machine(shape, maxElements: 1))
    try expect(
      [1, 1, 2].map { try host.take(Entry(key: $0, element: 0)).isTaken }, equals: [true, false, true])
  }

  @Test("times at the edge of what can be counted are no trouble")
  func edges() throws {
    for size in [Duration.nanoseconds(1), .seconds(7), .seconds(9_000_000_000)] {
      let host = Host(machine(.aligned(size: size, every: size)))
      for seconds in [-9.19e9, -1, 0, 9.19e9] {
        host.now = Instant(timeOfDay: seconds)
        _ = try host.take(Entry(key: 1, element: 1))
      }
      host.flush()
      expect(host.machine.waiting, equals: 0)
    }
  }
}
