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

  /// The order of the list: pipelines, runs, data, reference.
  private static let order = [
    "new", "check", "test", "run", "graph", "notify", "install-service", "status", "top", "tap", "page",
    "ack",
    "state",
    "eval",
    "tail", "sky", "nodes", "docs",
  ]
  /// What is rarely called by hand shares a line.
  private static let itself = ["schema", "completions", "version", "help"]

  /// The list of commands, without titles and empty lines, so that it fits a small screen.
  static var text: String {
    let listed = Command.all.filter { !itself.contains($0.name) }
    let place = { (command: Command) in order.firstIndex(of: command.name) ?? order.count }
    let width = listed.map(\.usage.columns).max() ?? 0
    let lines =
      ["flow turns public JSON APIs into streams of changes."]
      + listed.sorted { place($0) < place($1) }.map { "  \($0.usage.padded(to: width))  \($0.summary)" }
      + ["  " + Command.all.filter { itself.contains($0.name) }.map(\.usage).joined(separator: ", ")]
    return lines.joined(separator: "\n") + "\n"
  }
}
