import Engine
import Language

/// `flow completions`: prints a script for shell completion.
enum CompletionsCommand {
  static let manual = Manual(
    "completions", "print a script for shell completion",
    operands: .one("SHELL", of: ["bash", "zsh", "fish"]),
    about: """
      SHELL is bash, zsh or fish. The scripts offer the names of pipelines too: flow completions installed lists those that \
      are installed, and flow completions running those that run or have state.
      """,
    examples: [
      ("source <(flow completions bash)", "in ~/.bashrc"),
      ("flow completions zsh > ~/.zfunc/_flow", "where ~/.zfunc is in $fpath"),
      ("flow completions fish > ~/.config/fish/completions/flow.fish", "for fish"),
    ])

  static let command = Command(manual) { arguments throws(WrongUse) in
    let commands = Command.all.map(CompletedCommand.init)
    switch arguments.operands.first ?? "" {
    case "bash": Terminal.say(BashCompletions.text(commands))
    case "zsh": Terminal.say(ZshCompletions.text(commands))
    case "fish": Terminal.say(FishCompletions.text(commands))
    case KnownNames.installed.rawValue: say(InstalledPipelines.names)
    case KnownNames.running.rawValue:
      let files = try? StateFiles(Arguments([], of: StatusCommand.manual))
      let running = files.map { StatusClient.processes(in: $0.folder).answers.flatMap(\.pipelines) } ?? []
      say(Set((files?.names ?? []) + running.map(\.name)).sorted())
    case let other:
      let hint = suggestion(for: other, among: manual.operands.words ?? []).map { "; \($0)" } ?? ""
      throw WrongUse("there are no completions for \(quoted(other))\(hint)")
    }
    return ExitStatus.done
  }

  private static func say(_ names: [String]) { Terminal.say(names.map { printable($0) + "\n" }.joined()) }
}

/// The parts of a command that shells complete.
struct CompletedCommand {
  /// The full name, as typed: `graph`, `state ls`.
  let name: String
  let summary: String
  let options: [CommandOption]
  /// The allowed words of its operands; nil for files.
  let words: [String]?
  /// The names that its operands may be, besides files.
  let known: KnownNames?
  /// The subcommands, if it has any.
  let parts: [CompletedCommand]

  /// The last word of its name.
  var word: String { name.split(separator: " ").last.map(String.init) ?? name }

  /// The command itself or, if it has subcommands, those.
  var leaves: [CompletedCommand] { parts.isEmpty ? [self] : parts.flatMap(\.leaves) }

  /// The command itself and all subcommands that have subcommands.
  var groups: [CompletedCommand] { parts.isEmpty ? [] : [self] + parts.flatMap(\.groups) }

  init(_ manual: Manual) {
    let words: [String]? =
      manual.name == HelpCommand.manual.name
      ? Command.all.map(\.name) : manual.operands.usage.isEmpty ? [] : manual.operands.words
    self.init(
      name: manual.name, summary: manual.summary, options: manual.allOptions, words: words,
      known: manual.operands.known, parts: manual.parts.map { CompletedCommand($0) })
  }

  init(_ command: Command) {
    if let manual = command.manual {
      self.init(manual)
      return
    }
    self.init(name: command.name, summary: command.summary, options: [], words: [], known: nil, parts: [])
  }

  private init(
    name: String, summary: String, options: [CommandOption], words: [String]?, known: KnownNames?,
    parts: [CompletedCommand]
  ) {
    self.known = known
    (self.name, self.summary, self.options) = (name, summary, options)
    (self.words, self.parts) = (words, parts)
  }
}
