import Delivery
import Decode
import Engine
import JSON
import Language
import Reactive
import System

/// `exec`: the output of a command, as a poll or as it is printed.
package let execSource = NodeSpec(
  "exec", "run a command and read what it prints, at each poll or as it is printed",
  reference: .init(PackageResources.exec_source_md, sharing: ["each": EachOptions.details]),
  options: AnyOption.list(
    ExecOptions.command, Decoding.option, EachOptions.each, EachOptions.whenGone, EachOptions.concurrency,
    EachOptions.note, ExecOptions.env, ExecOptions.exitCodes, ExecOptions.timeout,
    ExecOptions.maxSize, ExecOptions.follow, ExecOptions.backoff),
  shorthand: "command",
  check: { options, checker in
    EachOptions.check(options, checker)
    let command = options[ExecOptions.command]
    let words = command.map { CommandWord($0.text, isFixed: !options.isTemplate($0)) }
    let variables = options[ExecOptions.env].map { (name: $0.name, isFixed: true) }
    checker.check(words, environment: variables.map(\.name), at: options.place(of: ExecOptions.command))
    checker.check(environment: variables, at: options.place(of: ExecOptions.env))
    for argument in command where options.isTemplate(argument) { argument.check(checker) }
    if let program = command.first?.text, program.contains(where: \.isWhitespace) {
      checker.report(
        "a command is a list of arguments, and its first one, the program, has a space",
        at: options.place(of: ExecOptions.command),
        hint: "write [\(program.split(separator: " ").joined(separator: ", "))], or [sh, -c, '…'] for a shell"
      )
    }
    if options[ExecOptions.follow] {
      func report(_ name: String, _ isGiven: Bool) {
        if isGiven { checker.report("\(name) has no effect with follow", at: options.place) }
      }
      report("timeout", options.isGiven(ExecOptions.timeout))
      report("exit_codes", options.isGiven(ExecOptions.exitCodes))
      report("max_size", options.isGiven(ExecOptions.maxSize))
      report("each", options[EachOptions.each] != nil)
      report("note", options.isGiven(EachOptions.note))
    } else if options.isGiven(ExecOptions.backoff) {
      checker.report("backoff has no effect without follow", at: options.place(of: ExecOptions.backoff))
    }
  },
  .each(
    EachOptions.lists,
    .pollOrStream(
      isStream: { $0[ExecOptions.follow] },
      poll: { options, context in CommandPoll(options, context) },
      stream: { options, context in try FollowedCommand(options, context) })))

private enum ExecOptions {
  static let command = Option.required(
    "command", .list(of: .possibleTemplate(with: [LastPoll.variable]), count: 1...),
    "the program and its arguments", example: "[df, -k]")
  static let env = Option(
    "env", .mapping(of: .text.withoutShellVariables), default: "{}", "variables of its environment",
    example: "{ LC_ALL: C }")
  static let exitCodes = Option(
    "exit_codes", .list(of: .integer(0...255), count: 1...), default: "[0]", "the exit statuses of success")
  static let timeout = Option("timeout", .duration, default: "30s", "how long the command may take")
  static let maxSize = Option("max_size", .size, default: "64MiB", "how much the command may print")
  static let follow = Option(
    "follow", .boolean, default: "false", "whether the command runs on, and is started again when it ends")
  static let backoff = Option(
    "backoff", .duration, default: "1s", "the wait before a followed command is started again")
}

extension Options {
  /// Whether an argument is a template: with `each`, or where it has a variable.
  ///
  /// Otherwise a backslash and a parenthesis may be a group of a regular expression, as sed has them.
  fileprivate func isTemplate(_ argument: PossibleTemplate) -> Bool {
    argument.hasExpressions && (self[EachOptions.each] != nil || argument.text.has("\\($"))
  }
}

/// An argument of a command: a text, or a template.
private struct Argument {
  private let plain: String
  private let template: Evaluation?

  init(_ argument: PossibleTemplate, _ options: Options, _ context: SourceContext) {
    plain = argument.text
    template =
      options.isTemplate(argument) ? argument.template.map { context.evaluation($0.expression) } : nil
  }

  func text(_ event: Event, last: Value) throws -> String {
    guard let template else { return plain }
    template.set(LastPoll.variable, last)
    let text = try event.text(template)
    if text.utf8.contains(0) { throw Sentence("an argument of the command has a NUL byte") }
    return text
  }
}

extension ChildCommand {
  private static let sourceID = "FLOW_SOURCE_ID"

  /// The command of a source; what a killed run has left of it is terminated.
  fileprivate init(_ arguments: [String], _ options: Options, _ context: SourceContext) {
    self.init(arguments: arguments, timeout: options[ExecOptions.timeout])
    inherits = ["PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR"]
    for variable in options[ExecOptions.env] { environment[variable.name] = variable.value }
    output = .captured(limit: options[ExecOptions.maxSize])
    guard let identity = context.identity else { return }
    environment[Self.sourceID] = identity
    let count = LeftoverProcesses.end(having: Self.sourceID, among: [identity], asCommands: true)
    if count > 0 { context.log.notice(LeftoverProcesses.message(count)) }
  }
}

/// The last lines of a command's standard error, for the message of a failure.
private final class LastErrors {
  private static let most = 3
  private var lines: [String] = []

