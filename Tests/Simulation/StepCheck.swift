import JSON
import Engine
import Language

/// Holds what came out of a step against what went in, by a plain model of it, or, where the time decides, by what is
/// so at any time: what waits is not lost, and comes once.
struct StepCheck {
  let step: TriedStep
  let name: String
  private var input: [Value] = []
  private var output: [Value] = []
  /// What a model expects to come out, where it can tell.
  private var expected: [Value] = []
  private var state: [String: Value] = [:]
  private var seen: Set<String> = []
  private var windows = TimedWindows()
  /// Whether the polls that were compared first could be read in whole; nil before the first.
  private var baseline: Coverage?
  /// How many rows were known before the present poll.
  private var known = 0
  private let emitsFirst: Bool
  /// Then windows hold their events by the times that the clock has shown, which is another order.
  private let clockJumps: Bool

  /// Whether events may come in the last moment, when what waits is sent on.
  private let isFlushed: Bool

  /// Whether events come to the step at the times of their polls.
  private let isFirst: Bool

  private var news: NewsModel
  /// Events that wait for the first poll of the other stream; nil when none does any more.
  private var waiting: [Value]?

  init(
    _ step: TriedStep, _ name: String, isFirst: Bool, isPolled: Bool, emitsFirst: Bool, removedAfter: Int,
    clockJumps: Bool, isFlushed: Bool
  ) {
    news = NewsModel(emitsFirst: emitsFirst, removedAfter: removedAfter)
    waiting = isPolled ? [] : nil
    (self.step, self.name, self.emitsFirst, self.clockJumps) = (step, name, emitsFirst, clockJumps)
    (self.isFirst, self.isFlushed) = (isFirst, isFlushed)
  }

  mutating func takeSide(_ event: Event) {
    guard step == .join else { return }
    if event.isEndOfPoll { endWaiting() } else { state[key(event.value)] = event.value }
  }

  private mutating func endWaiting() {
    expected += (waiting ?? []).map(joined)
    waiting = nil
  }

  private func joined(_ value: Value) -> Value { value.with("o", state[key(value)]?.member("n") ?? .null) }

  mutating func takeOut(_ event: Event) {
    if event.isEndOfPoll { return }
    // A life that sends what waits ends the waiting too.
    if step == .join { endWaiting() }
    output.append(event.value)
  }

  mutating func take(_ event: Event, isOfCompletePoll: Bool) {
    if event.isEndOfPoll {
      if step == .changes { endPoll(isComplete: isOfCompletePoll) }
      if step == .remind { forgetMissing(isComplete: isOfCompletePoll) }
      if step == .news {
        expected += news.end(event.poll, isComplete: isOfCompletePoll).map {
          change($0.type, $0.key, $0.after)
        }
      }
    } else {
      input.append(event.value)
      model(event)
    }
  }

  private mutating func model(_ event: Event) {
    let (value, key) = (event.value, key(event.value))
    switch step {
    case .reading:
      if !TriedStep.isUnreadable(key: key, number: number(value, "n")) { expected.append(value) }
    case .dedupe: if seen.insert("\(number(value, "n"))").inserted { expected.append(value) }
    case .distinct:
      if state[key].map({ number($0, "n") }) != number(value, "n") { expected.append(value) }
      state[key] = value
    case .scan:
      let sum = (state[key]?.double ?? 0) + number(value, "n")
      state[key] = .number(sum)
      expected.append(value.with("s", .number(sum)))
    case .join: if waiting?.append(value) == nil { expected.append(joined(value)) }
    case .changes:
      seen.insert(key)
      let before = state.updateValue(value, forKey: key)
      // What is seen first after a poll that could not be read in whole may have been there before.
      let isTold = before == nil ? baseline == .complete : baseline != nil
      if emitsFirst || event.poll.number == 0 || isTold, before.map({ $0 != value }) ?? true {
        expected.append(change(before == nil ? "added" : "changed", key, value))
      }
    // Of what is past when it is heard of nothing may be told.
    case .remind:
      seen.insert(key)
      state[key] = isFirst && number(value, "u") > event.poll.at ? value : nil
    case .alarm(lasting: false):
      let isRaised = Int(number(value, "n")) % 3 == 0
      if isRaised == (state[key] != nil) { return }
      state[key] = isRaised ? value : nil
      expected.append(Value.record([("type", isRaised ? "raised" : "cleared"), ("event", value)]))
    case .news: news.take(value)
    case .timedWindow: expected += windows.take(value, of: key, at: Int(number(value, "n")))
    case .batch, .delay, .debounce, .throttle, .tumbling, .session, .sliding, .alarm, .silence: break
    }
  }

