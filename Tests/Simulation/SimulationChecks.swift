import JSON
import Engine
import Language
import SimulatedDisk

// What must be so when all lives of a pipeline are over.

extension Simulation {
  mutating func check() throws {
    let record = witness.kept
    try checkSources(record.notes)
    try checkSteps(record.notes)
    let last = scenario.lastName
    func values(_ notes: [Witness.Note]) -> [Value] {
      notes.compactMap { $0.node == last && !$0.event.isEndOfPoll ? $0.event.value : nil }
    }
    let events = values(record.notes)
    let left = scenario.replacesInput ? values(witness.lost) : nil
    let process = disk.start()
    for path in try LineCheck.paths(process) {
      func own(_ values: [Value]) -> [Value] {
        path == "/out/log.jsonl"
          ? values : values.filter { path.contains("/deep/\($0.member("k")?.string ?? "")/") }
      }
      let expected = own(events)
      var check = LineCheck(path, process)
      try check.check(
        expected, left: left.map(own), mayBeAside: hasLost || scenario.replacesInput, wasCut: hasLost)
      count.lines += expected.count
      count.aside += check.aside
    }
    if !events.isEmpty, !scenario.renamesOutput, !process.exists("/out/log.jsonl") {
      throw Complaint("there is no log")
    }
    if scenario.table != .none {
      var check = TableCheck(isHistory: scenario.table == .history, isOfPolls: scenario.sendsPolls)
      for note in record.notes where note.node == last { check.take(note) }
      try check.check(process)
    }
    if scenario.hasOutages { count.outages += try OutageCheck(process).check() }
    let attempted = attempts.all
    count.attempts = attempted.count
    try checkAttempts(record.outputs, attempted, events)
  }

  private func checkSources(_ notes: [Witness.Note]) throws {
    var polls: [String: Int] = [:]
    var number = 0.0
    for note in notes {
      let poll = note.event.poll
      if note.event.isEndOfPoll, note.node == poll.source {
        let last = polls[note.node] ?? 0
        // A poll that fails has its number too.
        if poll.number <= last { throw Complaint("poll \(poll.number) of \(note.node) came behind \(last)") }
        polls[note.node] = poll.number
      } else if !note.event.isEndOfPoll, note.node == "input", scenario.kind != .polls {
        let found = note.event.value.member("n")?.double
        // What was read and not committed may have been rotated away.
        if scenario.rotatesInput, number == 0, let found { number = found }
        if scenario.replacesInput, let found { number = max(number, found) }
        if found != number { throw Complaint("\(found ?? -1) was read where \(number) was next") }
        number += 1
      }
    }
  }

  private func checkSteps(_ notes: [Witness.Note]) throws {
    let chain = scenario.plan.streams.first { $0.name == "main" }?.steps.map(\.name) ?? []
    for (step, name) in scenario.steps {
      let before = chain.firstIndex(of: name).flatMap { $0 > 0 ? chain[$0 - 1] : nil } ?? "input"
      let isFirst = before == "input" || scenario.partition?.place == 0 && before == chain.first
      var check = StepCheck(
        step, name, isFirst: isFirst, isPolled: scenario.kind == .polls,
        emitsFirst: scenario.yaml.contains("first: emit"),
        removedAfter: scenario.yaml.contains("removed_after: 2") ? 2 : 1,
        clockJumps: clockJumps, isFlushed: scenario.yaml.contains("on_stop: flush"))
      for note in notes {
        switch note.node {
        case before: check.take(note.event, isOfCompletePoll: note.isOfCompletePoll)
        case name: check.takeOut(note.event)
        case "other": check.takeSide(note.event)
        default: break
        }
      }
      try check.check()
    }
  }

  /// Each at least once, none that was not kept, and no name for two things.
  private func checkAttempts(
    _ kept: [Witness.Output], _ attempted: [Witness.Output], _ events: [Value]
  ) throws {
    if kept.map(\.bytes) != events.map(\.json) {
      throw Complaint("other things were to be run than came out")
    }
    let byID = Dictionary(grouping: kept, by: \.id)
    if let twice = byID.first(where: { $0.value.count > 1 }) {
      throw Complaint("the name \(twice.key) was given twice")
    }
    let ids = Set(attempted.map(\.id))
    if let lost = kept.first(where: { !ids.contains($0.id) }) { throw Complaint("\(lost.id) was never run") }
    for attempt in attempted where byID[attempt.id]?.first != attempt {
      throw Complaint("\(attempt.id) was run and is not kept, or with other bytes")
    }
  }
}
