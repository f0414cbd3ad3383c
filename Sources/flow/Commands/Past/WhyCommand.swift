import Engine
import JSON
import Language
import Nodes
import Store
import System

/// `flow why`: where an output came from, and what each node did to it.
enum WhyCommand {
  static let over = CommandOption(
    "over", .path("FOLDER"), "the recording to run over, made by flow run --record or flow import")
  static let json = CommandOption("json", .flag, "print each event as a JSON line, for other programs")
  static let limit = CommandOption(
    "limit", short: "n", .value("NUM"), "show at most NUM events, the latest (3)")

  static let about = """
    It is read from the trace that the pipeline keeps with its state, where it has trace: 1000 events, also while it runs. \
    With --over the pipeline runs over recorded polls in virtual time instead, and nothing is written or sent.
    """

  static let manual = Manual(
    "why", "show where an output came from", operands: .one("EVENT").after("PIPELINE"),
    options: [over, json, limit, StateCommand.folder, PipelineFiles.set, PipelineFiles.config],
    about: """
      Prints the way of an event from its poll and row to its sink: the expressions of each step with their values, and how \
      long a step has held it. EVENT is a line of a log, an id or a key. \(about)
      """,
    examples: [
      ("flow why prices.yaml lamp", "why something was reported of this row"),
      (#"flow why prices.yaml "$(tail -1 out/prices.jsonl)" --over rec"#, "why the last line is there"),
    ])

  static let command = Command(reporting: manual) { arguments in
    guard let traced = try TracedPipeline(arguments) else { return ExitStatus.usage }
    let wanted = KeyText(arguments.operands[1])
    let most = try arguments.number(limit) ?? 3
    let run = traced.run
    let found = run.outputs(that: wanted)
    if found.isEmpty {
      if let log = traced.uncommittedLog(with: wanted) {
        throw Sentence(
          "\(log) has this line, and \(run.plan.name) has not committed it yet: ask again in a moment, or, if it does not "
            + "run any more, after its next run")
      }
      let names = run.passages.filter { run.isSink($0.node) }.flatMap { run.names($0) }.map(KeyText.text)
      throw Sentence(
        "\(run.plan.name) has put out nothing that is \(quoted(wanted.text))\(traced.extent)"
          + traced.hint(wanted, names, else: "; flow why-not shows what became of a row"))
    }
    let output = StateOutput()
    let line = TailLine(time: TailTime(isUTC: true), paint: Terminal.paint, width: nil)
    for index in found.suffix(most) {
      let (sent, story) = (run.passages[index], EventStory(run, run.way(to: index)))
      if arguments.has(json) {
        let record = Value.record([
          ("sink", .string(sent.node)), ("at", .string(timestamp(sent.at))), ("value", sent.value),
          ("steps", story.json),
        ])
        traced.put(record, to: output)
        continue
      }
      let heads = line.lines(BacktestCommand.entry(.init(sink: sent.node, at: sent.at, value: sent.value)))
      traced.put(printable(sent.node) + "  " + (heads.first ?? ""), story, to: output)
    }
    if found.count > most, !arguments.has(json) {
      Terminal.complain("\(PipelineFiles.count(found.count - most, "earlier event")); -n shows more\n")
    }
    return output.end()
  }
}

/// `flow why-not`: which node has ended the way of a row.
enum WhyNotCommand {
  static let at = CommandOption("at", .value("TIME"), "only rows up to TIME, or of so long ago, as 7d")

  static let manual = Manual(
    "why-not", "show why nothing was put out for a row", operands: .one("KEY").after("PIPELINE"),
    options: [
      WhyCommand.over, at, WhyCommand.json, WhyCommand.limit, StateCommand.folder, PipelineFiles.set,
      PipelineFiles.config,
    ],
    about: """
      Prints the last rows with this key, and for each the step that ended its way, with the values of its expressions. \
      \(WhyCommand.about)
      """,
    examples: [
      ("flow why-not prices.yaml lamp", "why I was not notified"),
      ("flow why-not prices.yaml lamp --over rec --at 2026-03-01", "why nothing was reported then"),
    ])

