import Engine
import Glibc
import JSON
import Language
import System

/// `flow tap`: prints what passes nodes of running pipelines.
struct TapCommand {
  static let count = CommandOption("count", short: "n", .value("NUM"), "end after NUM lines")
  static let meta = CommandOption(
    "meta", .flag, "print each event with its pipeline, node, time and poll, also of a single node")

  static let marbles = CommandOption(
    "marbles", .flag, "draw a lane for each node on a common axis of time")
  static let every = CommandOption("every", .value("TIME"), "the time of a column of --marbles (1s)")

  static let manual = Manual(
    "tap", "show what passes a node now",
    operands: .some("NAME[:NODE]", or: .running),
    options: [marbles, every, count, meta, StateCommand.folder],
    about: """
      Prints what passes nodes of running pipelines, a line of JSON for each event: what sources and steps emit, and \
      what sinks take. NAME is the name of a pipeline or its YAML file, and NODE the name of a node as flow status \
      --json or flow graph show it; without NODE, all nodes are shown. A single node's events are printed as they \
      are; those of several nodes as objects with pipeline, node, source, at, poll and event.

      A jq filter may follow, which is applied to each line; what it fails on is skipped and counted. It ends with the \
      run, with Ctrl-C, or when its reader goes.

      --marbles draws instead: in each column \(MarbleLanes.legend). It moves on a terminal; elsewhere a diagram is \
      printed for each 60 columns.

      Observing never slows or stops a pipeline. Up to 10,000 events and 16 MiB a second are recorded, and kept until \
      they are read, up to 8 MiB; events beyond that are missed, which standard error reports.
      """,
    examples: [
      ("flow tap slips:changes", "what the step changes emits"),
      ("flow tap slips:changes '.after.name'", "through a jq filter"),
      ("flow tap slips --marbles", "when events pass each node"),
      ("flow tap slips | head -n 20", "the next 20 events anywhere in the pipeline"),
    ])

  static let command = Command(reporting: manual) { arguments in
    let tap = try TapCommand(arguments)
    // The depth of recursion depends on the size of the stack.
    return withLargeStack { tap.run() }
  }

  private let clients: [TapClient]
  private let view: any TapOutput

  private init(_ arguments: Arguments) throws {
    let folder = try StateFiles(arguments).folder
    let limit = try TapCommand.number(arguments)
    let targets = try TapTargets(arguments, in: folder)
    clients = try targets.processes.map { process, nodes in try TapClient(process, in: folder, nodes: nodes) }
    if arguments.has(TapCommand.marbles) {
      if targets.filter != nil || arguments.has(TapCommand.meta) || limit < .max {
        throw WrongUse("--marbles draws events as marbles; it takes no filter, --meta or --count")
      }
      view = MarbleView(targets.nodes, step: try TapCommand.step(arguments))
    } else {
      if arguments.has(TapCommand.every) { throw WrongUse("--every needs --marbles") }
      view = TapView(
        filter: targets.filter, isWhole: arguments.has(TapCommand.meta) || targets.areMany, limit: limit)
    }
  }

  private static func step(_ arguments: Arguments) throws(WrongUse) -> Double {
    guard let text = arguments.text(every) else { return 1 }
    do throws(TextError) {
      let step = try DurationText.parse(text).inSeconds
      if step >= 0.05 { return step }
    } catch {
      throw WrongUse("--every: \(error.message)\(error.hint.map { "; \($0)" } ?? "")")
    }
    throw WrongUse("--every takes 50ms or more")
  }

  private static func number(_ arguments: Arguments) throws(WrongUse) -> Int {
    guard let text = arguments.text(count) else { return .max }
    guard let number = Int(text), number > 0 else {
      throw WrongUse("--count takes a number above 0, not \(quoted(text))")
    }
    return number
  }

  private func run() -> Int32 {
    Terminal.exitOnInterrupt()
    while true {
      let open = clients.filter(\.isOpen)
      if open.isEmpty { break }
      let ready = awaitDescriptors([.end(1)] + open.map { .input($0.number) }, for: view.pause)
      // The reader of the output has gone.
      if ready[0] { break }
      for client in open { client.read { view.take($0) } }
      guard view.flush() else { break }
    }
    view.end()
    if view.isDone { return ExitStatus.done }
    for client in clients where !client.isOpen && !client.hasEnded {
      view.complain("process \(client.process) was killed, or ended before everything was read")
      return ExitStatus.failed
    }
    return ExitStatus.done
  }
}
