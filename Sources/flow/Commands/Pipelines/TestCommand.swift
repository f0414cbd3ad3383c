import Glibc
import Engine
import Language
import System

/// `flow test`: runs the tests of pipelines in virtual time.
enum TestCommand {
  static let lanes = CommandOption(
    "lanes", .value("N"), "also run each test with N tasks below each partition, and with one, and compare")

  static let manual = Manual(
    "test", "run the tests of pipelines, in virtual time", operands: .any("FILE", or: .installed),
    options: [PipelineFiles.set, PipelineFiles.config, lanes, RunLog.verbose],
    about: """
      Sources return what a test gives them, sinks only record their events, and hours pass in no time. Without FILE \
      it runs the tests of pipelines/*.yaml. Exits with 1 if a test fails.

      With --lanes N a pipeline with a partition must send the same with N tasks as with one: the same events at the \
      same times, those of one instant in any order.
      """,
    examples: [
      ("flow test slips", "the tests of one pipeline"),
      ("flow test --lanes 4 slips", "the same, and whether four tasks do what one does"),
    ])

  static let command = Command(manual) { arguments throws(WrongUse) in
    var paths = arguments.operands
    if paths.isEmpty { paths = files(of: "pipelines") }
    guard !paths.isEmpty else {
      throw WrongUse("FILE is missing, and there is no pipelines/*.yaml here")
    }
    let files = try PipelineFiles(paths, arguments)
    files.complain()
    if !files.isRight || !files.isDecided { return ExitStatus.usage }
    if !files.hasTimeZones { return ExitStatus.failed }
    let report = TestReport(
      isVerbose: arguments.has(RunLog.verbose), lanes: try arguments.number(lanes, in: 2...32))
    return report.run(files.plans)
  }

  /// The pipelines of a folder, sorted by name.
  private static func files(of folder: String) -> [String] {
    let names = ((try? namesOfFiles(in: folder)) ?? []).filter(InstalledPipelines.isPipeline)
    return names.sorted().map { "\(folder)/\($0)" }
  }
}

/// Prints the results of tests: a line each, and details of those that failed.
private struct TestReport {
  let isVerbose: Bool
  let lanes: Int?
  private let paint = Paint(
    isOn: Paint.isWanted(isTerminal: Terminal.isTerminal(1)) { Terminal.environment($0) })

  init(isVerbose: Bool, lanes: Int?) { (self.isVerbose, self.lanes) = (isVerbose, lanes) }

  /// The exit status.
  func run(_ plans: [Plan]) -> Int32 {
    var passed = 0
    var failed = 0
    for plan in plans where !plan.tests.isEmpty {
      Terminal.say("\(printable(plan.path))\n")
      for test in plan.tests {
        do {
          var run = try TestRun(test, of: plan)
          if let lanes { try run.compare(tasks: lanes, of: plan) }
          report(run)
          if run.failures.isEmpty { passed += 1 } else { failed += 1 }
        } catch {
          Terminal.say("  \(paint("FAIL", .bold + .red))  \(printable(test.name)): \(error)\n")
          failed += 1
        }
      }
    }
    if passed + failed == 0 {
      Terminal.say("no tests; a pipeline has them under tests: flow docs tests begins with an example\n")
    } else {
      Terminal.say("\(passed) passed, \(failed) failed\n")
    }
    return failed == 0 ? ExitStatus.done : ExitStatus.failed
  }

  private func report(_ run: TestRun) {
    let word = run.failures.isEmpty ? paint("ok  ", .green) : paint("FAIL", .bold + .red)
    Terminal.say("  \(word)  \(printable(run.test.name))\n")
    var lines: [String] = []
    for failure in run.failures { lines += failure.split(separator: "\n").map { printable(String($0)) } }
    if !run.failures.isEmpty {
      lines.append("(\(printable(run.test.place.description)))")
      lines += run.diagram
    }
    if isVerbose || !run.failures.isEmpty {
      lines += run.messages.map { "\($0.node): \(printable($0.message))" }
    }
    for line in lines { Terminal.say("        \(line)\n") }
  }
}
