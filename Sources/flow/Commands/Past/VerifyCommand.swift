import Engine
import JSON
import Language
import Nodes
import Store
import System

/// `flow verify`: whether a log of changes contradicts itself, its pipeline's state or a recording.
enum VerifyCommand {
  static let against = CommandOption(
    "against", .path("FOLDER"), "compare with the polls recorded there, by run --record or import")
  static let key = CommandOption(
    "key", .value("EXPR"),
    "the key of a row, for --against with a LOG (by default the member that is the key)")

  static let manual = Manual(
    "verify", "check a log of changes for gaps and contradictions", operands: .one("LOG"),
    options: [against, key, StateCommand.folder, PipelineFiles.set, PipelineFiles.config],
    about: """
      Every row must be in the log as the change before has left it. With a PIPELINE that has state and does not run, the \
      rows that the log adds up to must be those of its step changes, and with first: emit no row of it may be missing in \
      the log. With --against, a LOG must add up to the rows of each complete poll of a \
      recording, and a PIPELINE is run over it, and must give the same changes. The first place that is wrong is printed, \
      and the exit status is 1. \(ChangeLog.about)

      A LOG is compared in the fields that its differences name, since others may have been left out (watch, ignore). One \
      whose pipeline leaves out fields does not add up to its polls, and one that has only some of the changes, as behind \
      filter, has gaps: name the PIPELINE, which says so. Of a LOG alone a line that is missing before the first or behind \
      the last of its row is not seen, nor are lines of several sources in a wrong order; --against sees both.
      """,
    examples: [
      ("flow verify out/new-launches.jsonl", "the log by itself"),
      ("flow verify new-launches", "the log and the state of a pipeline"),
      ("flow verify --against rec prices.yaml", "what the recorded polls give"),
    ])

  static let command = Command(reporting: manual) { arguments in
    let log = try ChangeLog(arguments.operands[0], arguments)
    let recordings = arguments.text(against).map { Recordings(folder: $0) }
    if arguments.has(key), recordings == nil || log.writer != nil {
      throw WrongUse("--key has an effect only with --against and a LOG")
    }
    var checks: [any LogCheck] = []
    if let recordings {
      if let writer = log.writer {
        checks.append(
          try RehearsedCheck(
            writer.plan, writer.sink, recordings, writer.secrets, mayLackOldest: log.mayLackOldest))
      } else {
        checks.append(try PollCheck(log, recordings, key: arguments.text(key)))
      }
    }
    let extent = log.writer.map { LogExtent(of: $0.plan, sink: $0.sink) } ?? .fields
    if extent == .patches, recordings == nil { throw WrongUse(patches) }
    let isOrdered = log.writer.map { LogExtent.isOrdered($0.plan, sink: $0.sink) } ?? false
    var (count, isStateCompared) = (0, false)
    var order = LineTimes()
    do {
      var fold = try rows(of: log, extent)
      try log.eachChange(
        takingPatches: true, other: { place, reason in throw Finding(description: "\(place): \(reason)") }
      ) { change, place in
        count += 1
        if change.isPatch, extent != .patches { throw WrongUse("\(place): \(patches)") }
        switch change.isPatch ? nil : fold.apply(change) {
        case .alone(let flaw) where extent.isFollowed: throw Finding(change, place, flaw)
        case .beside(let flaw) where extent.isFollowed: throw Finding(change, place, flaw + hint(of: log))
        case .alone, .beside, nil: break
        }
        if let flaw = order.flaw(of: change, at: place), isOrdered { throw Finding(change, place, flaw) }
        for check in checks {
          if let flaw = try check.take(change) { throw Finding(change, place, flaw) }
        }
      }
      for check in checks { try check.end() }
      if extent == .whole, recordings == nil, let writer = log.writer {
        isStateCompared = try checkState(of: writer.plan, log, try StateFiles(arguments), fold)
      }
    } catch let finding as Finding {
      Terminal.say("\(printable(finding.description))\n")
      return ExitStatus.failed
    }
    if log.writer == nil, let first = order.first {
      let more = order.count > 1 ? "; there are \(order.count) such lines" : ""
      Terminal.complain("\(printable(first))\(more)\n")
    }
    let changes = count == 0 ? "no changes" : PipelineFiles.count(count, "change")
    Terminal.complain("\(printable(log.path)): \(changes), nothing wrong\n")
    for limit in limits(of: log, extent, checks, isStateCompared) { Terminal.complain(limit + "\n") }
    return ExitStatus.done
  }

  private static let patches =
    "the log has JSON Patches, and no rows that could be followed; name its PIPELINE with --against FOLDER, which compares them"

  private static func rows(of log: ChangeLog, _ extent: LogExtent) throws -> RowFold {
    let fields = extent == .whole ? nil : try LogExtent.fields(of: log)
    let steps = log.writer?.plan.streams.flatMap(\.steps) ?? []
    guard let isNoise = steps.lazy.compactMap({ $0.textNoise(in: .now { 0 }) }).first else {
      return RowFold(comparing: fields)
    }
    return RowFold(comparing: fields, besides: isNoise)
  }

