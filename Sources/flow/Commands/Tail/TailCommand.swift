import Glibc
import JSON
import Engine
import Language
import System

/// `flow tail`: prints a change log in readable form, and follows it.
struct TailCommand {
  static let lines = CommandOption(
    "lines", short: "n", .value("NUM"),
    "begin with the last NUM lines (10); all, or +NUM to begin at that line")
  static let follow = CommandOption(
    "follow", short: "f", .flag,
    "keep printing new lines, also after the file is renamed, replaced or truncated")
  static let filter = CommandOption(
    "where", .value("FILTER"), "print only lines for which this jq filter is true")
  static let json = CommandOption("json", .flag, "print the lines unchanged, for other programs")
  static let utc = CommandOption("utc", .flag, "times in UTC instead of local time")
  static let color = CommandOption(
    "color", .toggle, "force or disable colours (default: on a terminal, unless $NO_COLOR is set)")

  static let manual = Manual(
    "tail", "print a change log in readable form", operands: .any("FILE"),
    options: [lines, follow, filter, json, utc, color],
    about: """
      Prints the last change events of logs: the time, the kind of change, the item, and for each changed field the \
      values before and after. Reads standard input for -, or without FILE. Other JSON is printed unchanged, and text \
      that is not JSON dimmed. Gzip files are decompressed. Lines longer than 16 MiB are cut.
      """,
    examples: [
      ("flow tail -f out/new-launches.jsonl", "the last ten changes and all new ones"),
      (
        "flow tail -n all --where '.type == \"changed\" and .after.provider == \"SpaceX\"' out/new-launches.jsonl",
        "all slips of one provider"
      ),
      ("flow tail --json -n 100 out/new-launches.jsonl | flow eval -r .key", "for other programs"),
    ])

  static let command = Command(manual) { (arguments) throws(WrongUse) in
    let tail = try TailCommand(arguments)
    // The depth of recursion depends on the size of the stack.
    return withLargeStack { tail.run() }
  }

  private let amount: TailFile.Amount
  private let files: [TailFile]
  private let view: TailView

  private init(_ arguments: Arguments) throws(WrongUse) {
    amount = try TailCommand.amount(arguments.text(TailCommand.lines))
    var paths = arguments.operands
    if paths.isEmpty {
      if Terminal.isTerminal(0) { throw WrongUse("FILE is missing") }
      paths = ["-"]
    }
    let follows = arguments.has(TailCommand.follow)
    files = paths.map { TailFile($0, follows: follows) }
    let colors = Paint.isWanted(isTerminal: Terminal.isTerminal(1), environment: Terminal.environment)
    view = TailView(
      line: TailLine(
        time: TailTime(isUTC: arguments.has(TailCommand.utc)),
        paint: Paint(isOn: arguments.isOn(TailCommand.color) ?? colors), width: Terminal.columns(1)),
      filter: try arguments.text(TailCommand.filter).map(TailCommand.evaluator),
      isRaw: arguments.has(TailCommand.json), hasHeaders: paths.count > 1)
  }

  private static func amount(_ text: String?) throws(WrongUse) -> TailFile.Amount {
    guard let text else { return .last(10) }
    if text == "all" { return .from(1) }
    guard let number = Int(text), number >= 0 else {
      throw WrongUse("--lines takes a number, a number after a +, or all, not \(quoted(text))")
    }
    return text.hasPrefix("+") ? .from(max(1, number)) : .last(number)
  }

  private static func evaluator(_ text: String) throws(WrongUse) -> Evaluator {
    do {
      var environment = Environment()
      environment.now = EvalEnvironment.now
      environment.timeZone = Terminal.environment("TZ") ?? "/etc/localtime"
      return try Program(text, name: "--where").evaluator(environment)
    } catch {
      throw WrongUse("--where is not a valid jq filter: \(error)")
    }
  }

  private func run() -> Int32 {
    Terminal.exitOnInterrupt()
    var status = ExitStatus.done
    /// The files for which the step did not fail.
    func each(_ files: [TailFile], _ step: (TailFile) throws(FileFailure) -> Void) -> [TailFile] {
      files.filter { file in
        do throws(FileFailure) {
          try step(file)
          return true
        } catch {
          view.complain("\(error)")
          status = ExitStatus.usage
          return false
        }
      }
    }
    var followed = each(files) { file throws(FileFailure) in try file.begin(amount, view) }
    while true {
      followed = each(followed.filter(\.isFollowed)) { file throws(FileFailure) in
        try file.readAvailable(view)
      }
      .filter(\.isFollowed)
      guard view.flush(), !followed.isEmpty else { break }
      wait(followed)
    }
    return status
  }

  /// Waits until there may be more data, or the reader of the output is gone.
  private func wait(_ files: [TailFile]) {
    let waits = files.map(\.waiting)
    let ready = awaitDescriptors(
      [.end(1)] + waits.map { .input($0.descriptor) }, for: waits.compactMap(\.pause).min())
    if ready[0] { view.stop() }
  }
}
