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
    return command.run(Array(arguments.operands.dropFirst()) + ["--help"])
  }

  /// The list of commands: what they are for, and their names.
  private static let groups: [(title: String, names: [String])] = [
    ("write", ["new", "check", "test", "graph"]),
    ("run", ["run", "install-service", "notify", "cluster"]),
    ("watch", ["status", "top", "tap", "tail", "page", "ack", "mute"]),
    ("data", ["eval", "state"]),
    ("learn", ["docs", "nodes"]),
  ]

  /// The list of commands, a group beside its title, without empty lines, so that it fits a small screen.
  static var text: String {
    let listed = groups.map { group in
      (group.title, group.names.compactMap { name in Command.all.first { $0.name == name } })
    }
    let width = listed.flatMap(\.1).map(\.usage.columns).max() ?? 0
    let margin = (groups.map(\.title.columns).max() ?? 0) + 2
    let paint = Terminal.paint
    var lines = ["flow watches APIs, feeds, pages and tables, and turns what changes into events."]
    for (title, commands) in listed {
      lines += commands.enumerated().map { index, command in
        let title =
          index == 0 ? paint(title, .bold) + "".padded(to: margin - title.columns) : "".padded(to: margin)
        return "\(title)\(command.usage.padded(to: width))  \(command.summary)"
      }
    }
    // What is rarely called by hand shares lines.
    let past = ["import", "history", "at", "verify", "backtest", "why", "why-not"]
    let shared = Command.all.filter { command in !groups.contains { $0.names.contains(command.name) } }
    for (title, commands) in [
      ("past", shared.filter { past.contains($0.name) }), ("also", shared.filter { !past.contains($0.name) }),
    ] {
      let title = (title == "past" ? paint(title, .bold) : title) + "".padded(to: margin - title.columns)
      let usages = commands.map(\.usage)
      // Those about one output are on a line of their own.
      let parts = [usages.filter { !$0.hasPrefix("why") }, usages.filter { $0.hasPrefix("why") }]
      for (index, part) in parts.enumerated() where !part.isEmpty {
        lines.append((index == 0 ? title : "".padded(to: margin)) + part.joined(separator: ", "))
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