  /// Rows that a step before could not read are neither there nor gone.
  private mutating func endPoll(isComplete: Bool) {
    for key in state.keys.sorted() where isComplete && !seen.contains(key) {
      state[key] = nil
      if emitsFirst || baseline != nil { expected.append(change("removed", key, nil)) }
    }
    seen = []
    let isFirst = baseline == nil || baseline == .partial && known == 0
    baseline = isFirst && !isComplete ? .partial : .complete
    known = state.count
  }

  /// Of a key that is missing from the last whole poll nothing is told while it stays away.
  private mutating func forgetMissing(isComplete: Bool) {
    if isComplete { state = state.filter { seen.contains($0.key) } }
    seen = []
  }

  private func change(_ type: String, _ key: String, _ after: Value?) -> Value {
    .record([("type", .string(type)), ("key", .string(key)), ("after", after ?? .null)])
  }

  // MARK: - At the end

  func check() throws {
    switch step {
    case .dedupe, .distinct, .scan, .join, .reading: try same(output, expected)
    case .changes, .news:
      let emitted = output.map {
        Value.record([
          ("type", $0.member("type") ?? .null), ("key", $0.member("key") ?? .null),
          ("after", $0.member("after") ?? .null),
        ])
      }
      try same(sortedRuns(emitted), sortedRuns(expected))
    case .delay: try same(output, input)
    case .timedWindow: try checkTimedWindows()
    case .batch(let timed):
      let given = output.flatMap { $0.items ?? [] }
      try same(given, Array(input.prefix(given.count)))
      let left = input.count - given.count
      try expect(left < (timed ? 1 : 4), "\(left) of what was gathered never came")
    case .tumbling, .session, .sliding: try checkWindows()
    case .debounce: try checkSome(hasFirst: false, hasLast: true)
    case .throttle(let latest): try checkSome(hasFirst: true, hasLast: latest)
    case .remind: try checkReminders()
    case .alarm(let lasting): try checkAlarms(isExact: !lasting)
    case .silence: try checkSilences()
    }
  }

  /// Which windows have ended, and in which order, is a matter of the events alone.
  private func checkTimedWindows() throws {
    var windows = windows
    let rows = output.compactMap { $0.member("value") }
    let flushed = expected + windows.end(by: .max)
    try same(rows, rows.count > expected.count ? flushed : expected)
  }

  private func checkWindows() throws {
    let values = byKey(output.compactMap { $0.member("value") })
    for (key, given) in byKey(input) {
      let told = values[key] ?? []
      let isSliding = step == .sliding
      if !isSliding, !clockJumps { try same(told, given, of: key) }
      // A closed window is sent again if the clock is set back before its end.
      if isSliding, clockJumps { return try expect(told.count >= 2 * given.count, "of \(key) some are lost") }
      let expected = isSliding ? given + given : given
      try same(told.map(\.description).sorted(), expected.map(\.description).sorted(), of: key)
    }
    try expect(values.keys.allSatisfy { !$0.isEmpty }, "something came out that has no key")
  }

  /// Of each key some come, in order.
  private func checkSome(hasFirst: Bool, hasLast: Bool) throws {
    let told = byKey(output)
    for (key, given) in byKey(input) {
      let told = told[key] ?? []
      var rest = given[...]
      for value in told {
        guard let place = rest.firstIndex(of: value) else {
          throw Complaint("\(name): \(value) came out of order, or twice, or from nowhere")
        }
        rest = rest[(place + 1)...]
      }
      if hasFirst { try expect(told.first == given.first, "the first of \(key) did not come") }
      if hasLast {
        try expect(
          told.last == given.last,
          "the last of \(key) is lost: \(given.suffix(2)), told was \(told.suffix(2))")
      }
    }
    try expect(output.count <= input.count, "more came out than went in")
  }

  /// Of each key alarms are raised and cleared in turn, by events that are reason for it.
  private func checkAlarms(isExact: Bool) throws {
    let told = output.map { value in
      Value.record([("type", value.member("type") ?? .null), ("event", value.member("event") ?? .null)])
    }
    if isExact { return try same(told, expected) }
    var raised: Set<String> = []
    for alarm in told {
      guard let event = alarm.member("event"), input.contains(event) else {
        throw Complaint("\(name): \(alarm) is about an event that never came")
      }
      let isRaised = Int(number(event, "n")) % 3 == 0
      let type: Value = isRaised ? "raised" : "cleared"
      try expect(alarm.member("type") == type, "\(alarm) is no reason for that")
      let isTurn = isRaised ? raised.insert(key(event)).inserted : raised.remove(key(event)) != nil
      try expect(isTurn, "\(alarm) was told twice")
    }
  }

