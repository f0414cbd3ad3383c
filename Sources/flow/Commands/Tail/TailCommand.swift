import Glibc
import JSON
import Engine
import Language

/// `flow tail`: makes a change log readable, and follows it.
struct TailCommand {
  static let lines = Option(
    "lines", short: "n", .value("NUM"),
    "how many lines to begin with, 10 without it; all, or +NUM for those from that line on")
  static let follow = Option(
    "follow", short: "f", .flag,
    "go on with what is written, also when the file is renamed, replaced or cut short")
  static let filter = Option("where", .value("FILTER"), "only lines for which this jq filter is true")
  static let json = Option("json", .flag, "the lines as they are, as JSON for other programs")
  static let utc = Option("utc", .flag, "times in UTC, not in the zone of this machine or of $TZ")
  static let color = Option(
    "color", .toggle, "colours or none; without it on a terminal only, unless $NO_COLOR is set")

  static let manual = Manual(
    "tail", "show a log of changes, readable", operands: .any("FILE"),
    options: [lines, follow, filter, json, utc, color],
    about: """
      Shows the last lines of logs of change events: when, what happened to which thing, and for a change what was \
      before and what is now. Reads standard input for -, or without a FILE. Other JSON is shown as it is, and what \
      is no JSON dimmed.
      """,
    examples: [
      ("flow tail -f out/slips.jsonl", "the last ten changes, and all that come"),
      (
        "flow tail -n all --where '.type == \"changed\" and .after.provider == \"Kite Launch\"' out/slips.jsonl",
        "every slip of one provider"
      ),
      ("flow tail --json -n 100 out/slips.jsonl | flow eval -r .key", "for other programs"),
    ])

  static let command = Command(manual) { (arguments) throws(WrongUse) in
    let tail = try TailCommand(arguments)
    // Programs recurse as deeply as the stack is large.
    return withLargeStack { tail.run() }
  }

  private let amount: TailFile.Amount
  private let follows: Bool
  private let files: [TailFile]
  private let view: TailView

  private init(_ arguments: Arguments) throws(WrongUse) {
    amount = try TailCommand.amount(arguments.text(TailCommand.lines))
    follows = arguments.has(TailCommand.follow)
    var paths = arguments.operands
    if paths.isEmpty {
      if Terminal.isTerminal(0) { throw WrongUse("there is no FILE") }
      paths = ["-"]
    }
    files = paths.map(TailFile.init)
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
      throw WrongUse("--where is no jq filter: \(error)")
    }
  }

  private func run() -> Int32 {
    stopOnInterrupt()
    var status = ExitStatus.done
    var open: [TailFile] = []
    for file in files {
      do throws(FileError) {
        try file.open()
        try file.begin(amount, follows: follows, view)
        open.append(file)
      } catch {
        // A log that is yet to be written can be waited for.
        if follows, file.path != "-", FileState(path: file.path) == nil {
          view.note("\(file.path) does not exist yet; waiting for it")
          file.wait()
          open.append(file)
        } else {
          view.note("\(error)")
          status = ExitStatus.usage
        }
      }
    }
    while view.flush(), follows, !open.isEmpty {
      wait(open)
      open = open.filter { file in
        do throws(FileError) {
          return try file.goOn(view)
        } catch {
          view.note("\(error)")
          status = ExitStatus.usage
          return false
        }
      }
    }
    return view.outcome ?? status
  }

  /// Lets a quarter of a second pass, or less when a pipe has more or nobody reads the output any more.
  private func wait(_ files: [TailFile]) {
    var requests = [pollfd(fd: 1, events: 0, revents: 0)]
    for case let stream? in files.map(\.stream) {
      requests.append(pollfd(fd: stream, events: Int16(POLLIN), revents: 0))
    }
    _ = poll(&requests, nfds_t(requests.count), 250)
    if requests[0].revents != 0 { view.stop() }
  }

  /// The status of a stop from the keyboard, unless the shell has the command ignore it.
  private func stopOnInterrupt() {
    var action = sigaction()
    guard sigaction(SIGINT, nil, &action) == 0, action.__sigaction_handler.sa_handler == nil else { return }
    signal(SIGINT) { _ in _exit(ExitStatus.interrupted) }
    // Whoever starts commands from a thread that takes no signals passes that on to them.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }
}
