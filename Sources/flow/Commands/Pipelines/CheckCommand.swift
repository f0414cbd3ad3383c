import Engine
import Language

/// `flow check`: reports every error in pipelines, and what is hardly meant, without running them.
enum CheckCommand {
  static let manual = Manual(
    "check", "report every error in pipelines", operands: .some("FILE", or: .installed),
    options: [PipelineFiles.set, PipelineFiles.config],
    about: """
      Nothing is run. Exits with 0 if there are no errors, otherwise with 2. Warnings do not count. flow docs check \
      lists what is found.
      """,
    examples: [
      ("flow check new-launches", "an installed pipeline"),
      ("flow check *.yaml", "all pipelines of this folder"),
    ])

  static let command = Command(manual) { arguments throws(WrongUse) in
    let files = try PipelineFiles(arguments.operands, arguments)
    files.complain(withWarnings: true)
    if !files.isRight || !files.hasTimeZones { return ExitStatus.usage }
    let warnings = PipelineFiles.count(files.problems.warnings.count, "warning", prefix: ", ")
    Terminal.say(
      "\(PipelineFiles.count(files.plans.count + files.undecidedCount, "pipeline")), no errors\(warnings)\n")
    return ExitStatus.done
  }
}
