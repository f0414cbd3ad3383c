import Expectations
import Reactive
import TestSupport
import Testing
import Trials

@testable import Nodes

@Suite struct AlarmTests {
  private func run(_ step: String, _ input: String) throws -> [String] { try Trial(step).run(input).lines }

  /// The types of what is sent, with their times.
  private func types(_ step: String, _ input: String) throws -> [String] {
    try run(step, input).map { line in
      let words = line.split(separator: " ", maxSplits: 1)
      let type = words[1].split(separator: "\"").dropFirst(2).first { $0 != ":" } ?? ""
      return "\(words[0]) \(type)"
    }
  }

  @Test("what flaps is never reported, and what lasts is reported once")
  func flapping() throws {
    try expect(
      types("alarm: { when: . > 9, for: 10s }", "0s 10\n5s 1\n6s 10\n15s 1\n16s 10\n20s 11\n1h end"),
      equals: [
        "26s raised"
      ])
  }

  @Test("between the two limits nothing changes, and a value above the lower one interrupts the clearing")
  func hysteresis() throws {
    let step = "alarm: { when: . > 90, clear: . < 80, clear_for: 10s }"
    try expect(
      types(step, "0s 95\n1s 85\n2s 75\n8s 85\n9s 70\n30s 95\n31s end"),
      equals: [
        "0s raised", "19s cleared", "30s raised",
      ])
  }

  @Test("each key has an alarm of its own")
  func keys() throws {
    let lines = try run(
      "alarm: { when: .n > 1, key: .k, for: 5s }",
      #"""
      0s {"k":"a","n":2}
      1s {"k":"b","n":2}
      4s {"k":"a","n":1}
      10s end
      """#)
    expect(
      lines,
      equals: [#"6s {"type":"raised","key":"b","since":"1970-01-01T00:00:01Z","event":{"k":"b","n":2}}"#])
  }

  @Test("what is due comes before the event of the same instant")
  func dueFirst() throws {
    try expect(
      types("alarm: { when: . > 9, for: 10s }", "0s 10\n10s 1\n1h end"),
      equals: ["10s raised", "10s cleared"])
  }

  @Test("an alarm is repeated until it is cleared, and not while it is missing any longer than that")
  func repeats() throws {
    try expect(
      types("alarm: { when: . > 9, repeat: 10s, silent: 25s }", "0s 10\n31s 1\n32s end"),
      equals: [
        "0s raised", "10s repeated", "20s repeated", "25s missing", "30s repeated", "31s back",
        "31s cleared",
      ])
  }

  @Test("with silent, a key that is fine is missing once, and the next time from its next event")
  func silent() throws {
    try expect(
      types("alarm: { when: . > 9, silent: 10s }", "0s 1\n5s 1\n30s 1\n2h end"),
      equals: ["15s missing", "30s back", "40s missing"])
  }

  @Test("an alarm that has not lasted when the input ends is none")
  func end() throws {
    #expect(try run("alarm: { when: . > 9, for: 10s }", "0s 10\n5s end").isEmpty)
  }

  @Test("the time between two runs is no silence, and no part of what must last")
  func pause() throws {
    let times = AlarmTimes(lasting: .seconds(10), clearing: .zero, repeating: nil, silent: .seconds(20))
    func machine(_ state: MemoryState<Int, AlarmRow<Int>>, after end: Int?) -> Machine {
      Machine(
        state: state, times, bound: 9, after: end.map { .seconds($0) }, by: { _ in 0 }, when: { $0 > 9 },
        clear: nil)
    }
    let host = Host()
    var first = machine(MemoryState(), after: nil)
    first.start(host)
    try first.take(10, host)
    host.now = .seconds(4)
    first.wake(host)
    expect(first.waiting, equals: 1)

    var second = machine(first.state, after: 4)
    host.now = .seconds(3600)
    second.start(host)
    expect(second.nextDeadline, equals: .seconds(3606))
    host.now = .seconds(3606)
    second.wake(host)
    expect(host.heard, equals: [.raised])
    host.now = .seconds(3616)
    second.wake(host)
    expect(host.heard, equals: [.raised, .missing])
  }

  @Test("expected keys are asked for again: new ones are missing in time, and those that are gone are not")
  func expectations() throws {
    let times = AlarmTimes(lasting: .zero, clearing: .zero, repeating: nil, silent: .seconds(20))
    let answers = Journal<[Int]>()
    let now = Locked([[1], [1], [1, 2], [2]])
    let known = Locked([Int]())
    let expected = AlarmExpectation<Int, Int>(
      changes: {
        let next = now.withLock { $0.removeFirst() }
        answers.note(next)
        return known.withLock { known in
          defer { known = next }
          return (next.filter { !known.contains($0) }.map { ($0, 0) }, known.filter { !next.contains($0) })
        }
      }, every: .seconds(5), wakes: true)
    let host = Host()
    var machine = Machine(
      state: MemoryState(), times, bound: 9, expected: expected, by: { $0 }, when: { _ in false }, clear: nil)
    machine.start(host)
    expect(machine.nextDeadline, equals: .seconds(5))
    for time in [3, 5, 10, 15, 16, 20, 29] {
      host.now = .seconds(time)
      machine.wake(host)
      if time == 15 { now.withLock { $0 = Array(repeating: [2], count: 9) } }
    }
    #expect(answers.entries.prefix(4) == [[1], [1], [1, 2], [2]] && host.heard.isEmpty)
    host.now = .seconds(30)
    machine.wake(host)
    expect(host.heard, equals: [.missing])
  }

  private typealias Machine = AlarmMachine<MemoryState<Int, AlarmRow<Int>>, Int>

  private final class Host: MachineHost {
    var now = Instant()
    var heard: [AlarmReport<Int, Int>.Kind] = []
    func emit(_ output: AlarmReport<Int, Int>) { heard.append(output.kind) }
    func note(_ excess: Excess, beyond bound: Int) {}
  }
}

extension Instant {
  fileprivate static func seconds(_ seconds: Int) -> Instant { Instant() + .seconds(seconds) }
}
