import Engine
import Glibc
import JSON
import Language
import Reactive
import System

/// `flow stop`: ends runs in the background.
enum StopCommand {
  static let manual = Manual(
    "stop", "end a run in the background", operands: .some("PIPELINE", or: .running),
    options: [StateCommand.folder],
    about: """
      The run of the pipeline shuts down as after Ctrl-C, and the command waits until its process has ended: sources stop, \
      events in flight are processed, and sinks write what they hold, for at most the time that flow run --grace has set \
      (10s). PIPELINE is the name of a pipeline or its YAML file. A run ends as a whole: of one with several pipelines, all must \
      be named.

      It exits with 1 if a pipeline does not run here, or its process does not answer. What a service manager runs is started \
      again by it: use systemctl --user stop.
      """,
    examples: [("flow stop prices", "end it, and wait until it has ended")])

  /// Between two looks at a process that ends, and after which time what it waits for is shown first.
  private static let pause = (between: Duration.milliseconds(100), before: Duration.seconds(1))

  static let command = Command(reporting: manual) { arguments in
    let files = try StateFiles(arguments)
    let (processes, silent) = StatusClient.processes(in: files.folder)
    for process in silent { Terminal.complain("flow: process \(process) does not respond\n") }
    let running = Set(processes.flatMap { $0.pipelines.filter { !$0.phase.isOver }.map(\.name) })
    let names = try arguments.operands.map { running.contains($0) ? $0 : try files.find($0) }
    var hasFailed = !silent.isEmpty
    for name in names where !running.contains(name) {
      Terminal.complain("flow stop: \(printable(name)) does not run\n")
      hasFailed = true
    }
    for process in processes where process.pipelines.contains(where: { names.contains($0.name) }) {
      if !stop(process, names, in: files.folder) { hasFailed = true }
    }
    return hasFailed ? ExitStatus.failed : ExitStatus.done
  }

  /// Stops a process and waits for its end.
  private static func stop(_ process: RunStatus, _ names: [String], in folder: String) -> Bool {
    let shown = process.pipelines.filter { names.contains($0.name) }.map { printable($0.name) }
      .joined(separator: ", ")
    let request = Value.record([("stop", .array(names.map { .string($0) }))])
    let answer = StatusClient.answer(of: process.process, to: request, in: folder)
    if let others = answer?.member("others")?.items {
      let rest = others.compactMap(\.string).map(printable).joined(separator: ", ")
      Terminal.complain(
        "flow stop: the run of \(shown) also runs \(rest), and ends as a whole; name these too, or remove \(shown) from it\n"
      )
      return false
    }
    guard answer?.member("stopping")?.isTruthy == true else {
      Terminal.complain("flow stop: the run of \(shown), process \(process.process), does not answer\n")
      return false
    }
    let start = MonotonicClock.now
    var last = ""
    while isAlive(process.process) {
      if MonotonicClock.now - start >= pause.before, let line = waits(of: process.process, in: folder),
        line != last
      {
        Terminal.complain("waiting for the end of \(shown)\(line)\n")
        last = line
      }
      usleep(UInt32(pause.between / .microseconds(1)))
    }
    Terminal.say("stopped \(shown)\n")
    return true
  }

  /// False also for one that only its parent still knows.
  private static func isAlive(_ process: Int) -> Bool {
    guard let text = try? readFile("/proc/\(process)/stat", limit: 4096) else { return false }
    // The state follows the name, which may contain anything.
    return text.lastIndex(of: UInt8(ascii: ")")).map { text[min($0 + 2, text.count - 1)] }
      != UInt8(ascii: "Z")
  }

  /// The work that the pipelines of a process still have, as the end of a phrase; nil where that is not known any more.
  private static func waits(of process: Int, in folder: String) -> String? {
    let request = Value.record([("get", .string("status"))])
    guard let status = StatusClient.answer(of: process, to: request, in: folder).flatMap(RunStatus.init)
    else {
      return nil
    }
    let waits = status.pipelines.flatMap(\.nodes).compactMap { node -> String? in
      if let wait = node.wait {
        return "\(node.name): \(PipelineFiles.count(wait.events, "event")) wait for \(wait.request)"
      }
      guard node.role == .sink, let queue = node.queue, queue > 0 else { return nil }
      return "\(node.name): \(PipelineFiles.count(queue, "output"))"
    }
    return waits.isEmpty ? "" : ": " + printable(waits.joined(separator: "; "))
  }
}
