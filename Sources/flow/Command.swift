/// One command of `flow`: what `flow --help` says of it, and how it runs.
struct Command: Sendable {
  let name: String
  let usage: String
  let summary: String
  /// Runs with the arguments after the command's name; the exit status.
  let run: @Sendable ([String]) -> Int32

  static let all = [EvalCommand.command, VersionCommand.command]

  static func run(_ arguments: [String]) -> Int32 {
    guard let name = arguments.first else {
      Terminal.complain(help)
      return ExitStatus.usage
    }
    if let command = all.first(where: { $0.name == name }) {
      return command.run(Array(arguments.dropFirst()))
    }
    switch name {
    case "-h", "--help", "help":
      Terminal.say(help)
      return ExitStatus.done
    case "-V", "--version": return VersionCommand.command.run([])
    default:
      Terminal.complain("flow: there is no command '\(name)'\(suggestion(for: name))\n")
      Terminal.complain("Use flow --help for the list of commands.\n")
      return ExitStatus.usage
    }
  }

  private static func suggestion(for name: String) -> String {
    let near = all.map(\.name).filter { $0.hasPrefix(name) || name.hasPrefix($0) }
    return near.first.map { "; did you mean '\($0)'?" } ?? ""
  }

  static var help: String {
    let width = all.map(\.usage.count).max() ?? 0
    let lines = all.map { command in
      "  flow \(command.usage)\(String(repeating: " ", count: width - command.usage.count))   \(command.summary)\n"
    }
    return """
      flow turns public JSON APIs into streams of changes.

      Commands:
      \(lines.joined())
      Use flow COMMAND --help for a command's options.

      """
  }
}

/// What a process of flow says by its exit status.
enum ExitStatus {
  static let done: Int32 = 0
  /// `-e`: the last output was false or null.
  static let falseOrNull: Int32 = 1
  /// Wrong use, or a file that cannot be read or written.
  static let usage: Int32 = 2
  /// The program is no program.
  static let compile: Int32 = 3
  /// `-e`: there was no output.
  static let noOutput: Int32 = 4
  /// An error while running, or input that is no JSON.
  static let runtime: Int32 = 5
}