  static let command = Command(reporting: manual) { arguments in
    let last = try arguments.text(at).map { try AtCommand.time($0) } ?? .infinity
    guard let traced = try TracedPipeline(arguments) else { return ExitStatus.usage }
    let (run, wanted) = (traced.run, KeyText(arguments.operands[1]))
    let rows = run.rows(that: wanted).filter { run.passages[$0].at <= last }
    if rows.isEmpty {
      let names = run.passages.filter { $0.cause == .read }.flatMap { run.names($0) }.map(KeyText.text)
      let time = last.isFinite ? " up to \(timestamp(last))" : ""
      throw Sentence(
        "\(run.plan.name) has read no row \(quoted(wanted.text))\(time)\(traced.extent)"
          + traced.hint(wanted, names, else: ""))
    }
    let output = StateOutput()
    let most = try arguments.number(WhyCommand.limit) ?? 3
    let missing = last.isFinite ? [] : absences(of: Set(rows), run)
    for ending in endings(of: rows, run, most: most).joined() + missing {
      if arguments.has(WhyCommand.json) {
        traced.put(ending.record, to: output)
      } else {
        traced.put(ending.head, ending.story, to: output)
      }
    }
    return output.end()
  }

  /// The same for the latest rows in the trace of a state, as lines, the latest first; nil where it has none.
  static func lines(
    of wanted: KeyText, _ plan: Plan, state path: String, hiding secrets: Secrets
  ) -> [String]? {
    guard plan.trace != nil, let trace = try? EventTrace(plan, keptIn: StateReader(path: path)) else {
      return nil
    }
    let run = TracedRun(plan, trace)
    let rows = run.rows(that: wanted)
    if rows.isEmpty { return ["The trace has no row \(quoted(wanted.text))."] }
    return endings(of: rows, run, most: 10).reversed().joined().flatMap { ending in
      ([ending.head] + ending.story.lines(width: nil, hiding: secrets)).map { secrets.masked($0) }
    }
  }

  /// The end of a way.
  private struct Ending {
    let head: String
    let record: Value
    let story: EventStory
  }

  /// The endings of the latest rows, row by row.
  private static func endings(of rows: [Int], _ run: TracedRun, most: Int) -> [[Ending]] {
    outcomes(of: rows, run).suffix(most).map { outcome in
      outcome.ends.map { end, reason in
        let story = EventStory(run, end.way, end: end.node, reason: reason)
        let sink = end.way.last.map { run.passages[$0].node } ?? ""
        let verb = story.isEnded ? "ended by" : "went into"
        let result = printable(end.node.map { "\(verb) \($0)" } ?? "put out by \(sink)")
        return Ending(
          head: "\(timestamp(outcome.row.at))  \(result)\(outcome.repetition)",
          record: .record([
            ("at", .string(timestamp(outcome.row.at))), ("polls", .number(outcome.times)),
            ("ends", end.node.map { .string($0) } ?? .null), ("steps", story.json),
          ]), story: story)
      }
    }
  }

  /// The endings of rows that the last poll has not had, and has not been reported.
  private static func absences(of rows: Set<Int>, _ run: TracedRun) -> [Ending] {
    Comparisons(run).absences.compactMap { absence in
      let way = run.way(to: absence.latest)
      guard let first = way.first, rows.contains(first) else { return nil }
      let story = EventStory(run, way, end: absence.node, reason: absence.reason)
      return Ending(
        head: "\(timestamp(absence.at))  missing, and not reported by \(printable(absence.node))",
        record: .record([
          ("at", .string(timestamp(absence.at))), ("polls", .number(0)), ("ends", .string(absence.node)),
          ("steps", story.json),
        ]), story: story)
    }
  }

  /// The outcome of a row, in one poll or in several in turn.
  private struct Outcome {
    let row: TracedRun.Passage
    let ends: [(end: TracedRun.End, reason: String?)]
    var times = 1
    var last: TracedRun.Passage

    var repetition: String {
      if times < 2 { return "" }
      return
        "; the same \(row.poll.number > 0 ? "in \(times) polls" : "\(times) times"), until \(timestamp(last.at))"
    }

    func isSame(as other: Outcome, _ run: TracedRun) -> Bool {
      row.value == other.row.value
        && ends.elementsEqual(other.ends) { one, two in
          let nodes = [one, two].map { $0.end.way.last.map { run.passages[$0].node } }
          return one.end.node == two.end.node && nodes[0] == nodes[1] && one.reason == two.reason
        }
    }
  }

