import Engine
import JSON
import Language
import System

/// `flow history`: the changes of one row.
enum HistoryCommand {
  static let json = CommandOption("json", .flag, "print the change events, for other programs")

  static let manual = Manual(
    "history", "print the changes of one row", operands: .one("KEY").after("LOG"),
    options: [
      json, TailCommand.utc, TailCommand.color, StateCommand.folder, PipelineFiles.set, PipelineFiles.config,
    ],
    about: """
      Prints all changes of the row with this key, the oldest first, as flow tail does. KEY is text or JSON, as \
      '["berlin",1]' for a row of an entry of each. \(ChangeLog.about)
      """,
    examples: [
      ("flow history out/prices.jsonl lamp", "when this price has moved"),
      ("flow history --json prices lamp | flow eval -r .after.price", "its prices, for other programs"),
    ])

  static let command = Command(reporting: manual) { arguments in
    let log = try ChangeLog(arguments.operands[0], arguments)
    let colors = Paint.isWanted(isTerminal: Terminal.isTerminal(1), environment: Terminal.environment)
    let line = TailLine(
      time: TailTime(isUTC: arguments.has(TailCommand.utc)),
      paint: Paint(isOn: arguments.isOn(TailCommand.color) ?? colors), width: Terminal.columns(1))
    let view = TailView(line: line, filter: nil, isRaw: arguments.has(json), hasHeaders: false)
    let wanted = KeyText(arguments.operands[1])
    var isFound = false
    var keys: Set<String> = []
    try log.eachChange { change, _ in
      guard wanted.means(change.key) else {
        if !isFound, keys.count < 10_000 { keys.insert(KeyText.text(of: change.key)) }
        return
      }
      isFound = true
      view.show(TailEntry(change.value), of: log.path)
    }
    view.flush()
    if isFound { return ExitStatus.done }
    let hint = nearest(to: wanted.text, among: keys.sorted()).map { "; did you mean \(quoted($0))?" } ?? ""
    throw Sentence("\(log.path) has no row \(quoted(wanted.text))\(hint)")
  }
}
