import Expectations
import Reactive
import Testing

@testable import Nodes
import System

@Suite struct RemindMachineTests {
  private struct Told: Hashable {
    let key: Int
    let at: Int
    let lead: Int
    let element: Int
  }

  /// The rules as they are documented, applied each second.
  private struct Model {
    struct Entry {
      var at: Int
      var element: Int
      var ahead: Set<Int> = []
      var told: [Int: Int] = [:]
    }

    let leads: [Int]
    let grace: Int
    var entries: [Int: Entry] = [:]

    var missing: Set<Int> = []

    private func isTimely(_ lead: Int, of time: Int, _ now: Int) -> Bool {
      now - (time - lead) <= grace && (lead == 0 || now < time)
    }

    /// What becomes due in the second `now`.
    mutating func tick(_ now: Int) -> Set<Told> {
      var all: Set<Told> = []
      for (key, var entry) in entries {
        let isMissing = missing.contains(key)
        for lead in entry.ahead where entry.at - lead <= now && !isMissing {
          entry.ahead.remove(lead)
          if entry.told[lead] == entry.at { continue }
          entry.told[lead] = entry.at
          all.insert(Told(key: key, at: entry.at, lead: lead, element: entry.element))
        }
        let latest = entry.told.values.max().map { max($0, entry.at) } ?? entry.at
        entries[key] = (entry.ahead.isEmpty || isMissing) && now > latest + grace ? nil : entry
      }
      return all
    }

    mutating func accept(_ element: Int, at time: Int, for key: Int, now: Int) -> Set<Told> {
      var all: Set<Told> = []
      let old = entries[key]
      var entry = old ?? Entry(at: time, element: element)
      entry.element = element
      missing.remove(key)
      if old?.at == time {
        for lead in entry.ahead where time - lead <= now {
          entry.ahead.remove(lead)
          if entry.told[lead] == time || !isTimely(lead, of: time, now) { continue }
          entry.told[lead] = time
          all.insert(Told(key: key, at: time, lead: lead, element: element))
        }
      } else {
        entry.at = time
        entry.ahead = Set(leads.filter { time - $0 > now })
        for lead in leads where time - lead <= now {
          if let told = entry.told[lead], told == time || told == old?.at {
            entry.told[lead] = time
          } else if isTimely(lead, of: time, now) {
            entry.told[lead] = time
            all.insert(Told(key: key, at: time, lead: lead, element: element))
          }
        }
      }
      entries[key] = entry
      return all
    }
  }

  private typealias Machine = RemindMachine<MemoryState<Int, Reminder<Int>>, Int>

  private func second(_ number: Int) -> Instant { Instant() + .seconds(number) }

  private func told(_ due: DueReminder<Int, Int>) -> Told {
    Told(
      key: due.key, at: Int(due.at.nanoseconds / 1_000_000_000), lead: Int(due.lead / .seconds(1)),
      element: due.element)
  }

  @Test("agrees with the rules looked at each second", arguments: 1...20 as ClosedRange<UInt64>)
  func model(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let leads = [0, 7, 30, 31, 90]
    let grace = random.below(40)
    var model = Model(leads: leads, grace: grace)
    var machine = Machine(
      state: MemoryState(), leads: leads.shuffled(using: &random).map { .seconds($0) },
      grace: .seconds(grace), bound: 100)
    /// The key of each element.
    var keys: [Int: Int] = [:]
    for now in 0..<2000 {
      var due: [Told] = []
      while let reminder = machine.due(
        at: second(now), isMissing: { model.missing.contains(keys[$0] ?? -1) })
      {
        due.append(told(reminder))
      }
      #expect(Set(due) == model.tick(now) && Set(due).count == due.count)
      let key = random.below(4)
      switch random.below(12) {
      case 0:
        machine.cancel(key)
        model.entries[key] = nil
        model.missing.remove(key)
      case 5: model.missing.insert(key)
      case 1...4:
        keys[now] = key
        // A few times, so that they come back; some of them past.
        let time = now - now % 50 + random.below(12) * 20 - 60
        let atOnce = machine.accept(now, at: second(time), for: key, now: second(now)).map(told)
        expect(Set(atOnce), equals: model.accept(now, at: time, for: key, now: now))
      default: break
      }
      expect(machine.count, equals: model.entries.values.count { !$0.ahead.isEmpty })
      expect(machine.dropExcess(), equals: false)
    }
  }

