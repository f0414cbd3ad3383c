import JSON
import Pipeline
import struct Reactive.Instant

/// `exec`: runs a command for each event.
let exec = NodeSpec(
  "exec", "run a command for each event, trying again when it fails",
  details: """
    The command is a list of arguments, each a template that makes one argument whatever is in the data; no shell \
    ever sees it. The event is on its standard input as JSON, and these variables in its environment: \
    FLOW_PIPELINE, FLOW_SINK, FLOW_SOURCE, FLOW_POLL (empty where there are no polls) and FLOW_EVENT_ID, which is \
    the same for each attempt and for no other event.

    What it writes on its standard error goes to the log. A run fails when its exit status is not 0, when a signal \
    ends it or when it takes longer than `timeout`: then all it has started is ended too. After the last attempt \
    the event is dealt with as `on_error` says. When `queue` events wait, the pipeline waits for room.
    """,
  options: AnyOption.list(
    ExecOptions.command, ExecOptions.stdin, ExecOptions.env, ExecOptions.output, ExecOptions.concurrency,
    ExecOptions.timeout, ExecOptions.attempts, ExecOptions.backoff, ExecOptions.queue),
  shorthand: "command",
  examples: [
    .init("a script that reads the event", "exec: { command: [./notify.sh] }"),
    .init("fields as arguments", #"exec: { command: [./notify.sh, '\(.name)', '\(.net)'], stdin: none }"#),
    .init(
      "a line for a shell, with data in its environment",
      #"exec: { command: [sh, -c, 'echo "$NAME" >> names.txt'], env: { NAME: '\(.name)' } }"#),
    .init(
      "four at once, each tried five times",
      "exec: { command: [./upload.sh], concurrency: 4, queue: 256, timeout: 2m, attempts: 5, backoff: 10s }"),
    .init("what it prints instead of the event", "exec: { command: [jq, -S, .], output: stdout }"),
  ],
  check: { options, checker in
    checkCommand(options[ExecOptions.command], at: options.place(of: ExecOptions.command), checker)
    for name in options[ExecOptions.env].map(\.name)
    where name.isEmpty || name.contains("=") || name.utf8.contains(0) {
      checker.report(
        "\(quoted(name)) cannot be the name of a variable", at: options.place(of: ExecOptions.env))
    }
  },
  .sink { options, context in Exec(options, context) })

private enum ExecOptions {
  static let command = Option.required(
    "command", .list(of: .template, count: 1...), "the program and its arguments, each a template",
    example: #"[./notify.sh, '\(.id)']"#)
  static let stdin = Option(
    "stdin", ExecInput.type, default: "event",
    "what it reads: “event” for the event as JSON, “none” for nothing, or a template")
  static let env = Option(
    "env", .mapping(of: .template), default: "{}", "more variables for its environment, each a template",
    example: #"{ NAME: '\(.name)' }"#)
  static let output = Option(
    "output", .choice(of: SinkCommands.Output.self), default: "log",
    "what becomes of what it prints on its standard output: 64 KiB of each run for the log, 1 MiB for stdout")
  static let concurrency = Option(
    "concurrency", .integer(1...64), default: "1", "how many may run at once; with one, events stay in order")
  static let timeout = Option("timeout", .duration, default: "30s", "how long one attempt may take")
  static let attempts = Option("attempts", .integer(1...100), default: "3", "how often it is tried")
  static let backoff = Option(
    "backoff", .duration(allowingZero: true), default: "1s",
    "how long to wait before the second attempt, at most; then twice as long each time, up to a minute")
  static let queue = Option(
    "queue", .integer(1...65536), default: "64", "how many events may wait before the pipeline waits")
}

/// What a command reads on its standard input.
private enum ExecInput: Sendable {
  case event
  case none
  case template(Template)

  static let type = OptionType<Template>.template.map("event, none or template") { template -> ExecInput in
    switch template.constant {
    case "event": .event
    case "none": .none
    default: .template(template)
    }
  }
}

private final class Exec: Sink {
  private let arguments: [Evaluation]
  private let variables: [(name: String, value: Evaluation)]
  private let input: ExecInput
  private let inputText: Evaluation?
  private let form: ChildCommand
  private let context: SinkContext
  private var ids: EventIDs
  private let commands: SinkCommands
  private var dryRun = DryRun()

  init(_ options: Options, _ context: SinkContext) {
    arguments = options[ExecOptions.command].map { context.evaluation($0) }
    variables = options[ExecOptions.env].map { ($0.name, context.evaluation($0.value)) }
    input = options[ExecOptions.stdin]
    if case .template(let template) = input {
      inputText = context.evaluation(template)
    } else {
      inputText = nil
    }
    form = ChildCommand(
      arguments: [], output: options[ExecOptions.output].capture, timeout: options[ExecOptions.timeout])
    self.context = context
    ids = EventIDs(pipeline: context.pipeline, sink: context.name)
    commands = SinkCommands(
      SinkCommands.Manner(
        concurrency: options[ExecOptions.concurrency], queue: options[ExecOptions.queue],
        attempts: options[ExecOptions.attempts], backoff: options[ExecOptions.backoff],
        output: options[ExecOptions.output]),
      context)
  }

  func take(_ event: Event) throws {
    var command = form
    command.arguments = try arguments.map { try event.text($0) }
    var own: [(String, String)] = []
    for (name, value) in variables { own.append((name, try event.text(value))) }
    let bytes = try read(event)
    if context.isDryRun { return dryRun.add(command.arguments, variables: own, input: bytes) }
    let environment = environment(event).merging(own) { _, later in later }
    try commands.run(command, input: bytes, environment: environment, for: event)
  }

  /// What the command reads.
  private func read(_ event: Event) throws -> [UInt8] {
    if let inputText { return Array(try event.text(inputText).utf8) }
    if case .event = input { return event.value.json + [UInt8(ascii: "\n")] }
    return []
  }

  private func environment(_ event: Event) -> [String: String] {
    [
      "FLOW_PIPELINE": context.pipeline, "FLOW_SINK": context.name, "FLOW_SOURCE": event.poll.source,
      "FLOW_POLL": event.poll.number > 0 ? "\(event.poll.number)" : "",
      "FLOW_EVENT_ID": ids.next(at: context.lane.now),
    ]
  }

  func wake() throws { try commands.wake() }

  func endTurn() throws {
    try dryRun.write(to: context.screen)
    try commands.endTurn()
  }

  func finish(by deadline: Instant) throws { try commands.finish(by: deadline) }
}