  private static func outcomes(of rows: [Int], _ run: TracedRun) -> [Outcome] {
    let ends = run.ends(of: Set(rows))
    let comparisons = Comparisons(run)
    var outcomes: [Outcome] = []
    /// The place of the last one of each list.
    var places: [String: Int] = [:]
    for index in rows {
      let row = run.passages[index]
      let own = (ends[index] ?? []).map { (end: $0, reason: comparisons.reason(for: $0)) }
      let outcome = Outcome(row: row, ends: own, last: row)
      if let place = places[row.poll.list], outcome.isSame(as: outcomes[place], run) {
        let former = outcomes[place].last.poll.number
        if row.poll.number == 0 || row.poll.number != former { outcomes[place].times += 1 }
        outcomes[place].last = row
      } else {
        places[row.poll.list] = outcomes.count
        outcomes.append(outcome)
      }
    }
    return outcomes
  }
}

/// The pipeline of `flow why` and `flow why-not`, with what is known of its run.
struct TracedPipeline {
  let run: TracedRun
  /// The part of the past that it has, as the end of a phrase.
  let extent: String
  /// The width that lines are cut to.
  let width = Terminal.columns(1)
  private let secrets: Secrets
  /// The state that the trace was kept in.
  private let state: String?

  /// Nil for a pipeline with problems, which are reported.
  init?(_ arguments: Arguments) throws {
    let files = try PipelineFiles([arguments.operands[0]], arguments)
    files.complain()
    guard files.isRight, files.isDecided, let plan = files.plans.first else { return nil }
    secrets = files.secrets
    if let folder = arguments.text(WhyCommand.over) {
      let trace = try Rehearsal.trace(of: plan, over: Recordings(folder: folder), masking: secrets)
      (run, extent, state) = (TracedRun(plan, trace), "", nil)
      return
    }
    let states = try StateFiles(arguments)
    state = states.path(of: plan.name)
    run = TracedRun(plan, try Self.kept(of: plan, states))
    extent = run.passages.first.map { " since \(timestamp($0.at)), where its trace begins" } ?? ""
  }

  /// The log that has a line behind the end that was committed last.
  func uncommittedLog(with wanted: KeyText) -> String? {
    guard let line = wanted.line, let state, let reader = try? StateReader(path: state),
      let summary = try? StateSummary(run.plan.name, reader)
    else { return nil }
    for sink in run.plan.sinks {
      guard let path = sink.linesPath,
        let mark = summary.nodes.first(where: { $0.name == sink.name })?.files.first?.mark.text,
        let end = (try? Value.parse(mark)).flatMap({ Int(member: $0.member("offset")) }),
        let bytes = try? readFile(path, limit: 1 << 30), bytes.count > end
      else { continue }
      if bytes[end...].split(separator: 0x0a).contains(where: { (try? Value.parse(Array($0))) == line }) {
        return path
      }
    }
    return nil
  }

  private static func kept(of plan: Plan, _ files: StateFiles) throws -> EventTrace {
    let other = "--over FOLDER traces a run over a recording, which flow run --record FOLDER makes"
    guard let bound = plan.trace else {
      throw WrongUse(
        "\(plan.name) keeps no trace of its events: write trace: 1000 events into \(plan.path), and run it; or \(other)"
      )
    }
    if files.names.contains(plan.name) {
      let trace = try EventTrace(plan, keptIn: StateReader(path: files.path(of: plan.name)))
      if !trace.isEmpty { return trace }
    }
    throw Sentence(
      "\(files.folder) has no trace of \(plan.name) yet: runs with state keep it from now on, of the last "
        + "\(bound) events; \(other)")
  }

  func put(_ record: Value, to output: StateOutput) {
    output.put(Array(secrets.masked(record.description).utf8))
  }

  /// A headline, which may have colors, and a story below it.
  func put(_ head: String, _ story: EventStory, to output: StateOutput) {
    output.put(printable: secrets.masked(head))
    for line in story.lines(width: width, hiding: secrets) {
      output.put(printable: secrets.masked(line))
    }
  }

  /// A name that may have been meant.
  func hint(_ wanted: KeyText, _ names: [String], else other: String) -> String {
    let name = nearest(to: wanted.text, among: Set(names).sorted())
    return name.map { "; did you mean \(quoted(secrets.masked($0)))?" } ?? other
  }
}
