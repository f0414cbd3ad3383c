import JSON
import Engine
import Language

/// `exec`: runs a command for each event.
let exec = NodeSpec(
  "exec", "run a command for each event, trying again when it fails",
  details: """
    The command is a list of arguments, each a template that makes one argument whatever is in the data; no shell \
    ever sees it. The event is on its standard input as JSON, and these variables in its environment: \
    FLOW_PIPELINE, FLOW_SINK, FLOW_SOURCE, FLOW_POLL (empty where there are no polls) and FLOW_EVENT_ID, which is \
    the same for each attempt and for no other event.

    What it writes on its standard error goes to the log. A run fails when its exit status is not 0, when a signal \
    ends it or when it takes longer than `timeout`: then all it has started is ended too. What a command with status 0 \
    has left in the background goes on; nobody reads what that prints, so it needs its output redirected, as in \
    sh -c 'player >/dev/null 2>&1 &'. After the last attempt the event is dealt with as `on_error` says. When `queue` \
    events wait, the pipeline waits for room.

    A run that was begun is in the state of the pipeline until it has succeeded: what a crash or a stop has cut short \
    the next run begins again, with the same FLOW_EVENT_ID; what a killed run has left at work is ended first. What has failed for good is kept there too: see flow \
    state dead.

    Simulated and replayed runs run no commands without --live-sinks; --dry-run shows them instead.
    """,
  options: AnyOption.list(
    ExecOptions.command, ExecOptions.stdin, ExecOptions.env, ExecOptions.output, DeliveryOptions.concurrency,
    ExecOptions.timeout, DeliveryOptions.attempts, DeliveryOptions.backoff, DeliveryOptions.queue),
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
    "output", .choice(of: CommandWorker.Output.self), default: "log",
    "what becomes of what it prints on its standard output: 64 KiB of each run for the log, 1 MiB for stdout")
  static let timeout = Option("timeout", .duration, default: "30s", "how long one attempt may take")
}

/// The standard input of a command.
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

private final class Exec: DeliverySink {
  private let arguments: [Evaluation]
  private let variables: [(name: String, value: Evaluation)]
  private let input: ExecInput
  private let inputText: Evaluation?
  private let context: SinkContext
  let queue: DeliveryQueue<CommandWorker>

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
    queue = DeliveryQueue(
      DeliveryOptions.settings(options), context,
      CommandWorker(context, output: options[ExecOptions.output], timeout: options[ExecOptions.timeout]))
  }

  func take(_ event: Event) throws {
    var task = CommandTask(
      arguments: try arguments.map { try event.text($0) }, input: try input(event), event: event)
    let texts = try variables.map { ($0.name, try event.text($0.value)) }
    for (name, text) in texts { task.environment[name] = text }
    if context.isDryRun {
      return queue.dryRun.add(task.arguments, variables: texts, input: task.inputBytes)
    }
    try queue.add(task)
  }

  /// What the command reads; nil for the event.
  private func input(_ event: Event) throws -> String? {
    if let inputText { return try event.text(inputText) }
    if case .event = input { return nil }
    return ""
  }
}

private let shells: Set<String> = ["sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "fish"]

/// Reports a command in which data would choose the program, or be run by a shell.
private func checkCommand(_ arguments: [Template], at place: SourceRange, _ checker: Checker) {
  guard let program = arguments.first else { return }
  if !program.isFixed {
    checker.report(
      "the program to run cannot be made of data", at: place,
      hint: "name one program, and give it the data as an argument")
  }
  var hasShell = false
  for (index, argument) in arguments.enumerated() {
    let isScript = index > 0 && takesScript(arguments[index - 1].expression.text)
    if hasShell, isScript, !argument.isFixed {
      checker.report(
        "a shell would run what is in the data", at: place,
        hint: #"give data as an argument, as in [sh, -c, 'echo "$1"', sh, '\(.name)'], or by env"#)
      return
    }
    let name = argument.expression.text.split(separator: "/").last.map(String.init)
    if argument.isFixed, let name, shells.contains(name) { hasShell = true }
  }
}

/// `-c`, `-ec` and the like: the next argument is a script.
private func takesScript(_ argument: String) -> Bool {
  argument.hasPrefix("-") && !argument.hasPrefix("--") && argument.contains("c")
}

extension Template {
  /// Whether it contains no expression.
  fileprivate var isFixed: Bool { constant != nil || !expression.text.contains("\\(") }
}
