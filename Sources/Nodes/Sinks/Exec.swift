import Delivery
import System
import JSON
import Engine
import Language

/// `exec`: runs a command for each event.
package let exec = NodeSpec(
  "exec", "run a command for each event, with retries",
  details: """
    The command is a list of arguments. Each is a template that makes exactly one argument, whatever is in the data; \
    no shell is involved. A script (the program with its folder, or the first argument that is no option) is searched \
    next to the pipeline, then in the working directory, where the command runs. The event is on its standard input \
    as JSON. Its environment has the additional variables FLOW_PIPELINE, FLOW_SINK, FLOW_SOURCE, FLOW_POLL (empty \
    without polls) and FLOW_EVENT_ID, which is the same for each attempt and unique to the event.

    Standard error goes to the log. A command fails if its exit status is not 0, a signal ends it, or it takes longer \
    than `timeout`; then all its processes are terminated. Background processes of a command with status 0 continue. \
    Their output is not read, so it must be redirected, as in sh -c 'player >/dev/null 2>&1 &'. After the last attempt \
    the event is handled as `on_error` says. When `queue` events are waiting, the pipeline waits.

    With state, a command is retried across restarts until it succeeds, with the same FLOW_EVENT_ID. The next run \
    first terminates what a killed run has left running. A command that failed for good is kept as a dead letter: see \
    flow state dead. Simulated and replayed runs run no commands without --live-sinks; --dry-run prints them instead.
    """,
  options: AnyOption.list(
    ExecOptions.command, ExecOptions.stdin, ExecOptions.env, ExecOptions.output, DeliveryOptions.concurrency,
    ExecOptions.timeout, DeliveryOptions.attempts, DeliveryOptions.backoff, DeliveryOptions.queue),
  shorthand: "command", hasDurableState: true,
  examples: [
    .init("a script that reads the event", "exec: { command: [./notify.sh] }"),
    .init("fields as arguments", #"exec: { command: [./notify.sh, '\(.name)', '\(.net)'], stdin: none }"#),
    .init(
      "a shell script, with data in its environment",
      #"exec: { command: [sh, -c, 'echo "$NAME" >> names.txt'], env: { NAME: '\(.name)' } }"#),
    .init(
      "four at once, with five attempts each",
      "exec: { command: [./upload.sh], concurrency: 4, queue: 256, timeout: 2m, attempts: 5, backoff: 10s }"),
    .init("its output on standard output", "exec: { command: [jq, -S, .], output: stdout }"),
  ],
  check: { options, checker in
    checkCommand(options[ExecOptions.command], at: options.place(of: ExecOptions.command), checker)
    for name in options[ExecOptions.env].map(\.name)
    where name.isEmpty || name.contains("=") || name.utf8.contains(0) {
      checker.report(
        "\(quoted(name)) is not a valid name of an environment variable",
        at: options.place(of: ExecOptions.env))
    }
  },
  .sink { options, context in Exec(options, context) })

extension OptionType where Value == [Template] {
  /// A command as a list of arguments; a text alone is a program without arguments.
  fileprivate static var command: OptionType {
    let list = OptionType<[Template]>.list(of: .template, count: 1...)
    return OptionType(list.name, sample: list.sample, schema: list.schema) { node, checker in
      if let scalar = checker.resolved(node).scalar, scalar.text.contains(where: \.isWhitespace) {
        let words = scalar.text.split(whereSeparator: \.isWhitespace)
        let isPlain = scalar.text.allSatisfy { $0.isLetter || $0.isNumber || "._-/ ".contains($0) }
        let split = isPlain ? "[\(words.joined(separator: ", "))]" : "[program, argument]"
        checker.report(
          "a command is a list of arguments, not one text", at: node.place,
          hint: "write \(split), or [sh, -c, '…'] for a shell")
        return nil
      }
      return list.decode(node, checker)
    }
  }
}

private enum ExecOptions {
  static let command = Option.required(
    "command", .command.referredCommand, "the program and its arguments, as templates",
    example: #"[./notify.sh, '\(.id)']"#)
  static let stdin = Option(
    "stdin", ExecInput.type, default: "event",
    "its standard input: “event” for the event as JSON, “none” for nothing, or a template")
  static let env = Option(
    "env", .mapping(of: .template), default: "{}", "additional environment variables, as templates",
    example: #"{ NAME: '\(.name)' }"#)
  static let output = Option(
    "output", .choice(of: CommandTransport.Output.self), default: "log",
    "where its standard output goes; at most 64 KiB per run to the log, 1 MiB to stdout")
  static let timeout = Option("timeout", .duration, default: "30s", "the time limit of an attempt")
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
  let queue: DeliveryQueue<CommandTransport>

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
      CommandTransport(context, output: options[ExecOptions.output], timeout: options[ExecOptions.timeout]))
  }

  func take(_ event: Event) throws {
    var item = CommandItem(
      arguments: try arguments.map { try event.text($0) }, input: try input(event), event: event)
    let texts = try variables.map { ($0.name, try event.text($0.value)) }
    for (name, text) in texts { item.environment[name] = text }
    if context.isDryRun {
      return queue.dryRun.add(item.arguments, variables: texts, input: item.inputBytes)
    }
    try queue.add(item)
  }

  /// The standard input; nil for the event.
  private func input(_ event: Event) throws -> String? {
    if let inputText { return try event.text(inputText) }
    if case .event = input { return nil }
    return ""
  }
}

private let shells: Set<String> = ["sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "fish"]

/// Reports a command that lets data choose the program or reach a shell as code.
private func checkCommand(_ arguments: [Template], at place: SourceRange, _ checker: Checker) {
  guard let program = arguments.first else { return }
  checker.warnOfShellSigns(in: arguments.map(\.expression.text), at: place)
  if !program.isFixed {
    checker.report(
      "the program to run must not depend on data", at: place,
      hint: "name a program and pass the data as an argument")
  }
  var hasShell = false
  for (index, argument) in arguments.enumerated() {
    let isScript = index > 0 && takesScript(arguments[index - 1].expression.text)
    if hasShell, isScript, !argument.isFixed {
      checker.report(
        "a shell would execute the data as code", at: place,
        hint: #"pass data as an argument, as in [sh, -c, 'echo "$1"', sh, '\(.name)'], or in env"#)
      return
    }
    let name = argument.expression.text.split(separator: "/").last.map(String.init)
    if argument.isFixed, let name, shells.contains(name) { hasShell = true }
  }
}

extension Checker {
  /// Warns of what only a shell understands, as an argument of a command that is none.
  func warnOfShellSigns(in arguments: [String], at place: SourceRange) {
    let signs: Set<String> = ["|", "||", "&&", "&", ">", ">>", "<", "2>", "2>&1"]
    let isShell = arguments.contains { shells.contains($0.split(separator: "/").last.map(String.init) ?? "") }
    // Between two words: `cut -d '|'` and `tr '|' ,` mean it.
    let between = arguments.indices.dropFirst(2).first { place in
      signs.contains(arguments[place]) && !arguments[place - 1].hasPrefix("-")
        && (place + 1 < arguments.count || arguments[place].hasPrefix("2>&"))
    }
    guard !isShell, let between else { return }
    let isPlain = arguments.allSatisfy { !$0.contains { " '\"\\$".contains($0) } }
    warn(
      "\(quoted(arguments[between])) is an argument of \(arguments[0]) here, because no shell is involved",
      at: place,
      hint: "for a shell write [sh, -c, '\(isPlain ? arguments.joined(separator: " ") : "COMMAND")']")
  }
}

/// `-c`, `-ec` and the like, which make the next argument a script.
private func takesScript(_ argument: String) -> Bool {
  argument.hasPrefix("-") && !argument.hasPrefix("--") && argument.contains("c")
}

extension Template {
  /// Whether it contains no expression.
  fileprivate var isFixed: Bool { constant != nil || !expression.text.has("\\(") }
}
