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
      rows that the log adds up to must be those of its step changes. With --against, a LOG must add up to the rows of each complete poll of a \
      recording, and a PIPELINE is run over it, and must give the same changes. The first place that is wrong is printed, \
      and the exit status is 1. \(ChangeLog.about)

      A LOG is compared in the fields that its differences name, since others may have been left out (watch, ignore). One \
      whose pipeline leaves out fields does not add up to its polls, and one that has only some of the changes, as behind \
      filter, has gaps: name the PIPELINE, which says so.
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
        checks.append(try RehearsedCheck(writer.plan, writer.sink, recordings, writer.secrets))
      } else {
        checks.append(try PollCheck(log, recordings, key: arguments.text(key)))
      }
    }
    let extent = log.writer.map { LogExtent(of: $0.plan, sink: $0.sink) } ?? .fields
    var isFollowed = true
    if case .part(let reason) = extent {
      isFollowed = false
      if recordings == nil {
        Terminal.complain(
          "the log has \(reason), so they are not followed; --against compares it with polls\n")
      }
    }
    var count = 0
    do {
      var fold = RowFold(comparing: extent == .whole ? nil : try LogExtent.fields(of: log))
      try log.eachChange(other: { place, reason in throw Finding(description: "\(place): \(reason)") }) {
        change, place in
        count += 1
        switch fold.apply(change) {
        case .alone(let flaw) where isFollowed: throw Finding(change, place, flaw)
        case .beside(let flaw) where isFollowed:
          // A log by itself does not say so.
          let hint = "if its pipeline has several sources or leaves changes out, name the pipeline instead"
          throw Finding(change, place, log.writer == nil ? "\(flaw) (\(hint))" : flaw)
        case .alone, .beside, nil: break
        }
        for check in checks {
          if let flaw = try check.take(change) { throw Finding(change, place, flaw) }
        }
      }
      for check in checks { try check.end() }
      if extent == .whole, recordings == nil, let writer = log.writer {
        try checkState(of: writer.plan, writer.sink, try StateFiles(arguments), fold)
      }
    } catch let finding as Finding {
      Terminal.say("\(printable(finding.description))\n")
      return ExitStatus.failed
    }
    let changes = count == 0 ? "no changes" : PipelineFiles.count(count, "change")
    Terminal.complain("\(printable(log.path)): \(changes), nothing wrong\n")
    return ExitStatus.done
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

  /// Compares the rows of the step `changes` that feeds the log with those that the log adds up to.
  private static func checkState(of plan: Plan, _ sink: String, _ files: StateFiles, _ fold: RowFold) throws {
    let from = plan.sinks.first { $0.name == sink }?.from ?? []
    let steps = plan.streams.first { from.contains($0.name) }?.steps ?? []
    // Behind settle some of what changes knows is still to come.
    guard files.names.contains(plan.name), let step = steps.last, step.reportsWholeRows else { return }
    let running = StatusClient.processes(in: files.folder).answers.flatMap(\.pipelines)
    if running.contains(where: { $0.name == plan.name }) {
      return Terminal.complain("\(plan.name) is running, so its state is not compared\n")
    }
    let reader = try StateReader(path: files.path(of: plan.name))
    let tables = try reader.tables().map(\.node).filter { name in
      plan.sources.contains { name == "\(step.name)@\($0.name)" }
    }
    func wrong(_ key: Value, _ what: String) -> Finding {
      Finding(description: "\(KeyText.text(of: key)): \(what)")
    }
    for table in tables {
      var last: StoredKey?
      while case let page = try reader.keys(of: table, after: last), !page.isEmpty {
        for stored in page {
          guard let key = try? Value.parse(stored.key) else { continue }
          let row = StateText.value(stored.value)
          if let found = fold.row(of: key), found != row {
            throw wrong(key, "the state has \(row), and the log adds up to \(found)")
          }
          if fold.hasRemoved(key) { throw wrong(key, "the state has this row, and the log has removed it") }
        }
        last = page.last
      }
    }
    guard tables.count == 1, let table = tables.first else { return }
    for (key, row) in fold.rows where try reader.value(of: table, for: key.json) == nil {
      throw wrong(key, "the log adds up to \(row), and the state has no such row")
    }
  }
}

/// How much of what happens to its rows a log has, as far as the pipeline says that writes it.
enum LogExtent: Equatable {
  /// Each change: a row is as the change before it has left it.
  case whole
  /// Each change of some fields, as with `watch`; others move between the changes.
  case fields
  /// Not each change, or those of other rows with the same key too; `reason` follows “the log has”.
  case part(reason: String)

  init(of plan: Plan, sink name: String) {
    let hasSeveral = plan.sources.count > 1
    self = .part(
      reason: hasSeveral
        ? "rows of several sources, which may have one key" : "only some of the changes of its rows")
    guard !hasSeveral, let sink = plan.sinks.first(where: { $0.name == name }), sink.when == nil,
      sink.from.count == 1,
      let steps = plan.streams.first(where: { sink.from.contains($0.name) })?.steps,
      let place = steps.lastIndex(where: \.reportsEachChange),
      // The changes of a row that are taken together lead from the first to the last.
      steps[(place + 1)...].allSatisfy({ $0.spec.kind == "settle" })
    else { return }
    self = steps[place].reportsWholeRows ? .whole : .fields
  }

  /// The members that the differences of a log name; nil where one is of whole rows.
  static func fields(of log: ChangeLog) throws -> Set<Key>? {
    var names: Set<Key>? = []
    try log.eachChange(other: { _, _ in }) { change, _ in
      for difference in change.differences {
        guard let name = difference.path.steps.first else { return names = nil }
        names?.insert(Key(name))
      }
    }
    return names
  }
}
