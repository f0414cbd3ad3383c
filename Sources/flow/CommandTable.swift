import Engine
import Language

/// The table of commands.
///
/// It names every command, so only `main`, the help and the completions may name it.
extension Command {
  static let all: [Command] = [
    RunCommand.command, CheckCommand.command, TestCommand.command, EvalCommand.command, TailCommand.command,
    GraphCommand.command, StatusCommand.command, TopCommand.command, TapCommand.command, AckCommand.command,
    StopCommand.command, MuteCommand.command,
    PageCommand.command,
    StateCommand.command, ClusterCommand.command, ImportCommand.command,
    HistoryCommand.command, AtCommand.command, VerifyCommand.command, BacktestCommand.command,
    WhyCommand.command, WhyNotCommand.command,
    NotifyCommand.command,
    NewCommand.command,
    NodesCommand.command, DocsCommand.command, SchemaCommand.command, SkyCommand.command,
    InstallServiceCommand.command,
    CompletionsCommand.command, VersionCommand.command, HelpCommand.command,
  ]

  static func run(_ arguments: [String]) -> Int32 {
    guard let name = arguments.first else {
      Terminal.passOn(HelpCommand.text)
      return ExitStatus.usage
    }
    if let command = all.first(where: { $0.name == name }) {
      return command.run(Array(arguments.dropFirst()))
    }
    switch name {
    case "-h", "--help":
      Terminal.say(HelpCommand.text)
      return ExitStatus.done
    case "-V", "--version": return VersionCommand.command.run([])
    case Completion.command:
      Terminal.say(Completion(Array(arguments.dropFirst())).lines.map { $0 + "\n" }.joined())
      return ExitStatus.done
    default:
      return reportUnknown(name)
    }
  }

  static func reportUnknown(_ name: String) -> Int32 {
    let hint =
      DocsCommand.has(name)
      ? "; flow docs \(name) describes \(name)"
      : nearest(to: name, among: all.map(\.name)).map { "; did you mean \(quoted($0))?" } ?? ""
    Terminal.complain("flow: unknown command \(quoted(name))\(hint)\n")
    Terminal.complain("See flow help for a list of commands.\n")
    return ExitStatus.usage
  }
}
