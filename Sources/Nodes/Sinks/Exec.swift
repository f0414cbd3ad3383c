import Delivery
import System
import JSON
import Engine
import Language

/// `exec`: runs a command for each event.
package let exec = NodeSpec(
  "exec", "run a command for each event, with retries",
  reference: .init(PackageResources.exec_sink_md),
  options: AnyOption.list(
    ExecOptions.command, ExecOptions.stdin, ExecOptions.env, ExecOptions.output, DeliveryOptions.concurrency,
    ExecOptions.timeout, DeliveryOptions.attempts, DeliveryOptions.backoff, DeliveryOptions.queue),
  shorthand: "command", hasDurableState: true,
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
