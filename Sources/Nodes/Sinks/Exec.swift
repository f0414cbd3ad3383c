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
    let variables = options[ExecOptions.env].map { (name: $0.name, isFixed: CommandWord($0.value).isFixed) }
    checker.check(
      options[ExecOptions.command].map { CommandWord($0) }, environment: variables.map(\.name),
      at: options.place(of: ExecOptions.command))
    checker.check(environment: variables, at: options.place(of: ExecOptions.env))
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
    "env", .mapping(of: .template.withoutShellVariables), default: "{}",
    "additional environment variables, as templates",
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
  let queue: DeliveryQueue

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
