/// The completion script for fish.
enum FishCompletions {
  static func text(_ commands: [CompletedCommand]) -> String {
    var lines = ["# flow completions fish", "complete -c flow -f"]
    for command in commands {
      lines.append(
        "complete -c flow -n __fish_use_subcommand -a \(command.name) -d \(quoted(command.summary))")
    }
    for command in commands { lines += self.lines(command, "__fish_seen_subcommand_from \(command.name)") }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The completions after a command, offered where the condition holds.
  private static func lines(_ command: CompletedCommand, _ condition: String) -> [String] {
    let start = "complete -c flow -n '\(condition)'"
    guard command.parts.isEmpty else {
      let words = command.parts.map(\.word).joined(separator: " ")
      return command.parts.flatMap { part in
        [
          "complete -c flow -n '\(condition); and not __fish_seen_subcommand_from \(words)' -a \(part.word)"
            + " -d \(quoted(part.summary))"
        ] + self.lines(part, "\(condition); and __fish_seen_subcommand_from \(part.word)")
      }
    }
    var lines = command.options.flatMap { self.lines($0, start) }
    if let words = command.words {
      if !words.isEmpty { lines.append("\(start) -a \(quoted(words.joined(separator: " ")))") }
    } else {
      lines.append("\(start) -F")
      if let known = command.known { lines.append("\(start) -a \(names(known))") }
    }
    return lines
  }

  private static func lines(_ option: CommandOption, _ start: String) -> [String] {
    var line = "\(start) -l \(option.name)"
    if let short = option.short { line += " -s \(short)" }
    switch option.form {
    case .flag, .toggle, .optional: break
    case .value: line += " -x" + (option.known.map { " -a \(names($0))" } ?? "")
    case .pair: line += " -x"
    case .path: line += " -r -F"
    case .choice(let words): line += " -x -a \(quoted(words.joined(separator: " ")))"
    case .list(_, let words): line += " -x -a \(quoted("(__fish_append , \(words.joined(separator: " ")))"))"
    }
    if !option.summary.isEmpty { line += " -d \(quoted(option.summary))" }
    guard case .toggle = option.form else { return [line] }
    return [line, "\(start) -l no-\(option.name)"]
  }

  private static func names(_ known: KnownNames) -> String {
    "'(flow completions \(known.rawValue) 2> /dev/null)'"
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "'"
  }
}
