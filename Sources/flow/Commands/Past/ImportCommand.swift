import Decode
import Engine
import Language
import Nodes
import System

/// `flow import`: makes recordings of what others have kept of the past.
enum ImportCommand {
  static let rows = CommandOption(
    "rows", .value("EXPR"), "an expression over each version; its outputs are the rows, as in rows of http")
  static let decode = CommandOption(
    "decode", .value("FORMAT"), "the format, as decode of http (by default that of the name, or JSON)")
  static let source = CommandOption(
    "source", .value("NAME"), "the name of the source that is recorded (by default that of the file)")
  static let output = CommandOption(
    "output", short: "o", .path("FOLDER"), "the folder of the recording (by default rec)")
  static let force = CommandOption("force", .flag, "replace an existing recording")

  static let command = Command(
    Manual(
      "import", "make a recording of a history that others have kept",
      about: "A recording is what flow run --replay runs a pipeline over, in virtual time.",
      examples: [("flow import git repo incidents.json -o rec", "each committed version of a file")]),
    parts: [git])

  private static let git = Command(
    reporting: Manual(
      "import git", "record each version of a file in a git history as a poll",
      operands: .one("PATH").after("REPO"), options: [rows, decode, source, output, force],
      about: """
        The versions are those of the branch that is checked out in REPO, by first parents, and each is a poll at the \
        time of its commit. PATH is within REPO. A version that cannot be read, and a commit that removes the file, is a \
        poll that failed. $meta.commit is the commit.

        The recording is FOLDER/NAME.jsonl. A pipeline whose source has that name runs over it with flow run --replay \
        FOLDER, and any pipeline with a source replay: FOLDER/NAME.jsonl.
        """,
      examples: [
        ("flow import git repo incidents.json --rows '.incidents[]' -o rec", "the list within an object"),
        ("flow import git repo prices.csv -o rec", "a table"),
        ("flow run --replay rec scrape.yaml", "what a pipeline would have reported"),
      ])
  ) { arguments in
    let (repository, path) = (arguments.operands[0], arguments.operands[1])
    let name = arguments.text(source) ?? defaultName(of: path)
    let file = Recordings(folder: arguments.text(output) ?? "rec").path(of: name)
    if !arguments.has(force), SystemDisk().status(of: file) != nil {
      throw WrongUse("\(printable(file)) exists; --force replaces it")
    }
    let reading = try GitHistory.Reading(
      decode: arguments.text(decode) ?? DecodedFile.Format.named(after: path), rows: arguments.text(rows))
    Terminal.exitOnInterrupt()
    let history = try GitHistory(of: path, in: repository, stop: StopSign())
    let summary = try history.record(to: file, reading: reading)
    report(summary, name, file)
    return summary.failures == summary.polls ? ExitStatus.failed : ExitStatus.done
  }

  /// The name of a file without its extension.
  private static func defaultName(of path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    return name.lastIndex(of: ".").flatMap { $0 > name.startIndex ? String(name[..<$0]) : nil }
      ?? String(name)
  }

  private static func report(_ summary: GitHistory.Summary, _ name: String, _ file: String) {
    func day(_ time: Double) -> Substring { timestamp(time).prefix(10) }
    Terminal.complain(
      "\(printable(file)): \(PipelineFiles.count(summary.polls, "poll")) from \(day(summary.first)) to "
        + "\(day(summary.last)), \(PipelineFiles.count(summary.rows, "row"))\n")
    if let flaw = summary.flaw {
      let all = summary.failures == summary.polls ? "all of them" : "\(summary.failures)"
      Terminal.complain(
        "\(all) failed; the first: \(printable(flaw))\(summary.rows == 0 ? "; see --decode and --rows" : "")\n"
      )
    }
  }
}
