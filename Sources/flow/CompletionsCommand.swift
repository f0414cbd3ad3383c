import Pipeline

/// `flow completions`: a script by which a shell completes flow's command lines.
enum CompletionsCommand {
  static let manual = Manual(
    "completions", "write what completes flow's command lines",
    operands: .one("SHELL", of: ["bash", "zsh", "fish"]),
    about: "SHELL is bash, zsh or fish.",
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
    case let other:
      let hint = suggestion(for: other, among: manual.operands.words ?? []).map { "; \($0)" } ?? ""
      throw WrongUse("\(quoted(other)) is no shell that it knows\(hint)")
    }
    return ExitStatus.done
  }
}

/// What the shells need to know of a command.
struct CompletedCommand {
  let name: String
  let summary: String
  let options: [Option]
  /// The words that its arguments may be; nil for files.
  let words: [String]?

  init(_ command: Command) {
    name = command.name
    summary = command.summary
    if let manual = command.manual {
      options = manual.allOptions
      let names = Command.all.map(\.name)
      words =
        manual.name == HelpCommand.manual.name
        ? names : manual.operands.counts.upperBound == 0 ? [] : manual.operands.words
    } else if name == EvalCommand.command.name {
      options = EvalHelp.options
      words = nil
    } else {
      options = []
      words = []
    }
  }
}

extension EvalHelp {
  /// The options that the help lists; those of `flow eval` are declared nowhere else.
  static var options: [Option] {
    text.split(separator: "\n").flatMap { line -> [Option] in
      let head = line.drop { $0 == " " }
      guard head.hasPrefix("-"), line.hasPrefix("  ") else { return [] }
      // The spellings end where a value's name in capitals, or the column of explanations, begins.
      var short: Character?
      var found: [Option] = []
      for part in head.split(separator: " ") {
        let spelling = part.hasSuffix(",") ? part.dropLast() : part
        if spelling.hasPrefix("--"), spelling.count > 2 {
          found.append(Option(String(spelling.dropFirst(2)), short: short, .flag, ""))
        } else if spelling.hasPrefix("-"), spelling.count == 2, spelling != "--" {
          short = spelling.last
        } else {
          break
        }
      }
      return found
    }
  }
}
