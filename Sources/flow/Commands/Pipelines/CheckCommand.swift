import Engine
import Language

/// `flow check`: reports every error in pipelines without running them.
enum CheckCommand {
  static let manual = Manual(
    "check", "report every error in pipelines", operands: .some("FILE"),
    options: [PipelineFiles.set, PipelineFiles.config],
    about: "Nothing is run. Exits with 0 if there are no errors, otherwise with 2.",
    examples: [("flow check pipelines/*.yaml", "all pipelines of a folder")])

  static let command = Command(manual) { arguments throws(WrongUse) in
    let files = try PipelineFiles(arguments.operands, arguments)
    files.complain()
    if !files.isRight || !files.hasTimeZones { return ExitStatus.usage }
    let count = files.plans.count
    Terminal.say("\(count) pipeline\(count == 1 ? "" : "s"), no errors\n")
    return ExitStatus.done
  }
}
