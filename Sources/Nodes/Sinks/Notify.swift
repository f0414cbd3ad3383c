import Pipeline
import struct Reactive.Instant

/// `notify`: tells somebody, on the desktop or by a command.
let notify = NodeSpec(
  "notify", "show each event as a notification, on the desktop or by a command",
  details: """
    `through: auto` takes the command if there is one, else notify-send where there is a desktop, else the \
    terminal's bell and a line in the log.

    With `at_most: 3 in 10m` no more than three are shown within any ten minutes. What comes beyond that is \
    gathered and told together when the time is over, or when the pipeline ends: how many, and the first titles.
    """,
  options: AnyOption.list(
    NotifyOptions.title, NotifyOptions.body, NotifyOptions.through, NotifyOptions.command,
    NotifyOptions.urgency, NotifyOptions.atMost),
  shorthand: "title",
  state: "what waits for a digest: a number and ten titles",
  examples: [
    .init("a title", #"notify: '\(.name) slipped'"#),
    .init(
      "not too often",
      #"notify: { title: '\(.name)', body: 'now \(.net)', urgency: critical, at_most: 1 in 5m }"#),
    .init("by a command", #"notify: { title: '\(.name)', command: [./tell.sh, --quiet] }"#),
    .init("in the terminal, with its bell", #"notify: { title: '\(.name)', through: bell }"#),
  ],
  check: { options, checker in
    let (way, command) = (options[NotifyOptions.through], options[NotifyOptions.command])
    if way == .command, command.isEmpty {
      checker.report(
        "it is not said which command", at: options.place(of: NotifyOptions.through),
        hint: "add command: [./tell.sh]; it is given the title and the body as its last arguments")
    }
    if [.bell, .notifySend].contains(way), !command.isEmpty {
      checker.report(
        "this command is not used with through: \(way.rawValue)", at: options.place(of: NotifyOptions.command)
      )
    }
  },
  .sink { options, context in Notify(options, context) })

private enum NotifyOptions {
  static let title = Option.required("title", .template, "the title", example: #"'\(.name)'"#)
  static let body = Option("body", .template, default: "''", "more text below it")
  static let through = Option(
    "through", .choice(of: NotifyWay.Choice.self), default: "auto", "how it is shown")
  static let command = Option(
    "command", .list(of: .text), default: "[]",
    "the command that shows it, given the title and the body as its last two arguments",
    example: "[./tell.sh]")
  static let urgency = Option(
    "urgency", .choice(of: NotifyUrgency.self), default: "normal", "how it is shown by notify-send")
  static let atMost = Option.optional(
    "at_most", AtMost.type, "how many may be shown within a time; others are gathered into one",
    example: "1 in 5m")
}

private final class Notify: Sink {
  private static let timeout = Duration.seconds(10)

  private let title: Evaluation
  private let body: Evaluation
  private let way: NotifyWay
  private var window: NotifyWindow?
  private let context: SinkContext
  private let commands: SinkCommands
  private var dryRun = DryRun()
  private var rings = false

  init(_ options: Options, _ context: SinkContext) {
    title = context.evaluation(options[NotifyOptions.title])
    body = context.evaluation(options[NotifyOptions.body])
    way = NotifyWay(
      options[NotifyOptions.through], options[NotifyOptions.command], options[NotifyOptions.urgency],
      context.lane.world)
    window = options[NotifyOptions.atMost].map { NotifyWindow($0) }
    self.context = context
    commands = SinkCommands(SinkCommands.Manner(), context)
  }

  func take(_ event: Event) throws {
    let note = Note(title: try event.text(title), body: try event.text(body))
    if window?.take(note.title, at: now) == false {
      if let due = window?.due { context.alarm.set(at: due) }
    } else {
      try tell(note, for: event)
    }
  }

  private var now: Instant { context.lane.scheduler.now }

  private func tell(_ note: Note, for event: Event?) throws {
    if let arguments = way.arguments(note) {
      if context.isDryRun { return dryRun.add(arguments) }
      let command = ChildCommand(
        arguments: arguments, output: SinkCommands.Output.log.capture, timeout: Self.timeout)
      return try commands.run(command, for: event)
    }
    let body = note.body.split(separator: "\n").joined(separator: "; ")
    let line = body.isEmpty ? note.title : "\(note.title): \(body)"
    if context.isDryRun { return dryRun.add(line: line) }
    context.log.notice(line)
    rings = true
  }

  func wake() throws {
    try commands.wake()
    try tellDigest()
  }

  /// Tells what has waited, once it may be told.
  private func tellDigest(inAnyCase: Bool = false) throws {
    if let digest = window?.digest(at: now, inAnyCase: inAnyCase) {
      try tell(Note(title: "\(digest.count) more: \(context.pipeline)", body: digest.body), for: nil)
    } else if let due = window?.due {
      context.alarm.set(at: due)
    }
  }

  func endTurn() throws {
    try dryRun.write(to: context.screen)
    if rings, context.screen.isTerminal { try context.screen.write([7]) }
    rings = false
    try commands.endTurn()
  }

  func finish(by deadline: Instant) throws {
    try tellDigest(inAnyCase: true)
    try endTurn()
    try commands.finish(by: deadline)
  }
}
