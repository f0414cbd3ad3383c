import Engine
import Language

/// `flow check`: everything that is wrong with pipelines, and nothing run.
enum CheckCommand {
  static let manual = Manual(
    "check", "say everything that is wrong with pipelines", operands: .some("FILE"),
    options: [PipelineFiles.set, PipelineFiles.config],
    about: "Nothing is run. Exits with 0 when all is right, with 2 when something is not.",
    examples: [("flow check pipelines/*.yaml", "all pipelines of a folder at once")])

  static let command = Command(manual) { arguments throws(WrongUse) in
    let files = try PipelineFiles(arguments.operands, arguments)
    files.complain()
    if !files.isRight || !files.hasTimeZones { return ExitStatus.usage }
    let count = files.plans.count
    Terminal.say("\(count) pipeline\(count == 1 ? "" : "s"), no problem\n")
    return ExitStatus.done
  }
}