  /// A log by itself does not say how much its pipeline leaves out.
  private static func hint(of log: ChangeLog) -> String {
    log.writer != nil
      ? ""
      : " (if its pipeline has several sources, or leaves out changes or parts of texts, name the pipeline instead)"
  }

  /// The flaws that could not be found, in sentences.
  private static func limits(
    of log: ChangeLog, _ extent: LogExtent, _ checks: [any LogCheck], _ isStateCompared: Bool
  ) -> [String] {
    var limits = checks.compactMap(\.note)
    if case .part(let reason) = extent, checks.isEmpty {
      limits.append("the log has \(reason), so they are not followed; --against compares it with polls")
    } else if checks.isEmpty, !isStateCompared {
      limits.append(
        "a line that is missing before the first or behind the last of its row is not seen: "
          + (log.writer == nil ? "name its PIPELINE, which has state, or compare" : "compare")
          + " with polls, by --against FOLDER")
    } else if checks.isEmpty, log.mayLackOldest || !log.hasFirstRows {
      limits.append(
        "a line that is missing before the first of its row is not seen, since the log does not begin with all rows"
      )
    }
    return limits
  }

  /// The first place that is wrong.
  struct Finding: Error, CustomStringConvertible {
    let description: String

    init(description: String) { self.description = description }

    init(_ change: Change, _ place: ChangeLog.Place, _ flaw: String) {
      description = "\(place): \(change.sort) \(KeyText.text(of: change.key)): \(flaw)"
    }
  }

  // MARK: - The state

  /// Compares the rows of the step `changes` that feeds the log with those that the log adds up to; returns false where
  /// it cannot.
  private static func checkState(
    of plan: Plan, _ log: ChangeLog, _ files: StateFiles, _ fold: RowFold
  ) throws -> Bool {
    // Behind settle some of what changes knows is still to come.
    guard !log.isReplayed, files.names.contains(plan.name), let step = log.changes, step.reportsWholeRows
    else { return false }
    let running = StatusClient.processes(in: files.folder).answers.flatMap(\.pipelines)
    if running.contains(where: { $0.name == plan.name }) {
      Terminal.complain("\(plan.name) is running, so its state is not compared\n")
      return false
    }
    let reader = try StateReader(path: files.path(of: plan.name))
    let names = try reader.tables().map(\.node)
    let tables = plan.sources.map { "\(step.name)@\($0.name)" }.filter(names.contains)
    func wrong(_ key: Value, _ what: String) -> Finding {
      Finding(description: "\(KeyText.text(of: key)): \(what)")
    }
    var known: Set<Value> = []
    for table in tables {
      try reader.eachKey(of: table) { key, stored in
        known.insert(key)
        let row = StateText.value(stored)
        if let found = fold.row(of: key), found != row {
          throw wrong(key, "the state has another row than the log adds up to: \(difference(row, found))")
        }
        if fold.hasRemoved(key) { throw wrong(key, "the state has this row, and the log has removed it") }
        if fold.row(of: key) == nil, step.reportsFirstRows, !log.mayLackOldest {
          throw wrong(key, "the state has this row, and the log has no line of it")
        }
      }
      // Rows that are missing and not removed yet, or out of sight.
      if names.contains(table + "/absent") {
        try reader.eachKey(of: table + "/absent") { key, _ in known.insert(key) }
      }
    }
    guard tables.count == 1 else { return !tables.isEmpty }
    if let (key, row) = fold.rows.first(where: { !known.contains($0.key) }) {
      throw wrong(key, "the log adds up to \(excerpt(of: row)), and the state has no such row")
    }
    return true
  }

  /// The first places where two rows differ, with their values.
  static func difference(_ one: Value, _ other: Value) -> String {
    Value.differences(from: one, to: other).prefix(3).map { difference in
      let (one, other) = (difference.before, difference.after)
      return
        "\(difference.path) \(one.map { excerpt(of: $0) } ?? "missing"), \(other.map { excerpt(of: $0) } ?? "missing")"
    }.joined(separator: "; ")
  }
}

extension StateReader {
  /// Calls `body` with each key of a table and its value.
  fileprivate func eachKey(of table: String, _ body: (Value, [UInt8]) throws -> Void) throws {
    var last: StoredKey?
    while case let page = try keys(of: table, after: last), !page.isEmpty {
      for stored in page {
        if let key = try? Value.parse(stored.key) { try body(key, stored.value) }
      }
      last = page.last
    }
  }
}

/// The times of the lines of a log, in which each should be as late as those before.
private struct LineTimes {
  private var latest = -Double.infinity
  /// How many lines are out of order or without a time, and the first of them.
  private(set) var count = 0
  private(set) var first: String?

  /// The flaw in the time of a line.
  mutating func flaw(of change: Change, at place: ChangeLog.Place) -> String? {
    let time = change.time
    defer { latest = max(latest, time ?? latest) }
    if let time, time >= latest { return nil }
    let flaw = time == nil ? "it has no time" : "its time is before that of a line above"
    count += 1
    first = first ?? "\(place): \(flaw)"
    return flaw
  }
}
