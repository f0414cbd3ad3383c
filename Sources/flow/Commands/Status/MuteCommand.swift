import Engine
import Language
import System

/// `flow mute`: sends no alerts of pipelines while they are worked on.
enum MuteCommand {
  static let off = CommandOption("off", .flag, "send alerts of it again")

  static let manual = Manual(
    "mute", "send no alerts of a pipeline for a while",
    operands: .optional("TIME").after("PIPELINE", mayLack: true),
    options: [off, StateCommand.folder],
    about: """
      For TIME, as in 2h, what fails in the pipeline sends no alerts (alerts in config.yaml), and its problems do not stop \
      their ping. What still fails afterwards is reported then. Its own sinks go on, those that read errors too: what they \
      write is its data. flow status says until when it is muted, and shows its problems as before.

      PIPELINE is the name of a pipeline or its YAML file; whether it runs makes no difference. Without one, what is muted \
      is listed.
      """,
    examples: [
      ("flow mute slips 2h", "planned work"), ("flow mute slips --off", "it is done"),
      ("flow mute", "what is muted"),
    ])

  static let command = Command(reporting: manual) { arguments in
    let files = try StateFiles(arguments)
    let now = World.real.wallClock()
    let running = StatusClient.processes(in: files.folder).answers.flatMap { $0.pipelines.map(\.name) }
    guard let given = arguments.operands.first else {
      let muted = Set(files.names + running).sorted().compactMap { name in
        Mute(of: name, in: files.folder).end(at: now).map { (name, $0) }
      }
      for (name, end) in muted {
        Terminal.say("\(printable(name)): muted until \(StateText.time(end))\n")
      }
      if muted.isEmpty { Terminal.say("no pipeline is muted\n") }
      return ExitStatus.done
    }
    let name = running.contains(given) ? given : try files.find(given)
    let mute = Mute(of: name, in: files.folder)
    if arguments.has(off) {
      if arguments.operands.count > 1 { throw WrongUse("--off takes no time") }
      if mute.end(at: now) == nil {
        Terminal.complain("flow mute: \(printable(name)) is not muted\n")
        return ExitStatus.failed
      }
      try mute.set(until: now)
      Terminal.say("\(printable(name)): alerts are sent again\n")
      return ExitStatus.done
    }
    guard arguments.operands.count == 2 else {
      throw WrongUse("name a pipeline and a time, as in flow mute \(printable(name)) 2h")
    }
    let time: Duration
    do throws(TextError) { time = try DurationText.parse(arguments.operands[1]) } catch {
      throw WrongUse(error.message)
    }
    let end = (now + time / .seconds(1)).rounded()
    try mute.set(until: end)
    Terminal.say("\(printable(name)): muted until \(StateText.time(end))\n")
    return ExitStatus.done
  }
}
