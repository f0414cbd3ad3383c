import Engine
import JSON
import Language
import Nodes
import System

/// `flow backtest`: what a changed pipeline would have put out.
enum BacktestCommand {
  static let over = CommandOption(
    "over", .path("FOLDER"), "the recording, made by flow run --record or flow import (required)")
  static let against = CommandOption("against", .path("OLD"), "the pipeline to compare with")
  static let json = CommandOption("json", .flag, "print each output as a JSON line, for other programs")
  static let svg = CommandOption("svg", .path("FILE"), "draw the outputs on an axis of time")
  static let page = CommandOption(
    "page", .path("FILE"), "write the drawing, the table and the differences as a web page")
  static let limit = CommandOption(
    "limit", short: "n", .value("NUM"), "show at most NUM differences one by one, also on the page (20)")
  static let set = CommandOption(
    "set", .value("NAME=VALUE"), "set one of the vars of NEW, with VALUE as in YAML; may be repeated")

  static let manual = Manual(
    "backtest", "show what a pipeline would have put out over a recording", operands: .one("NEW"),
    options: [over, against, json, svg, page, limit, set, PipelineFiles.config],
    about: """
      Runs the pipeline over recorded polls in virtual time and counts by day (in UTC) what each sink would have been given; \
      nothing is written or sent. With --against, OLD runs over the same polls, and the outputs are compared: those that only \
      one of them has, and those that NEW has earlier or later. An output is known by its sink and its value without at; \
      where each has one sink, its name does not matter.

      The exit status is 1 if the two differ.
      """,
    examples: [
      ("flow backtest prices.yaml --over rec", "what would have been reported"),
      ("flow backtest --against prices.yaml --over rec new.yaml", "what a change of the pipeline changes"),
      ("flow backtest --against old.yaml --over rec --page b.html new.yaml", "the same as a web page"),
      ("flow backtest --against p.yaml --set wait=10m --over rec p.yaml", "the same for a setting"),
    ])

  static let command = Command(reporting: manual) { arguments in
    guard let folder = arguments.text(over) else { throw WrongUse("--over FOLDER is missing: the recording") }
    let most = try arguments.number(limit) ?? 20
    let recordings = Recordings(folder: folder)
    let oldName = arguments.text(against)
    guard let new = try read(arguments.operands[0], arguments) else { return ExitStatus.usage }
    let outputs = try Rehearsal(of: new.plan, over: recordings, masking: new.secrets).outputs
    var others: [Rehearsal.Output]?
    var secrets = new.secrets
    if let oldName {
      guard let old = try read(oldName, arguments, isSet: false) else { return ExitStatus.usage }
      others = try old.outputs(over: recordings, named: new.plan)
      for secret in old.secrets.all { secrets.insert(secret) }
    }
    let backtest = Backtest(outputs, against: others) { [secrets] in secrets.masked($0) }
    let names = (new: arguments.operands[0], old: oldName)
    for (path, text) in [
      (arguments.text(svg), { backtest.svg(names) }), (arguments.text(page), { html(backtest, names, most) }),
    ] {
      guard let path else { continue }
      try WholeFile(path: path, mode: 0o644, syncs: false, disk: SystemDisk()).write(Array(text().utf8))
    }
    if arguments.has(json) { return printJSON(backtest) }
    let hasDifference = backtest.findings.contains { $0.side != .both }
    print(backtest, names, most)
    return hasDifference ? ExitStatus.failed : ExitStatus.done
  }

  private struct Pipeline {
    let plan: Plan
    let secrets: Secrets

    /// The outputs; where both pipelines have one sink, with the name of the other's.
    func outputs(over recordings: Recordings, named other: Plan) throws -> [Rehearsal.Output] {
      let outputs = try Rehearsal(of: plan, over: recordings, masking: secrets).outputs
      guard plan.sinks.count == 1, other.sinks.count == 1, let name = other.sinks.first?.name else {
        return outputs
      }
      return outputs.map { Rehearsal.Output(sink: name, at: $0.at, value: $0.value) }
    }
  }

  private static func read(_ path: String, _ arguments: Arguments, isSet: Bool = true) throws -> Pipeline? {
    let files = try PipelineFiles([path], arguments, isSet: isSet)
    files.complain()
    guard files.isRight, files.isDecided, let plan = files.plans.first else { return nil }
    return Pipeline(plan: plan, secrets: files.secrets)
  }

  private static func printJSON(_ backtest: Backtest) -> Int32 {
    let output = StateOutput()
    for finding in backtest.findings {
      var members: [(String, Value)] = [
        ("at", .string(timestamp(finding.output.at))), ("sink", .string(finding.output.sink)),
        ("in", .string(finding.side.name)),
      ]
      if case .moved(let seconds) = finding.side { members.append(("by", .number(seconds))) }
      let record = Value.record(members + [("value", finding.output.value)])
      guard output.put(Array(backtest.masked(record.description).utf8)) else { break }
    }
    let isSame = !backtest.findings.contains { $0.side != .both }
    let status = output.end()
    return status == ExitStatus.done && !isSame ? ExitStatus.failed : status
  }

