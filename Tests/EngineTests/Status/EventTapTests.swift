import Expectations
import JSON
import Reactive
import Testing

@testable import Engine

@Suite("Taps")
struct EventTapTests {
  private let lane = Lane(on: VirtualScheduler(), world: .real)
  private let meter = Meter(name: "changes", kind: "changes")
  private let poll = Poll(source: "upcoming", number: 3, at: 7)

  private func pass(_ numbers: ClosedRange<Int>) {
    for number in numbers { meter.show(Event(.number(number), poll), on: lane) }
  }

  private func numbers(_ events: [TappedEvent]) -> [String] {
    events.map { $0.json.map { String(decoding: $0, as: UTF8.self) } ?? "|" }
  }

  @Test("a tap records what passes while it is attached, with where it was and the ends of polls")
  func attached() {
    let tap = EventTap()
    pass(1...1)
    meter.attach(tap, of: "slips")
    meter.attach(tap, of: "slips")
    lane.turn {
      pass(2...3)
      meter.show(.end(of: poll), on: lane)
    }
    meter.detach(tap)
    pass(4...4)
    let (events, missed) = tap.take()
    #expect(numbers(events) == ["2", "3", "|"] && missed == 0)
    expect(
      events.first,
      equals: TappedEvent(
        pipeline: "slips", node: "changes", at: lane.now, source: "upcoming", poll: 3, json: Array("2".utf8)
      ))
    expect(events.map(\.isEndOfPoll), equals: [false, false, true])
    #expect(tap.take().events.isEmpty)
  }

  @Test("several taps at one node do not affect each other")
  func several() {
    let (first, second) = (EventTap(), EventTap())
    meter.attach(first, of: "p")
    pass(1...2)
    meter.attach(second, of: "p")
    pass(3...3)
    meter.detach(first)
    pass(4...4)
    expect(numbers(first.take().events), equals: ["1", "2", "3"])
    expect(numbers(second.take().events), equals: ["3", "4"])
  }

  @Test("a full tap keeps the latest events, by number and by size, and counts the others")
  func full() {
    let tap = EventTap(.init(events: 4))
    meter.attach(tap, of: "p")
    pass(1...1000)
    expect(numbers(tap.latest(2)), equals: ["999", "1000"])
    let (events, missed) = tap.take()
    #expect(numbers(events) == ["997", "998", "999", "1000"] && missed == 996)
    pass(1...1)
    expect(tap.take().missed, equals: 0)
    let small = EventTap(.init(bytes: 1000))
    meter.attach(small, of: "p")
    meter.show(Event(.string(String(repeating: "x", count: 2000)), poll), on: lane)
    pass(1...1)
    let kept = small.take()
    #expect(numbers(kept.events) == ["1"] && kept.missed == 1)
  }

  @Test("a tap costs the lane a limited number of events and bytes in a second; the others are counted")
  func limited() {
    let now = Locked(Instant())
    let tap = EventTap(.init(eventsPerSecond: 100), clock: { now.withLock { $0 } })
    meter.attach(tap, of: "p")
    pass(1...1000)
    let first = tap.take()
    #expect(first.events.count == 100 && first.missed == 900)
    now.withLock { $0 = $0 + .milliseconds(500) }
    pass(1...1000)
    let second = tap.take()
    // The time is looked at once in 64 events.
    #expect(second.events.count == 50 && second.missed == 950)
    let thin = EventTap(.init(bytesPerSecond: 1000), clock: { now.withLock { $0 } })
    meter.detach(tap)
    meter.attach(thin, of: "p")
    meter.show(Event(.string(String(repeating: "x", count: 5000)), poll), on: lane)
    pass(1...100)
    expect(thin.take().events.count, equals: 1)
    // Five seconds' worth was used at once.
    now.withLock { $0 = $0 + .seconds(2) }
    pass(1...100)
    #expect(thin.take().events.isEmpty)
  }

  @Test("the reader is woken once for what it can take, and again after it has taken")
  func woken() {
    let count = Locked(0)
    let tap = EventTap(wake: { count.withLock { $0 += 1 } })
    meter.attach(tap, of: "p")
    pass(1...10)
    expect(count.withLock { $0 }, equals: 1)
    _ = tap.take()
    pass(11...12)
    expect(count.withLock { $0 }, equals: 2)
  }
}
