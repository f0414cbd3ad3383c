import Engine
import Glibc
import Language
import Reactive
import System

/// `flow top`: a live table of the nodes of running pipelines.
struct TopCommand {
  static let once = CommandOption("once", .flag, "print one table and end, as where there is no terminal")
  static let every = CommandOption(
    "every", .value("TIME"), "the time between updates, over which rates are taken (1s)")
  static let sort = CommandOption(
    "sort", .choice(TopTable.Key.allCases.map(\.rawValue)), "the order: of pipelines, or by a column")

  static let manual = Manual(
    "top", "watch the rates and queues of all nodes", operands: .any("PIPELINE", or: .running),
    options: [sort, every, once, StateCommand.folder],
    about: """
      A table of the nodes of all running pipelines, or of those named, updated each second: events in and out a \
      second, events dropped and errors since the start, time for each event, outputs that wait, keys that the state \
      holds, and the rates before as a sparkline. The time is measured on one event in 64.

      Left and right, or S and s, change the column that it is sorted by, r reverses the order, up and down select a \
      node, Enter shows its details, Esc returns, q quits. Where standard output is not a terminal, one table is \
      printed, after two looks --every apart.
      """,
    examples: [
      ("flow top", "all pipelines"), ("flow top --sort time", "the slowest nodes first"),
      ("flow top --once slips", "one table, for a log"),
    ])

  static let command = Command(reporting: manual) { arguments in
    try TopCommand(arguments).run()
  }

  private let folder: String
  /// The pipelines to show; all where it is empty.
  private let names: Set<String>
  private let every: Duration
  private let isOnce: Bool
  private let sort: TopTable.Key

  private init(_ arguments: Arguments) throws {
    let files = try StateFiles(arguments)
    folder = files.folder
    every = try Self.interval(arguments)
    isOnce = arguments.has(Self.once) || !Terminal.isTerminal(1) || !Terminal.isTerminal(0)
    sort = arguments.text(Self.sort).flatMap { TopTable.Key(rawValue: $0) } ?? .order
    if arguments.operands.isEmpty {
      names = []
    } else {
      let running = StatusClient.processes(in: folder).answers.flatMap { $0.pipelines.map(\.name) }
      names = Set(
        try arguments.operands.map { operand in running.contains(operand) ? operand : try files.find(operand)
        })
    }
  }

  private static func interval(_ arguments: Arguments) throws(WrongUse) -> Duration {
    guard let text = arguments.text(every) else { return .seconds(1) }
    do throws(TextError) {
      let time = try DurationText.parse(text)
      if time >= .milliseconds(100) { return time }
    } catch {
      throw WrongUse("--every: \(error.message)\(error.hint.map { "; \($0)" } ?? "")")
    }
    throw WrongUse("--every takes 100ms or more")
  }

  private func look(_ table: inout TopTable) {
    var (answers, silent) = StatusClient.processes(in: folder)
    if !names.isEmpty {
      for index in answers.indices { answers[index].pipelines.removeAll { !names.contains($0.name) } }
    }
    table.add(answers, silent: silent, at: Double(MonotonicClock.now.nanoseconds) / 1e9)
  }

  private func run() throws -> Int32 {
    var view = TopView(folder: folder)
    view.sort = sort
    return isOnce ? try printOnce(view) : watch(view)
  }

  private func printOnce(_ view: TopView) throws -> Int32 {
    Terminal.exitOnInterrupt()
    var table = TopTable()
    look(&table)
    if !table.rows.isEmpty {
      MonotonicClock.sleep(until: MonotonicClock.now + every)
      look(&table)
    }
    for process in table.silent { Terminal.complain("flow top: process \(process) does not answer\n") }
    if table.rows.isEmpty { throw StateError.failed("no pipeline runs with state in \(folder)") }
    for line in view.lines(table, width: Terminal.columns(1) ?? 140, Terminal.paint) {
      Terminal.say(line + "\n")
    }
    return ExitStatus.done
  }

  private func watch(_ view: TopView) -> Int32 {
    var view = view
    var table = TopTable()
    RawTerminal.begin()
    defer { RawTerminal.end() }
    var due = MonotonicClock.now
    while true {
      if MonotonicClock.now >= due {
        look(&table)
        due = MonotonicClock.now + every
      }
      let size = Terminal.size(1) ?? (80, 24)
      RawTerminal.draw(view.screen(table, size, now: World.real.wallClock(), Terminal.paint))
      // A change of the terminal's size interrupts it.
      guard awaitDescriptors([.input(0)], until: due)[0] else { continue }
      var bytes = [UInt8](repeating: 0, count: 64)
      let count = read(0, &bytes, bytes.count)
      if count <= 0 { return ExitStatus.done }
      for press in TopView.Press.all(in: Array(bytes[..<count])) where !view.press(press, table) {
        return ExitStatus.done
      }
    }
  }
}

/// A terminal whose keys are read one by one, with a screen of its own; restored at the end, also by a signal.
enum RawTerminal {
  /// Written before the signals are handled, and read by their handler, which can reach nothing else.
  private nonisolated(unsafe) static var saved = termios()

  private static let enter = "\u{1B}[?1049h\u{1B}[?25l"
  private static let leave: StaticString = "\u{1B}[?25h\u{1B}[?1049l"

  static func begin() {
    var now = termios()
    tcgetattr(0, &now)
    saved = now
    now.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
    now.c_iflag &= ~tcflag_t(IXON)
    tcsetattr(0, TCSAFLUSH, &now)
    Terminal.say(enter)
    for number in [SIGTERM, SIGHUP, SIGINT] {
      signal(number) { number in
        RawTerminal.end()
        _exit(128 + number)
      }
    }
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in }
    sigaction(SIGWINCH, &action, nil)
  }

  /// Only what a signal handler may call.
  static func end() {
    _ = write(1, leave.utf8Start, leave.utf8CodeUnitCount)
    tcsetattr(0, TCSAFLUSH, &saved)
  }

  /// Replaces the screen, at once where the terminal can.
  static func draw(_ lines: [String]) {
    Terminal.say(
      "\u{1B}[?2026h\u{1B}[H" + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n")
        + "\u{1B}[J\u{1B}[?2026l")
  }
}
