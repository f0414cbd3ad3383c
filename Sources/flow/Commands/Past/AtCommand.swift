import Engine
import JSON
import Language
import System

/// `flow at`: a list as it was.
enum AtCommand {
  static let manual = Manual(
    "at", "print a list as it was at a time", operands: .one("LOG").after("TIME"),
    options: [StateCommand.folder, PipelineFiles.set, PipelineFiles.config],
    about: """
      Prints the rows as JSON lines, in the order in which they came. TIME is as 2026-01-31 or 2026-01-31T12:00:00Z, or how \
      long ago, as 7d. \(ChangeLog.about)

      Of a time before the first line of the log nothing is known: it says so, and exits with 1. A row that was there before \
      the log begins is known from the first change of it. With first: emit of changes all \
      rows are in the log; otherwise one that has never changed is not.
      """,
    examples: [
      ("flow at 2026-01-31 out/new-launches.jsonl", "the launches that were planned then"),
      ("flow at 7d prices | flow eval -s length", "how many there were a week ago"),
    ])

  static let command = Command(reporting: manual) { arguments in
    let time = try time(arguments.operands[0])
    let log = try ChangeLog(arguments.operands[1], arguments)
    var fold = RowFold()
    var known: Set<Value> = []
    var older: [(key: Value, row: Value)] = []
    var beginning = Double.infinity
    try log.eachChange { change, _ in
      beginning = min(beginning, change.time ?? .infinity)
      let isFirst = known.insert(change.key).inserted
      if change.time ?? -.infinity <= time {
        _ = fold.apply(change)
      } else if isFirst, let before = change.before {
        // Before the first change of a row it was what it was before that.
        older.append((change.key, before))
      }
    }
    if time < beginning, beginning.isFinite {
      throw Sentence(
        "\(log.path) begins at \(timestamp(beginning)); what the list was before that is not in it")
    }
    if fold.hasBaseline || !older.isEmpty {
      Terminal.complain(
        "rows that were there before the log begins, and have not changed since, are not in it\n")
    }
    let output = StateOutput()
    for (_, row) in older + fold.rows where !output.put(row.json) { break }
    return output.end()
  }

  /// A time, or how long ago it was.
  static func time(_ text: String) throws -> Double {
    if let age = try? DurationText.parse(text) { return EvalEnvironment.now - age / .seconds(1) }
    if let time = parseTimestamp(text) { return time }
    throw WrongUse(
      "\(quoted(text)) is no time; write 2026-01-31, 2026-01-31T12:00:00Z, or how long ago, as 7d")
  }
}