  @Test("no lead fires twice for one time, however it moves to and fro")
  func flapping() {
    var machine = Machine(state: MemoryState(), leads: [.seconds(60)], grace: .seconds(600), bound: 10)
    var told = 0
    for now in 0..<500 {
      while machine.due(at: second(now)) != nil { told += 1 }
      let time = now % 2 == 0 ? 100 : 105
      told += machine.accept(now, at: second(time), for: 1, now: second(now)).count
    }
    // Of the one when it came, of the other since that was ahead then, or not at all.
    #expect((1...2).contains(told))
  }

  @Test("a time that is past and has fired is forgotten, so that nothing piles up")
  func forgetting() {
    var machine = Machine(state: MemoryState(), leads: [.zero], grace: .seconds(10), bound: 10)
    _ = machine.accept(0, at: second(5), for: 1, now: second(0))
    expect(machine.due(at: second(5))?.key, equals: 1)
    expect(machine.state.count, equals: 1)
    expectNil(machine.due(at: second(15)))
    expect(machine.state.count, equals: 1)
    expectNil(machine.due(at: second(16)))
    expect(machine.state.count, equals: 0)
    expectNil(machine.nextDeadline)
    _ = machine.accept(0, at: second(5), for: 1, now: second(100))
    expect(machine.state.count, equals: 0)
  }

  @Test("after the machine has slept, leads that are not too old fire")
  func sleep() {
    var machine = Machine(
      state: MemoryState(), leads: [.seconds(100), .zero], grace: .seconds(10), bound: 10)
    _ = machine.accept(0, at: second(200), for: 1, now: second(0))
    expect(machine.due(at: second(205))?.lead, equals: .zero)
    expectNil(machine.due(at: second(205)))
  }

  @Test("a lead before the time does not fire once the time has come, however long the grace")
  func past() {
    var machine = Machine(
      state: MemoryState(), leads: [.seconds(60), .zero], grace: .seconds(600), bound: 10)
    expect(machine.accept(0, at: second(100), for: 1, now: second(130)).map(\.lead), equals: [.zero])
    expect(machine.accept(0, at: second(200), for: 2, now: second(190)).map(\.lead), equals: [.seconds(60)])
    // The machine slept past all of it.
    _ = machine.accept(0, at: second(400), for: 3, now: second(200))
    var late: [DueReminder<Int, Int>] = []
    while let reminder = machine.due(at: second(450)) { late.append(reminder) }
    expect(late.map(\.lead), equals: [.zero, .zero])
  }

  @Test("a missing key fires nothing until it is back, and then what is still of use")
  func missing() {
    var machine = Machine(
      state: MemoryState(), leads: [.seconds(300), .seconds(100), .seconds(10)], grace: .seconds(50),
      bound: 10)
    _ = machine.accept(0, at: second(1000), for: 1, now: second(0))
    expectNil(machine.due(at: second(700), isMissing: { _ in true }))
    expectNil(machine.due(at: second(920), isMissing: { _ in true }))
    expect(machine.accept(1, at: second(1000), for: 1, now: second(920)).map(\.lead), equals: [.seconds(100)])
    expect(machine.due(at: second(990))?.lead, equals: .seconds(10))
    // One that stays away is forgotten.
    _ = machine.accept(0, at: second(2000), for: 2, now: second(1000))
    expectNil(machine.due(at: second(2051), isMissing: { _ in true }))
    #expect(machine.state.count == 0 && machine.nextDeadline == nil)
  }

  @Test("resumes the state of another machine")
  func takenUp() {
    var machine = Machine(state: MemoryState(), leads: [.seconds(5)], grace: .zero, bound: 10)
    _ = machine.accept(7, at: second(20), for: 1, now: second(0))
    var other = Machine(state: machine.state, leads: [.seconds(5)], grace: .zero, bound: 10)
    expect(other.nextDeadline, equals: second(15))
    expect(other.due(at: second(15))?.element, equals: 7)
  }
}
