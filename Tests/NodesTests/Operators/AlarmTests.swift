import Expectations
import JSON
import Language
import Reactive
import TestSupport
import Testing
import Trials

@testable import Engine
@testable import Nodes

@Suite struct AlarmTests {
  private func run(_ step: String, _ input: String) throws -> [String] { try Trial(step).run(input).lines }

  /// The types of what is sent, with their times.
  ///
  /// Of alarms that still wait at the end, the log says that they do.
  private func types(_ step: String, _ input: String, waits: Bool = false) throws -> [String] {
    let output = try Trial(step).run(input)
    return (waits ? output.linesDespiteTrouble : output.lines).map { line in
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

  @Test("polls decide what has lasted: a failed one counts for neither side")
  func failures() throws {
    let step = "alarm: { when: .low, key: .id, for: 6h }"
    let low = #"{"id":"a","low":true}"#
    let high = #"{"id":"a","low":false}"#
    let once = try Trial(step).run("0h \(low)\n0h poll\n6h failure\n12h \(high)\n12h poll")
      .linesDespiteTrouble
    #expect(once.isEmpty)
    let twice = try Trial(step).run(
      "0h \(low)\n0h poll\n6h failure\n12h \(low)\n12h poll\n18h failure\n24h \(high)\n24h poll"
    ).linesDespiteTrouble
    expect(
      twice,
      equals: [
        #"12h {"type":"raised","key":"a","since":"1970-01-01T00:00:00Z","event":{"id":"a","low":true}}"#,
        #"1d {"type":"cleared","key":"a","since":"1970-01-01T00:00:00Z","event":{"id":"a","low":false}}"#,
      ])
  }

  @Test("a poll may come early by a tenth of the period, and not by more")
  func early() throws {
    let step = "alarm: { when: . > 9, for: 1h }"
    let polls = "0m 10\n0m poll\n30m 10\n30m poll\n"
    try expect(types(step, polls + "58m 10\n58m poll"), equals: ["58m raised"])
    try expect(types(step, polls + "56m 10\n56m poll", waits: true), equals: [])
    try expect(types(step, "0m 10\n0m poll\n1m 10\n1m poll\n2m 10\n2m poll", waits: true), equals: [])
  }

  @Test("a number is of polls in a row, however long they take and however many events they have")
  func counts() throws {
    let step = "alarm: { when: . > 9, for: 2, clear_for: 2 }"
    try expect(
      types(
        step,
        "0s 10\n0s 10\n0s poll\n1s 10\n1s poll\n2s 1\n2s poll\n3s 10\n3s poll\n4s 1\n4s poll\n9h 1\n9h poll"),
      equals: ["1s raised", "9h cleared"])
    try expect(
      types(step, "0s 10\n0s poll\n1s 1\n1s poll\n2s 10\n2s poll\n3s poll\n4s 10\n4s poll", waits: true),
      equals: [])
    try expect(types("alarm: { when: . > 9, for: 1 }", "0s 10\n0s poll"), equals: ["0s raised"])
  }

  @Test("behind a step that sends differences only, a poll without an event shows that the last one holds")
  func differences() throws {
    let input = "0s 10\n0s poll\n10s 10\n10s poll\n20s 10\n20s poll\n30s 1\n30s poll\n40s 1\n40s poll"
    for time in ["20s", "3"] {
      let step = "- dedupe: .\n- alarm: { when: . > 9, for: \(time), clear_for: 2 }"
      try expect(types(step, input), equals: ["20s raised", "40s cleared"])
    }
    let partial = input.replacing("20s poll", with: "20s poll partial")
    try expect(types("- dedupe: .\n- alarm: { when: . > 9, for: 20s }", partial), equals: [])
  }

  @Test("a row that is gone has not lasted; one where a poll did not look counts for neither side")
  func gone() throws {
    let step = "alarm: { when: .n > 9, key: .k, for: 20s }"
    let row = #"{"k":"a","n":10}"#
    try expect(types(step, "0s \(row)\n0s poll\n10s poll\n20s \(row)\n20s poll", waits: true), equals: [])
    try expect(
      types(step, "0s \(row)\n0s poll\n10s poll partial\n20s \(row)\n20s poll"), equals: ["20s raised"])
  }

  @Test("numbers of polls and times are options, and zero is only a time")
  func options() throws {
    #expect(throws: Trial.Wrong.self) { try Trial("alarm: { when: ., for: -1 }") }
    try expect(types("alarm: { when: . > 9, for: 0 }", "0s 10\n0s poll"), equals: ["0s raised"])
  }

  @Test("what an earlier version stored goes on, under another kind of time too")
  func stored() throws {
    let json = """
      {"phase":"rising","since":5,"due":15,"repeat":null,"heard":6,"missing_at":null,
      "event":{"value":10,"source":"in","at":6,"poll":3}}
      """
    let row = try #require(AlarmRow(jsonValue: Value.parse(Array(json.utf8))))
    #expect(row.due == .seconds(15) && row.polls == 0 && row.isPolled)
    for (lasting, polls) in [(PollsOrTime.time(.seconds(10)), 1), (.polls(2), 1)] {
      var state = MemoryState<Int, AlarmRow>()
      state.set(row, for: 0)
      var machine = Machine(
        state: state, AlarmTimes(lasting: lasting, clearing: .polls(1)), bound: 9, after: .seconds(7),
        by: { _ in 0 }, when: over9, clear: nil)
      let host = Host()
      host.now = .seconds(3600)
      machine.start(host)
      expectNil(machine.nextDeadline)
      for number in 1...polls { try machine.take(event(10, poll: 3 + number), host) }
      expect(host.heard, equals: [.raised])
    }
  }

  @Test("while a source is down nothing lasts, and what was there before counts")
  func downtime() throws {
    let downtime = Locked(Downtime())
    let host = Host()
    let now = Locked(Instant())
    var machine = Machine(
      state: MemoryState(), AlarmTimes(lasting: .time(.seconds(10)), clearing: .time(.zero)),
      AlarmSources(downtime: { _ in
        downtime.withLock { down in (down.total(at: now.withLock { $0 }), down.isDown) }
      }),
      bound: 9, by: { _ in 0 }, when: over9, clear: nil)
    func reach(_ seconds: Int) {
      host.now = .seconds(seconds)
      now.withLock { $0 = host.now }
    }
    machine.start(host)
    try machine.take(event(10), host)
    expect(machine.nextDeadline, equals: .seconds(10))
    reach(4)
    _ = downtime.withLock { $0.note(isDown: true, at: .seconds(4)) }
    reach(10)
    machine.wake(host)
    expectNil(machine.nextDeadline)
    reach(100)
    _ = downtime.withLock { $0.note(isDown: false, at: .seconds(100)) }
    machine.wake(host)
    #expect(machine.nextDeadline == .seconds(106) && host.heard.isEmpty)
    reach(106)
    machine.wake(host)
    expect(host.heard, equals: [.raised])
  }

  @Test("while the process is stopped nothing lasts, but for a tenth of the time")
  func stopped() throws {
    var machine = Machine(
      state: MemoryState(), AlarmTimes(lasting: .time(.seconds(100)), clearing: .time(.zero)),
      AlarmSources(mayPause: true), bound: 9, by: { _ in 0 }, when: over9, clear: nil)
    let host = Host()
    machine.start(host)
    expectNil(machine.nextDeadline)
    try machine.take(event(10), host)
    expect(machine.nextDeadline, equals: .seconds(10))
    // It stops at 15 s, and would have woken at 20.
    for seconds in [10, 1015] {
      host.now = .seconds(seconds)
      machine.wake(host)
    }
    #expect(host.heard.isEmpty && machine.nextDeadline == .seconds(1025))
    for seconds in stride(from: 1025, to: 1095, by: 10) {
      host.now = .seconds(seconds)
      machine.wake(host)
    }
    #expect(host.heard.isEmpty && machine.nextDeadline == .seconds(1095))
    host.now = .seconds(1095)
    machine.wake(host)
    expect(host.heard, equals: [.raised])
    try machine.take(event(1), host)
    expect(host.heard, equals: [.raised, .cleared])
  }

  @Test("the time between two runs is no silence, and no part of what must last")
  func pause() throws {
    let times = AlarmTimes(
      lasting: .time(.seconds(10)), clearing: .time(.zero), repeating: nil, silent: .seconds(20))
    func machine(_ state: MemoryState<Int, AlarmRow>, after end: Int?) -> Machine {
      Machine(
        state: state, times, bound: 9, after: end.map { .seconds($0) }, by: { _ in 0 }, when: over9,
        clear: nil)
    }
    let host = Host()
    var first = machine(MemoryState(), after: nil)
    first.start(host)
    try first.take(event(10), host)
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

  @Test(
    "what is made again after a kill waits from the start of the run, and what lasts no time comes at once",
    arguments: [10, 0], [false, true])
  func regenerated(lasting: Int, mayPause: Bool) throws {
    let host = Host()
    var machine = Machine(
      state: MemoryState(),
      AlarmTimes(
        lasting: .time(.seconds(lasting)), clearing: .time(.zero), repeating: nil, silent: .seconds(20)),
      AlarmSources(mayPause: mayPause), bound: 9, after: .seconds(4), by: { _ in 0 }, when: over9, clear: nil)
    func wake(at seconds: Int) {
      host.now = .seconds(seconds)
      machine.wake(host)
    }
    host.now = .seconds(3600)
    machine.start(host)
    // The epoch that the run before has not stored.
    host.now = .seconds(4)
    try machine.take(event(10), host)
    expect(host.heard, equals: lasting == 0 ? [.raised] : [])
    for seconds in 3600...3609 { wake(at: seconds) }
    expect(host.heard, equals: lasting == 0 ? [.raised] : [])
    wake(at: 3610)
    expect(host.heard, equals: [.raised])
    wake(at: 3619)
    expect(host.heard, equals: [.raised])
    wake(at: 3620)
    expect(host.heard, equals: [.raised, .missing])
  }

  @Test("expected keys are asked for again: new ones are missing in time, and those that are gone are not")
  func expectations() throws {
    let times = AlarmTimes(
      lasting: .time(.zero), clearing: .time(.zero), repeating: nil, silent: .seconds(20))
    let answers = Journal<[Int]>()
    let now = Locked([[1], [1], [1, 2], [2]])
    let known = Locked([Int]())
    let expected = AlarmExpectation<Int>(
      changes: {
        let next = now.withLock { $0.removeFirst() }
        answers.note(next)
        return known.withLock { known in
          defer { known = next }
          return (
            next.filter { !known.contains($0) }.map { ($0, event(0)) }, known.filter { !next.contains($0) }
          )
        }
      }, every: .seconds(5), wakes: true)
    let host = Host()
    var machine = Machine(
      state: MemoryState(), times, bound: 9, expected: expected, by: { _ in 0 }, when: { _ in false },
      clear: nil)
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

  private typealias Machine = AlarmMachine<MemoryState<Int, AlarmRow>>

  private final class Host: MachineHost {
    var now = Instant()
    var heard: [AlarmReport<Int>.Kind] = []
    func emit(_ output: AlarmReport<Int>) { heard.append(output.kind) }
    func note(_ excess: Excess, beyond bound: Int) {}
  }
}

/// An event of a source that is not polled, or of a poll.
private func event(_ number: Int, poll: Int = 0) -> Event {
  Event(.number(number), Poll(source: "in", number: poll, at: Double(poll)))
}

private let over9: @Sendable (Event) -> Bool = { ($0.value.double ?? 0) > 9 }

extension Instant {
  fileprivate static func seconds(_ seconds: Int) -> Instant { Instant() + .seconds(seconds) }
}
