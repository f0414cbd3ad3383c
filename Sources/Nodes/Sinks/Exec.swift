import JSON
import Engine
import Language
import Store
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

    A run that was begun is in the state of the pipeline until it has succeeded: what a crash or a stop has cut short \
    the next run begins again, with the same FLOW_EVENT_ID. What has failed for good is kept there too: see flow \
    state dead. In a replay commands are run as ever; --dry-run shows them instead.
    """,
  options: AnyOption.list(
    ExecOptions.command, ExecOptions.stdin, ExecOptions.env, ExecOptions.output, ErrandOptions.concurrency,
    ExecOptions.timeout, ErrandOptions.attempts, ErrandOptions.backoff, ErrandOptions.queue),
  shorthand: "command", isKept: true,
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
  static let timeout = Option("timeout", .duration, default: "30s", "how long one attempt may take")
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

private final class Exec: KeepingSink {
  private let arguments: [Evaluation]
  private let variables: [(name: String, value: Evaluation)]
  private let input: ExecInput
  private let inputText: Evaluation?
  private let context: SinkContext
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
    self.context = context
    commands = SinkCommands(
      SinkCommands.Manner(
        concurrency: options[ErrandOptions.concurrency], queue: options[ErrandOptions.queue],
        attempts: options[ErrandOptions.attempts], backoff: options[ErrandOptions.backoff],
        output: options[ExecOptions.output], timeout: options[ExecOptions.timeout]),
      context)
  }

  func take(_ event: Event) throws {
    var command = KeptCommand(
      arguments: try arguments.map { try event.text($0) }, input: try input(event), event: event)
    for (name, value) in variables { command.environment[name] = try event.text(value) }
    if context.isDryRun {
      let variables = try variables.map { ($0.name, try event.text($0.value)) }
      return dryRun.add(command.arguments, variables: variables, input: command.bytes)
    }
    try commands.run(command)
  }

  /// What the command reads; nil for the event.
  private func input(_ event: Event) throws -> String? {
    if let inputText { return try event.text(inputText) }
    if case .event = input { return nil }
    return ""
  }

  func recover(_ entries: [OutboxEntry]) throws { try commands.run(entries) }

  func didCommit(_ entries: [OutboxEntry]) throws { try commands.run(entries) }

  func wake() throws { try commands.wake() }

  func endTurn() throws {
    try dryRun.write(to: context.screen)
    try commands.endTurn()
  }

  func finish(by deadline: Instant) throws { try commands.finish(by: deadline) }
}