  /// The number of outputs by day, sink and side; the sums last.
  private static func rows(_ backtest: Backtest, _ names: (new: String, old: String?)) -> [[String]] {
    let sides = names.old == nil ? ["both"] : ["both", "new", "old", "moved"]
    let titles = names.old == nil ? ["outputs"] : ["in both", "only new", "only old", "moved"]
    var sums: [String: Int] = [:]
    let days = backtest.days.map { day, sink, counts in
      sums.merge(counts, uniquingKeysWith: +)
      return [day, sink] + sides.map { counts[$0].map(String.init) ?? "" }
    }
    return [["day", "sink"] + titles] + days + [["all", ""] + sides.map { String(sums[$0] ?? 0) }]
  }

  private static func html(
    _ backtest: Backtest, _ names: (new: String, old: String?), _ most: Int
  ) -> String {
    func escaped(_ text: String) -> String { markup(printable(backtest.masked(text))) }
    let title = escaped(names.new + (names.old.map { " against \($0)" } ?? ""))
    let rows = rows(backtest, names).enumerated().map { index, cells in
      let tag = index == 0 ? "th" : "td"
      return "<tr>" + cells.map { "<\(tag)>\(escaped($0))</\(tag)>" }.joined() + "</tr>"
    }
    let line = TailLine(time: TailTime(isUTC: true), paint: Paint.off)
    let differences = backtest.findings.filter { $0.side != .both }
    var items = zip(differences, heads(differences.prefix(most))).map { finding, head in
      "<li>\(escaped(head)) \(escaped(line.lines(entry(finding.output)).joined(separator: " ")))</li>"
    }
    if differences.count > most { items.append("<li>… and \(differences.count - most) more</li>") }
    let list = items.isEmpty ? "" : "<ul>\n\(items.joined(separator: "\n"))\n</ul>\n"
    return """
      <!doctype html>
      <html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
      <title>\(title)</title>
      <style>
      :root { color-scheme: light dark; font: 15px/1.5 sans-serif }
      body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
      td, th { padding: .1rem 1rem .1rem 0; text-align: left }
      tr:last-child { font-weight: bold }
      li { overflow-wrap: anywhere }
      </style>
      <h1>\(title)</h1>
      \(backtest.svg(names))<table>
      \(rows.joined(separator: "\n"))
      </table>
      \(list)</html>

      """
  }

  private static func print(_ backtest: Backtest, _ names: (new: String, old: String?), _ most: Int) {
    let width = Terminal.columns(1) ?? 120
    if backtest.findings.isEmpty {
      return Terminal.say("nothing is put out\n")
    }
    let rows = rows(backtest, names)
    var table = TextTable(headers: rows[0])
    for (index, row) in rows.enumerated().dropFirst() {
      table.add(row, style: index == rows.count - 1 ? .bold : .plain)
    }
    let lines = Terminal.isTerminal(1) ? table.lines(width: width, paint: Terminal.paint) : table.plainLines
    Terminal.say(lines.joined(separator: "\n") + "\n")
    let differences = backtest.findings.filter { $0.side != .both }
    let line = TailLine(
      time: TailTime(isUTC: true), paint: Terminal.paint, width: Terminal.isTerminal(1) ? width - 16 : nil)
    let heads = heads(differences.prefix(most))
    let size = max(16, (heads.map { Array($0).count }.max() ?? 0) + 2)
    for (finding, head) in zip(differences, heads) {
      let head = head.padded(to: size)
      let texts = line.lines(Self.entry(finding.output))
      for (index, text) in texts.map(backtest.masked).enumerated() {
        Terminal.say((index == 0 ? head : String(repeating: " ", count: size)) + text + "\n")
      }
    }
    if differences.count > most {
      Terminal.say("… and \(differences.count - most) more differences; --json has all of them\n")
    }
  }

  /// The beginning of each line about a difference, with its sink where they are of several.
  private static func heads(_ differences: some Collection<Backtest.Finding>) -> [String] {
    let isNamed = Set(differences.map(\.output.sink)).count > 1
    return differences.map { head($0.side) + (isNamed ? " in \($0.output.sink)" : "") }
  }

  private static func head(_ side: Backtest.Side) -> String {
    switch side {
    case .both: return ""
    case .onlyNew: return "only new"
    case .onlyOld: return "only old"
    case .moved(let seconds):
      let time = DurationText.format(.milliseconds(Int((abs(seconds) * 1000).rounded())))
      return "\(time) \(seconds > 0 ? "later" : "earlier")"
    }
  }

  /// An output as a line of a log, with the time at which it comes.
  static func entry(_ output: Rehearsal.Output) -> TailEntry {
    var value = output.value
    if Change(value) != nil { value.setMember("at", .string(timestamp(output.at))) }
    return TailEntry(value)
  }
}