  /// Each key falls silent and comes back in turn, back right before the event that ends the silence; in the end, when
  /// nothing has come for long, all are silent.
  private func checkSilences() throws {
    var silent: Set<String> = []
    var back: String?
    var heard: [Value] = []
    for value in output {
      let reported = value.member("since") == nil ? nil : value.member("key")?.string
      if let key = back, reported != nil || self.key(value) != key {
        throw Complaint("\(name): \(key) is back, and \(value) came instead of its event")
      }
      back = nil
      if let reported, value.member("type") == "silent" {
        try expect(silent.insert(reported).inserted, "\(value) was told twice")
        try expect(heard.contains { key($0) == reported }, "\(value), which never came")
      } else if let reported {
        try expect(silent.remove(reported) != nil, "\(value), which was not silent")
        back = reported
      } else {
        try expect(!silent.contains(key(value)), "\(value) came, and its silence goes on")
        heard.append(value)
      }
    }
    try same(heard, input)
    if isFlushed { return }
    let missing = Set(heard.map(key)).subtracting(silent)
    try expect(missing.isEmpty, "the silence of \(missing.sorted()) is lost")
  }

  private func checkReminders() throws {
    var chances: [String: Int] = [:]
    for value in input { chances["\(key(value)) \(number(value, "u"))", default: 0] += 1 }
    var told: Set<String> = []
    for value in output {
      guard let event = value.member("event"), let lead = value.member("lead")?.string else {
        throw Complaint("\(name): \(value) is no reminder")
      }
      let time = "\(key(event)) \(number(event, "u"))"
      if lead == "20s" { continue }
      try expect((chances[time] ?? 0) > 0, "\(time) was told too often")
      chances[time, default: 0] -= 1
      told.insert(time)
    }
    for (key, last) in state {
      try expect(told.contains("\(key) \(number(last, "u"))"), "the last reminder of \(key) is lost: \(last)")
    }
  }

  // MARK: - Values

  private func key(_ value: Value) -> String { value.member("k")?.string ?? "" }
  private func number(_ value: Value, _ name: String) -> Double { value.member(name)?.double ?? -1 }
  private func byKey(_ values: [Value]) -> [String: [Value]] { Dictionary(grouping: values, by: key) }

  /// Removed rows are reported in any order.
  private func sortedRuns(_ changes: [Value]) -> [String] {
    var sorted: [String] = []
    var run: [String] = []
    for change in changes {
      if change.member("type")?.string == "removed" {
        run.append("\(change)")
      } else {
        sorted += run.sorted() + ["\(change)"]
        run = []
      }
    }
    return sorted + run.sorted()
  }

  private func same<Element: Equatable>(_ found: [Element], _ right: [Element], of key: String = "") throws {
    if found == right { return }
    let place = zip(found, right).enumerated().first { $1.0 != $1.1 }?.offset ?? min(found.count, right.count)
    throw Complaint(
      "\(name) \(key): \(found.count) instead of \(right.count), at \(place) "
        + "\(found.dropFirst(place).prefix(2)) instead of \(right.dropFirst(place).prefix(2))")
  }

  private func expect(_ isSo: Bool, _ complaint: @autoclosure () -> String) throws {
    if !isSo { throw Complaint("\(name): \(complaint())") }
  }
}

/// Windows of one size after another, by a time in the events, and by key.
private struct TimedWindows {
  private typealias Row = (time: Int, value: Value)
  /// The rows of open windows, the key written longest ago first.
  private var keys: [(key: String, rows: [Row])] = []
  private var watermark = Int.min

  /// The rows of the windows that a row ends.
  mutating func take(_ value: Value, of key: String, at time: Int) -> [Value] {
    watermark = max(watermark, time)
    let ended = end(by: watermark)
    if end(of: time) <= watermark { return ended }
    var rows = remove(key)
    rows.insert((time, value), at: rows.firstIndex { $0.time > time } ?? rows.count)
    keys.append((key, rows))
    return ended
  }

  /// The earliest window first; of those that end at one instant, that of the key written longest ago.
  mutating func end(by watermark: Int) -> [Value] {
    var ended: [Value] = []
    while let next = keys.min(by: { first($0.rows) < first($1.rows) }), first(next.rows) <= watermark {
      let rows = remove(next.key)
      ended += rows.filter { $0.time < first(next.rows) }.map(\.value)
      let rest = rows.filter { $0.time >= first(next.rows) }
      if !rest.isEmpty { keys.append((next.key, rest)) }
    }
    return ended
  }

  private mutating func remove(_ key: String) -> [Row] {
    guard let place = keys.firstIndex(where: { $0.key == key }) else { return [] }
    return keys.remove(at: place).rows
  }

  private func first(_ rows: [Row]) -> Int { rows.first.map { end(of: $0.time) } ?? .max }
  private func end(of time: Int) -> Int { (time / TriedStep.windowSize + 1) * TriedStep.windowSize }
}

extension Value {
  fileprivate func with(_ name: String, _ value: Value) -> Value {
    var copy = self
    copy.setMember(Key(name), value)
    return copy
  }
}
