import Glibc
import JSON

/// `flow eval`: the expression language as a filter from standard input to standard output.
struct EvalCommand {
  static let command = Command(
    name: "eval", usage: "eval FILTER [FILE…]", summary: "run a jq filter over JSON", run: run)

  static func run(_ arguments: [String]) -> Int32 {
    let options: EvalOptions
    do throws(EvalOptions.Mistake) {
      options = try EvalOptions(arguments)
    } catch {
      return wrongUse(error.message)
    }
    if options.wantsHelp {
      Terminal.say(EvalHelp.text)
      return ExitStatus.done
    }
    if options.wantsVersion { return VersionCommand.command.run([]) }
    var text = options.filter
    if text == nil, !Terminal.isTerminal(0) || !Terminal.isTerminal(1) { text = "." }
    guard var text else { return wrongUse("there is no filter") }
    if options.isFilterFile {
      do throws(FileError) {
        text = String(decoding: try readFile(text), as: UTF8.self)
      } catch {
        Terminal.complain("flow: error: \(error)\n")
        return ExitStatus.usage
      }
    }
    do throws(EvalProgram.Mistake) {
      return EvalCommand(options, try EvalProgram(text)).run()
    } catch {
      Terminal.complain("flow: error: \(error.message)\nflow: 1 compile error\n")
      return ExitStatus.compile
    }
  }

  private static func wrongUse(_ message: String) -> Int32 {
    Terminal.complain("flow eval: \(message)\nUse flow eval --help for help with options.\n")
    return ExitStatus.usage
  }

  static func ignore(_ error: ParseError) {
    Terminal.complain("flow: ignoring parse error: \(error)\n")
  }

  private let options: EvalOptions
  private let program: EvalProgram
  private let input: EvalInput
  private let output: EvalOutput

  private init(_ options: EvalOptions, _ program: EvalProgram) {
    self.options = options
    self.program = program
    let output = EvalOutput(options, colors: EvalCommand.colors(options))
    self.output = output
    input = EvalInput(options, beforeWaiting: output.flush)
  }

  private static func colors(_ options: EvalOptions) -> Colors? {
    let isUnwanted = Terminal.environment("NO_COLOR").map { !$0.isEmpty } ?? false
    guard options.colors ?? (Terminal.isTerminal(1) && !isUnwanted) else { return nil }
    guard let setting = Terminal.environment("JQ_COLORS") else { return .standard }
    if let colors = Colors(setting) { return colors }
    Terminal.complain("Failed to set $JQ_COLORS\n")
    return .standard
  }

  /// Runs the filter over all inputs; the exit status.
  private func run() -> Int32 {
    var status = ExitStatus.done
    if options.nullInput {
      status = process(.null)
    } else {
      while !output.hasFailed {
        do {
          guard let value = try input.nextValue() else { break }
          status = process(value)
        } catch let error as ParseError where options.sequence {
          EvalCommand.ignore(error)
        } catch {
          output.flush()
          Terminal.complain("flow: parse error: \(error)\n")
          status = ExitStatus.runtime
          break
        }
      }
    }
    output.flush()
    return exitStatus(status)
  }

  /// Runs the filter over one input.
  @inline(__always)
  private func process(_ value: Value) -> Int32 {
    do {
      try program.run(value) { try output.write($0) }
      return ExitStatus.done
    } catch {
      report(error)
      return ExitStatus.runtime
    }
  }

  private func report(_ error: any Error) {
    output.flush()
    let place = "\(input.fileName ?? "<stdin>"):\(input.line)"
    if error is EvalOutput.NULInText {
      Terminal.complain(
        "flow: error (at \(place)): Cannot dump a string containing NUL with --raw-output0 option\n")
    } else {
      Terminal.complain("flow: error (at \(place)): \(error)\n")
    }
  }

  private func exitStatus(_ status: Int32) -> Int32 {
    if output.hasFailed {
      Terminal.complain("flow: error: writing output failed: \(Terminal.lastError)\n")
      return ExitStatus.usage
    }
    if input.hasFailed { return ExitStatus.usage }
    guard status == ExitStatus.done, options.exitStatus else { return status }
    switch output.lastWasTruthy {
    case nil: return ExitStatus.noOutput
    case false?: return ExitStatus.falseOrNull
    case true?: return ExitStatus.done
    }
  }
}
