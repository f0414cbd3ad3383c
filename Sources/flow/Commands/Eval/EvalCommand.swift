import Decode
import Glibc
import JSON
import Language
import System

/// `flow eval`: the expression language as a filter from standard input to standard output.
struct EvalCommand {
  static let manual = Manual(
    "eval", "run a jq filter over JSON",
    operands: .any("FILE").after("FILTER", mayLack: true), groups: EvalOption.groups,
    about: """
      Reads JSON values from the files or from standard input and writes the results of the filter. The language and the \
      options are those of jq 1.8. FILTER may be missing, and is then `.`, unless standard input and output are terminals. \
      Options begin with a dash and a letter, so -1 is a filter; -- ends them.

      Exit status: 0 success, 2 wrong usage or unreadable file, 3 syntax error, 5 run-time error.
      """,
    examples: [
      ("flow eval .name launches.jsonl", "one member of each value"),
      ("flow eval -r '.results[] | [.id, .name] | @tsv' page.json", "rows of a table"),
      (
        "flow eval -c 'select(.status.abbrev == \"Go\") | {id, net}' launches.jsonl",
        "some values, one per line"
      ),
      (
        "flow eval -n 'reduce inputs as $x ({}; .[$x.status.abbrev] += 1)' launches.jsonl",
        "how many there are of each status"
      ),
      ("flow eval -r --decode csv .name launches.csv", "one column of a table"),
      (#"flow eval -n --arg name Falcon '"Next: \($name)"'"#, "a text with a variable"),
    ])

  static let command = Command(manual) { arguments throws(WrongUse) in
    if arguments.has(EvalOption.version) { return VersionCommand.command.run([]) }
    // The depth of recursion depends on the size of the stack.
    return try withLargeStack { Result { () throws(WrongUse) in try run(arguments) } }.get()
  }

  private static func run(_ arguments: Arguments) throws(WrongUse) -> Int32 {
    let options = try EvalOptions(arguments)
    var text = options.filter
    if text == nil, !Terminal.isTerminal(0) || !Terminal.isTerminal(1) { text = "." }
    guard let text else { throw WrongUse("FILTER is missing") }
    do {
      return EvalCommand(options, try EvalProgram.compile(options, text)).run()
    } catch let error as FileFailure {
      Terminal.complain("flow: error: \(error.inWordsOfJQ)\n")
      return ExitStatus.usage
    } catch {
      Terminal.complain("flow: error: \(error)\nflow: 1 compile error\n")
      return ExitStatus.compile
    }
  }

  static func ignore(_ error: ParseError) {
    Terminal.complain("flow: ignoring parse error: \(error)\n")
  }

  private let options: EvalOptions
  private let evaluator: Evaluator
  private let input: EvalInput
  private let output: EvalOutput

  private init(_ options: EvalOptions, _ program: Program) {
    self.options = options
    let output = EvalOutput(options, colors: EvalCommand.colors(options))
    self.output = output
    let input = EvalInput(options)
    self.input = input
    let evaluator = program.evaluator(EvalEnvironment.make(options, input, output))
    self.evaluator = evaluator
    input.beforeReading = { mayWait in
      if mayWait { output.flush() }
      // The inputs of one read arrived at about the same time.
      evaluator.environment.now = EvalEnvironment.now
    }
  }

  private static func colors(_ options: EvalOptions) -> Colors? {
    let isUnwanted = Terminal.environment("NO_COLOR").map { !$0.isEmpty } ?? false
    guard options.colors ?? (Terminal.isTerminal(1) && !isUnwanted) else { return nil }
    guard let setting = Terminal.environment("JQ_COLORS") else { return .standard }
    if let colors = Colors(setting) { return colors }
    Terminal.complain("Failed to set $JQ_COLORS\n")
    return .standard
  }

  /// Runs the filter over all inputs; returns the exit status.
  private func run() -> Int32 {
    var status = ExitStatus.done
    do throws(Halt) {
      status = options.nullInput ? try process(.null) : try processInputs()
    } catch {
      output.flush()
      return error.status
    }
    output.flush()
    return exitStatus(status)
  }

  private func processInputs() throws(Halt) -> Int32 {
    var status = ExitStatus.done
    while !output.hasFailed, let value = nextInput(&status) { status = try process(value) }
    return status
  }

  /// The next input; nil after the last, and if the input is not JSON.
  @inline(__always)
  private func nextInput(_ status: inout Int32) -> Value? {
    while true {
      do {
        return try input.nextValue()
      } catch let error as ParseError where options.sequence {
        EvalCommand.ignore(error)
      } catch {
        output.flush()
        Terminal.complain("flow: parse error: \(error)\n\(hint)")
        status = ExitStatus.runtime
        return nil
      }
    }
  }

  /// How to read a file whose name says that it is not JSON.
  private var hint: String {
    guard let path = input.fileName, let format = DecodedFile.Format.named(after: path) else { return "" }
    return
      "  hint: \(printable(path)) is read by --decode \(format), or another format of flow docs decoders\n"
  }

  /// The outcome of `halt` and `halt_error`.
  private struct Halt: Error { let status: Int32 }

  /// Runs the filter over one input.
  @inline(__always)
  private func process(_ value: Value) throws(Halt) -> Int32 {
    do {
      try evaluator.run(value) { try output.write($0) }
      return ExitStatus.done
    } catch {
      return try report(error)
    }
  }

  private func report(_ error: any Error) throws(Halt) -> Int32 {
    output.flush()
    let place = "flow: error (at \(input.fileName ?? "<stdin>"):\(input.line))"
    switch error {
    case EvaluationError.halt(let status, let message):
      if let message, !message.isNull { Terminal.passOn(message.string ?? "\(message)\n") }
      throw Halt(status: status)
    case EvaluationError.error(let value, let location):
      let message = value.string.map { ": \($0)" } ?? " (not a string): \(value)"
      Terminal.complain("\(place)\(message)\n\(EvalCommand.pointing(at: location))")
    case is EvalOutput.NULInText:
      Terminal.complain("\(place): Cannot dump a string containing NUL with --raw-output0 option\n")
    default: Terminal.complain("\(place): \(error)\n")
    }
    return ExitStatus.runtime
  }

  /// The part of the filter that failed, with carets under it, and its location unless that is obvious.
  private static func pointing(at location: Location?) -> String {
    guard let location else { return "" }
    if location.source == "<top-level>", location.line == 1 { return "\(location.excerpt)\n" }
    return "\(location.excerpt) \(location.source), line \(location.line), column \(location.column)\n"
  }

  private func exitStatus(_ status: Int32) -> Int32 {
    if output.hasFailed { return StandardOutput.end(ExitStatus.done, failed: ExitStatus.usage) }
    if input.hasFailed { return ExitStatus.usage }
    guard status == ExitStatus.done, options.exitStatus else { return status }
    switch output.lastWasTruthy {
    case nil: return ExitStatus.noOutput
    case false?: return ExitStatus.falseOrNull
    case true?: return ExitStatus.done
    }
  }
}
