import Engine
import Language

/// `flow help`: the commands, or the help of one.
enum HelpCommand {
  static let manual = Manual(
    "help", "show this list, or the help of a command", operands: .any("COMMAND"),
    examples: [("flow help state show", "the same as flow state show --help")])

  static let command = Command(manual) { arguments in
    guard let name = arguments.operands.first else {
      Terminal.say(text)
      return ExitStatus.done
    }
    guard let command = Command.all.first(where: { $0.name == name }) else {
      return Command.reportUnknown(name)
    }
    if command.manual == nil, command.name == VersionCommand.command.name {
      Terminal.say("flow version    \(command.summary)\n")
      return ExitStatus.done
    }
    return command.run(Array(arguments.operands.dropFirst()) + ["--help"])
  }

  private static let groups: [(title: String, names: [String])] = [
    ("Pipelines", ["new", "check", "test", "run", "graph", "status", "state", "notify", "install-service"]),
    ("Data", ["eval", "tail", "sky"]),
    ("Reference", ["nodes", "docs", "schema"]),
  ]

  /// The commands in groups; those without a group come last.
  static var text: String {
    let named = groups.flatMap(\.names)
    let others = ("flow itself", Command.all.map(\.name).filter { !named.contains($0) })
    let width = Command.all.map(\.usage.columns).max() ?? 0
    var lines = ["flow turns public JSON APIs into streams of changes."]
    for (title, names) in groups + [others] {
      let commands = names.compactMap { name in Command.all.first { $0.name == name } }
      if commands.isEmpty { continue }
      // No empty lines between the groups, so that the list fits a small screen.
      lines.append(Terminal.paint(title, .bold))
      lines += commands.map { "  \($0.usage.padded(to: width))  \($0.summary)" }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

/// `flow version`: prints the version.
enum VersionCommand {
  static let version = "0.1.0"
  /// The day of the version, for manual pages.
  static let date = "2026-11-22"

  static let command = Command(name: "version", usage: "version", summary: "print the version") { _ in
    Terminal.say("flow \(version) (jq 1.8)\n")
    return ExitStatus.done
  }
}