  func add(_ line: String) {
    lines.append(line)
    if lines.count > Self.most { lines.removeFirst() }
  }

  /// The lines behind a colon; nothing without any.
  var text: String { lines.isEmpty ? "" : ": " + lines.map { printable($0) }.joined(separator: " / ") }
}

extension Sentence {
  /// The reason why a command has given no rows.
  fileprivate init(_ command: ChildCommand, _ reason: String) {
    self.init("\(quoted(command.arguments.first ?? "")): \(reason)")
  }
}

/// A command whose output is a poll.
private final class CommandPoll: BlockingPollSource {
  private let options: Options
  private let context: SourceContext
  private let decoding: Decoding
  private let command: ChildCommand
  private let arguments: [Argument]
  private let columns: PolledColumns
  private let last: LastPoll

  init(_ options: Options, _ context: SourceContext) {
    self.options = options
    self.context = context
    decoding = context.decoding(options)
    columns = PolledColumns(context.position)
    last = LastPoll(options, context)
    arguments = options[ExecOptions.command].map { Argument($0, options, context) }
    command = ChildCommand([], options, context)
  }

  /// The arguments for an entry, after what the last poll has noted.
  private func arguments(_ poll: PollRequest) throws -> [String] {
    let event = poll.templateEvent(context)
    return try arguments.map { try $0.text(event, last: last.value) }
  }

  func poll(_ poll: PollRequest) throws -> PollAnswer {
    var command = command
    command.arguments = try arguments(poll)
    let errors = LastErrors()
    context.progress(PollProgress("running \(command.arguments.first ?? "")"))
    let result = command.run(stop: context.stop) { [log = context.log] line in
      errors.add(line)
      log.detail(line)
    }
    switch result.end {
    case .exited(let status) where options[ExecOptions.exitCodes].contains(Int(status)): break
    case .couldNotStart(let reason, _): throw Sentence(command, reason)
    case .timedOut:
      let limit = DurationText.format(options[ExecOptions.timeout])
      throw Sentence(command, "took longer than \(limit)\(errors.text)")
    default: throw Sentence(command, "\(result.end)\(errors.text)")
    }
    if result.outputLost > 0 {
      throw Sentence(command, "printed more than max_size, \(options[ExecOptions.maxSize]) bytes")
    }
    do {
      let rows = try decoding.values(of: result.output, columns)
      return try noted(PollAnswer(rows, memory: columns.memory), of: poll)
    } catch let error as Sentence {
      throw Sentence(command, "printed \(error)")
    }
  }

  private func noted(_ answer: PollAnswer, of poll: PollRequest) throws -> PollAnswer {
    try last.note(answer.rows, of: poll)
    var answer = answer
    answer.last = last.value
    return answer
  }
}

/// Why a followed command could not be started.
private struct CommandFailure: LinkError, CustomStringConvertible {
  let description: String
  let mayPass: Bool
}

/// A command that runs on.
private final class FollowedCommand: StreamSource {
  /// A command that ran for longer has done its work, and waits again from the beginning.
  private static let soon: Duration = .seconds(60)
  private static let longestWait: Duration = .seconds(60)

  private let options: Options
  private let context: SourceContext
  private let arguments: [String]

  init(_ options: Options, _ context: SourceContext) throws {
    self.options = options
    self.context = context
    let event = Event(.null, Poll(source: context.name, at: context.world.wallClock()))
    arguments = try options[ExecOptions.command].map {
      try Argument($0, options, context).text(event, last: .null)
    }
  }

  func run(_ feed: Feed) throws {
    let command = ChildCommand(arguments, options, context)
    let reporter = ParseErrorReporter(context)
    defer { reporter.summarize() }
    if !context.isOnce {
      context.log.notice("follows what \(quoted(command.arguments.first ?? "")) prints")
    }
    let link = ConnectionLink(
      SourceLinkHealth(context, words: "starting it again"), first: options[ExecOptions.backoff],
      longest: Self.longestWait, jitter: 0, goodTime: Self.soon)
    try link.run {
      let failure = try follow(command, feed, reporter, link)
      if feed.isStopped { return .done }
      if let failure { throw failure }
      if context.isOnce { return .done }
      throw Sentence(command, "has ended")
    }
  }

  /// Runs the command until it ends; the failure, if it is one.
  private func follow(
    _ command: ChildCommand, _ feed: Feed, _ reporter: ParseErrorReporter, _ link: ConnectionLink
  ) throws -> Sentence? {
    let errors = LastErrors()
    let output: CommandOutput
    do throws(StartFailure) {
      output = try CommandOutput(command, stop: context.stop) { [log = context.log] line in
        errors.add(line)
        log.detail(line)
      }
    } catch {
      throw CommandFailure(description: "\(Sentence(command, error.reason))", mayPass: error.mayPass)
    }
    let name = command.arguments.first ?? ""
    let reader = ValueReader(output, path: name, context.decoding(options), report: reporter.report)
    while case let values = try reader.nextBatch(), !values.isEmpty, !feed.isStopped {
      link.noteConnected()
      feed.send(values)
    }
    let end = output.end()
    if case .exited(0) = end { return nil }
    return Sentence(command, "\(end)\(errors.text)")
  }
}
